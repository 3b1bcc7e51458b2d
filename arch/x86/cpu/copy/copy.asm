; SPDX-License-Identifier: BSD-2-Clause
; Filling and copying of memory (kernel/base/string.h). REP moves words; what is left of the end is one overlapping
; word.

extern page_zero_wide

section .text

; void *memcpy(void *to, const void *from, size_t bytes)
global memcpy
memcpy:
	mov	rax, rdi
	mov	rcx, rdx
	cmp	rdx, 8
	jb	.short
	mov	r8, [rsi + rdx - 8]
	lea	r9, [rdi + rdx - 8]
	shr	rcx, 3
	rep movsq
	mov	[r9], r8
	ret
.short:	rep movsb
	ret

; void *memmove(void *to, const void *from, size_t bytes)
global memmove
memmove:
	mov	rax, rdi
	sub	rax, rsi
	cmp	rax, rdx
	jae	memcpy				; `to` is not inside the source
	mov	rax, rdi
	mov	rcx, rdx
	lea	rdi, [rdi + rdx - 1]
	lea	rsi, [rsi + rdx - 1]
	std
	rep movsb
	cld
	ret

; void *memset(void *to, int byte, size_t bytes)
global memset
memset:
	mov	r9, rdi
	movzx	eax, sil
	mov	rcx, 0x0101010101010101
	imul	rax, rcx
	mov	rcx, rdx
	cmp	rdx, 8
	jb	.short
	mov	[rdi + rdx - 8], rax
	shr	rcx, 3
	rep stosq
	mov	rax, r9
	ret
.short:	rep stosb
	mov	rax, r9
	ret

; void page_zero(void *page): through a vector register, which the running task gets back: YMM0 where fpu_init() found
; that it may, otherwise XMM0. An upper half that was not in use is not afterwards: it would slow down a task's SSE
; code.
XINUSE_AVX	equ 4				; of XGETBV with ECX = 1

; ZERO_PAGE bytes, instruction, register: the stores of a page.
%macro ZERO_PAGE 3
%assign offset 0
%rep 4096 / %1
	%2	[rdi + offset], %3
%assign offset offset + %1
%endrep
%endmacro

global page_zero
page_zero:
	sub	rsp, 40
	cmp	byte [page_zero_wide], 0
	jne	.wide
	movups	[rsp], xmm0
	xorps	xmm0, xmm0
	ZERO_PAGE 16, movaps, xmm0
	movups	xmm0, [rsp]
	add	rsp, 40
	ret
.wide:	mov	ecx, 1
	xgetbv
	mov	esi, eax
	vmovups	[rsp], ymm0
	vxorps	xmm0, xmm0, xmm0
	ZERO_PAGE 32, vmovaps, ymm0
	vmovups	ymm0, [rsp]
	add	rsp, 40
	test	esi, XINUSE_AVX
	jnz	.used
	vzeroupper
.used:	ret

; void page_copy(void *to, const void *from)
global page_copy
page_copy:
	mov	ecx, 512
	rep movsq
	ret
