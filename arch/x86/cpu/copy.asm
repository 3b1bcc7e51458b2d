; SPDX-License-Identifier: BSD-2-Clause
; Filling and copying of memory (kernel/base/string.h). REP moves words; what is left of the end is one overlapping
; word.

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
	jae	memcpy				; `to` does not lie inside of what is read
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

; void page_zero(void *page): 16 bytes a store through XMM0, which the running task gets back. (Not YMM0: its upper half
; in use would slow down a task's SSE code afterwards.)
STORES	equ 32					; a turn
global page_zero
page_zero:
	sub	rsp, 24
	movups	[rsp], xmm0
	xorps	xmm0, xmm0
	lea	rax, [rdi + 4096]
.next:
%assign offset 0
%rep STORES
	movaps	[rdi + offset], xmm0
%assign offset offset + 16
%endrep
	add	rdi, STORES * 16
	cmp	rdi, rax
	jne	.next
	movups	xmm0, [rsp]
	add	rsp, 24
	ret

; void page_copy(void *to, const void *from)
global page_copy
page_copy:
	mov	ecx, 512
	rep movsq
	ret
