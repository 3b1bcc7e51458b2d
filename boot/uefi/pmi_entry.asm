; SPDX-License-Identifier: BSD-2-Clause
; The NMI while an EFI program is sampled. Intel SDM volume 3, 6.14.2 (stack frame) and 6.7.1 (NMIs are blocked until
; IRET). The frame is on the interrupted code's stack, aligned to 16 bytes, and five words long.

default rel
bits 64
section .text

extern uefi_pmi_take
global uefi_pmi_entry
uefi_pmi_entry:
	push	rax
	push	rcx
	push	rdx
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r10
	push	r11
	cld
	mov	rdi, [rsp + 9 * 8]		; RIP
	call	uefi_pmi_take wrt ..plt
	test	eax, eax
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rdi
	pop	rsi
	pop	rdx
	pop	rcx
	pop	rax
	jz	.other				; POP changes no flag
	iretq
.other:
	jmp	[uefi_pmi_old]

global uefi_store_idt
uefi_store_idt:
	sidt	[rdi]
	ret

section .data align=8
global uefi_pmi_old
uefi_pmi_old:	dq 0

section .note.GNU-stack noalloc noexec nowrite progbits
