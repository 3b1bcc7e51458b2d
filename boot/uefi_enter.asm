; SPDX-License-Identifier: BSD-2-Clause
; The loader's last step: from the firmware's address space into the kernel's.

bits 64
section .text

; In: rdi = physical address of the root table, rsi = the kernel's entry, rdx = boot_info in the direct map.
global uefi_enter
uefi_enter:
	cli
	mov	cr3, rdi
	mov	rdi, rdx
	jmp	rsi

section .note.GNU-stack noalloc noexec nowrite progbits
