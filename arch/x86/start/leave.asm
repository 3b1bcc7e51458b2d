; SPDX-License-Identifier: BSD-2-Clause
; The way out of the kernel, to the loader that started it: its tables map the kernel where it is.

CR4_PGE		equ 1 << 7

bits 64
section .text

; In: rdi = root table, rsi = address to continue at, rdx = its argument.
global leave_kernel
leave_kernel:
	cli
	mov	rax, cr4
	and	eax, ~CR4_PGE			; global pages leave the TLB as well
	mov	cr4, rax
	mov	cr3, rdi
	jmp	rsi
