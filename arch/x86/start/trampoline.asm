; SPDX-License-Identifier: BSD-2-Clause
; Where another processor starts: real mode, at a page below 1 MiB that this code is copied to. It goes to long mode at
; once (Intel SDM volume 3, "Initializing IA-32e Mode") and on to C.

CR0_LONG	equ 0x80010033			; PG, WP, NE, ET, MP, PE; the caches on
CR4_PAE		equ 1 << 5
MSR_EFER	equ 0xc0000080

section .rodata
global trampoline_start, trampoline_end, trampoline_data
align 16
bits 16
trampoline_start:
	cli
	cld
	mov	ax, cs
	mov	ds, ax
	mov	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, [root - trampoline_start]
	mov	cr3, eax
	mov	ecx, MSR_EFER
	xor	edx, edx
	mov	eax, [efer - trampoline_start]
	wrmsr
	mov	eax, CR0_LONG
	mov	cr0, eax
	o32 lgdt [gdt_register - trampoline_start]
	jmp	far dword [far_pointer - trampoline_start]

bits 64
long_mode:
	xor	eax, eax
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	rsp, [rel stack]
	mov	rdi, [rel argument]
	xor	ebp, ebp			; the end of every backtrace
	call	[rel entry]
	ud2

; struct trampoline_data (startup.c)
align 8
trampoline_data:
root:		dd 0
efer:		dd 0
stack:		dq 0
argument:	dq 0
entry:		dq 0
far_pointer:	dd long_mode - trampoline_start	; startup.c adds where the page is
		dw 0x08
gdt_register:	dw 15
		dd gdt - trampoline_start	; and here
align 8
gdt:		dq 0
		dq 0x00af9b000000ffff		; 64-bit code
trampoline_end:
