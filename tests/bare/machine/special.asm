; SPDX-License-Identifier: BSD-2-Clause
; Code that is hard to count: instructions that leave the guest, flags and interrupt shadows, faults.

default rel

%macro place 1+				; an instruction whose address leaving_places has
place_ %+ n:
	%1
%assign n n + 1
%endmacro

section .text

; uint64_t leaving(uint64_t): 11 instructions, with RET; some of them are the hypervisor's work.
global leaving
leaving:
%assign n 0
	place	mov r9, rbx
	place	xor eax, eax
	place	cpuid
	place	mov ecx, 0x38f			; GLOBAL_CTRL
	place	rdmsr
	place	xor ecx, ecx
	place	rdpmc
	place	rdtsc
	place	pause
	place	mov rbx, r9
	place	ret

; uint64_t shadows(uint64_t): 15 instructions, with RET, some of which cannot be stepped one by one; what PUSHF saw.
global shadows
shadows:
	pushfq
	pop	rax
	push	rax
	popfq
	pushfq
	pop	rdx
	or	rax, rdx
	mov	ecx, ss
	mov	ss, ecx
	nop
	mov	ss, ecx
	sti
	nop
	cli
	ret

; uint64_t user_faults(uint64_t n): n times UD2, whose handler continues after it; 2 n + 1 other instructions, with RET.
global user_faults
user_faults:
	ud2
	dec	rdi
	jnz	user_faults
	ret

; uint64_t user_page_faults(uint64_t n), user_divide_errors(uint64_t n): likewise with a load where nothing is mapped,
; and a division by 0; 3 bytes each. One more instruction at the start.
global user_page_faults
user_page_faults:
	mov	r8, 1 << 46
.loop:	mov	al, [r8]
	dec	rdi
	jnz	.loop
	ret

; uint64_t ptwrites(uint64_t n): n times PTWRITE of the rounds left, and once of 4 bytes in memory; 3 n + 2
; instructions, with RET.
global ptwrites
ptwrites:
	db	0xf3, 0x48, 0x0f, 0xae, 0xe7	; PTWRITE RDI: NASM 2.16 leaves F3 out
	dec	rdi
	jnz	ptwrites
	db	0xf3, 0x0f, 0xae, 0x25		; PTWRITE dword [rel .memory]
	dd	.memory - .behind
.behind:
	ret
.memory:
	dd	0x89abcdef

; uint64_t user_ptwrites(uint64_t n): as user_page_faults(), by PTWRITE; 5 bytes each.
global user_ptwrites
user_ptwrites:
	mov	r8, 1 << 46
.loop:	db	0xf3, 0x41, 0x0f, 0xae, 0x20	; PTWRITE dword [r8]
	dec	rdi
	jnz	.loop
	ret

global user_divide_errors
user_divide_errors:
	xor	r8d, r8d
.loop:	div	r8
	dec	rdi
	jnz	.loop
	ret

; uint64_t user_interrupts(uint64_t): INT n of every vector but 80H, of 2 bytes each: a kernel whose gates are not ring
; 3's refuses all of them. One more instruction: RET.
global user_interrupts
user_interrupts:
%assign v 0
%rep 256
	%if v != 0x80
	db	0xcd, v
	%endif
%assign v v + 1
%endrep
	ret

section .rodata
align 8
global leaving_places
leaving_places:
%assign i 0
%rep n
	dq	place_ %+ i
%assign i i + 1
%endrep
