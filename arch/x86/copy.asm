; SPDX-License-Identifier: BSD-2-Clause
; Filling and copying of memory (kernel/string.h). REP moves words; what is left of the end is one overlapping word.

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

; void page_zero(void *page)
global page_zero
page_zero:
	xor	eax, eax
	mov	ecx, 512
	rep stosq
	ret

; void page_copy(void *to, const void *from)
global page_copy
page_copy:
	mov	ecx, 512
	rep movsq
	ret
