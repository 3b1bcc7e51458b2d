; SPDX-License-Identifier: BSD-2-Clause
; Where a further processor begins after its SIPI: from real mode to 64-bit C. wake.c copies it to a page below 1 MiB
; and fills in its parameters.

PARAMETERS  equ 0x800			; in the page: struct trampoline_parameters
P_ROOT      equ PARAMETERS		; u64: the host's page table
P_STACK     equ PARAMETERS + 8
P_ENTRY     equ PARAMETERS + 16
P_INDEX     equ PARAMETERS + 24		; passed to the entry
CR0_PE_PG   equ 0x80000011
CR4_PAE     equ 1 << 5
MSR_EFER    equ 0xc0000080
EFER_LME    equ 1 << 8
CODE64      equ 0x08
DATA64      equ 0x10
PAGE_BASE   equ 0x8000			; TRAMPOLINE_PAGE in wake.c

section .rodata
global trampoline, trampoline_bytes
align 16
bits 16
trampoline:
%define AT(label) (PAGE_BASE + label - trampoline)
	cli
	xor	ax, ax
	mov	ds, ax
	o32 lgdt	[AT(.gdt_pointer)]
	mov	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, [PAGE_BASE + P_ROOT]
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME
	wrmsr
	mov	eax, CR0_PE_PG
	mov	cr0, eax
	jmp	dword CODE64:AT(.long)
bits 64
.long:
	mov	eax, DATA64
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	rsp, [abs PAGE_BASE + P_STACK]
	mov	rdi, [abs PAGE_BASE + P_INDEX]
	xor	ebp, ebp
	call	[abs PAGE_BASE + P_ENTRY]
align 8
.gdt:
	dq	0, 0x00af9b000000ffff, 0x00cf93000000ffff
.gdt_pointer:
	dw	$ - .gdt - 1
	dd	AT(.gdt)
.end:
align 8, db 0
trampoline_bytes:
	dq	trampoline.end - trampoline
