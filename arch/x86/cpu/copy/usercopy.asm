; SPDX-License-Identifier: BSD-2-Clause
; Copies to and from ring 3 (kernel/mem/user.h). A fault that cannot be resolved continues at the exception table's
; second address.

USER_END	equ 0x00007ffffffff000
EFAULT		equ 14
ENAMETOOLONG	equ 36

; STAC and CLAC where the processor has SMAP: traps_init() writes them over these NOPs of three bytes, NOP [RCX] and NOP
; [RAX].
%macro SMAP_SITE 1
%%site:	nop	dword [%1]
	section .smap_sites noexec nowrite progbits alloc align=8
	dq %%site
	section .text
%endmacro
%define STAC_IF_SMAP SMAP_SITE rcx
%define CLAC_IF_SMAP SMAP_SITE rax

; A fault at %1 continues at `fault`.
%macro MAY_FAULT 1
	section .extable noexec nowrite progbits alloc align=4
	dd %1 - $
	dd fault - $
	section .text
%endmacro

; Returns -EFAULT unless the %2 bytes at %1 are all below USER_END.
%macro CHECK_RANGE 2
	mov	rcx, USER_END
	mov	rax, %1
	add	rax, %2
	jc	fault.return
	cmp	rax, rcx
	ja	fault.return
%endmacro

section .smap_sites noexec nowrite progbits alloc align=8
section .extable noexec nowrite progbits alloc align=4
section .text

; int copy_from_user(void *to, uint64_t from, size_t bytes)
global copy_from_user
copy_from_user:
	CHECK_RANGE rsi, rdx
; In: rdi = to, rsi = from, rdx = bytes.
copy:	STAC_IF_SMAP
	mov	rcx, rdx
	shr	rcx, 3
.words:	rep movsq
	mov	ecx, edx
	and	ecx, 7
	jz	.done
	btr	ecx, 2
	jnc	.bytes
.half:	movsd				; in one access
.bytes:	rep movsb
.done:	CLAC_IF_SMAP
	xor	eax, eax
	ret
	MAY_FAULT copy.words
	MAY_FAULT copy.half
	MAY_FAULT copy.bytes

; int copy_to_user(uint64_t to, const void *from, size_t bytes)
global copy_to_user
copy_to_user:
	CHECK_RANGE rdi, rdx
	jmp	copy

; long put_user_word(uint64_t to, uint64_t value)
global put_user_word
put_user_word:
	mov	rax, USER_END - 8
	cmp	rdi, rax
	ja	fault.return
	STAC_IF_SMAP
.word:	mov	[rdi], rsi
	CLAC_IF_SMAP
	mov	eax, 8
	ret
	MAY_FAULT put_user_word.word

; int clear_user(uint64_t to, size_t bytes)
global clear_user
clear_user:
	CHECK_RANGE rdi, rsi
	STAC_IF_SMAP
	xor	eax, eax
	mov	rcx, rsi
	shr	rcx, 3
.words:	rep stosq
	mov	ecx, esi
	and	ecx, 7
.bytes:	rep stosb
	CLAC_IF_SMAP
	ret
	MAY_FAULT clear_user.words
	MAY_FAULT clear_user.bytes

; long copy_string_from_user(char *to, uint64_t from, size_t size)
global copy_string_from_user
copy_string_from_user:
	mov	r8, USER_END
	xor	eax, eax
	STAC_IF_SMAP
.next:	cmp	rax, rdx
	je	.too_long
	cmp	rsi, r8
	jae	fault
.load:	mov	cl, [rsi]
	mov	[rdi + rax], cl
	inc	rsi
	test	cl, cl
	jz	.end
	inc	rax
	jmp	.next
.end:	CLAC_IF_SMAP
	ret
.too_long:
	CLAC_IF_SMAP
	mov	rax, -ENAMETOOLONG
	ret
	MAY_FAULT copy_string_from_user.load

fault:	CLAC_IF_SMAP
.return:
	mov	rax, -EFAULT
	ret
