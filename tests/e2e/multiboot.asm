; SPDX-License-Identifier: BSD-2-Clause
; A multiboot kernel that prints on COM1 what it was told, counts its own instructions, and leaves by QEMU's debug-exit port.

HEADER_MAGIC equ 0x1badb002
ENTRY_MAGIC  equ 0x2badb002
FLAGS        equ 1 << 1			; it wants to know the memory
COM1         equ 0x3f8
DEBUG_EXIT   equ 0xf4
ROUNDS       equ 1000

INFO_FLAGS   equ 0
INFO_HIGH    equ 8
INFO_CMDLINE equ 16
INFO_MODULES equ 20
INFO_MODULE  equ 24
INFO_MAP     equ 44			; bytes, address

bits 32
section .multiboot align=4
	dd	HEADER_MAGIC, FLAGS, -(HEADER_MAGIC + FLAGS)

section .text
global _start
_start:
	mov	esp, stack_end
	cmp	eax, ENTRY_MAGIC
	jne	.wrong
	mov	ebp, ebx
	mov	esi, text_cmdline
	call	print
	mov	esi, [ebp + INFO_CMDLINE]
	call	print
	mov	esi, text_module
	call	print
	cmp	dword [ebp + INFO_MODULES], 1
	jne	.wrong
	mov	esi, [ebp + INFO_MODULE]
	mov	esi, [esi]			; its text
	call	print
	cmp	dword [ebp + INFO_HIGH], 65536	; at least 64 MiB in one piece
	jb	.wrong
	cmp	dword [ebp + INFO_MAP], 48	; at least two regions
	jb	.wrong
	mov	ecx, 0x38d			; the first fixed counter counts ring 0
	mov	eax, 1
	xor	edx, edx
	wrmsr
	mov	ecx, 0x38f
	xor	eax, eax
	mov	edx, 1
	mov	edi, ROUNDS
	wrmsr
.loop:	dec	edi
	jnz	.loop
	xor	eax, eax
	xor	edx, edx
	wrmsr
	mov	ecx, 0x309
	rdmsr
	cmp	eax, 2 * ROUNDS + 3
	jne	.wrong
	mov	esi, text_counted
	call	print
	xor	eax, eax
.leave:	mov	edx, DEBUG_EXIT
	out	dx, al
	hlt
.wrong:	mov	esi, text_wrong
	call	print
	mov	eax, 1
	jmp	.leave

print:	mov	edx, COM1
.next:	lodsb
	test	al, al
	jz	.done
	out	dx, al
	jmp	.next
.done:	ret

section .rodata
text_cmdline: db "command line: ", 0
text_module:  db 10, "module: ", 0
text_counted: db 10, "counted exactly", 10, 0
text_wrong:   db 10, "wrong", 10, 0

section .bss
	resb	4096
stack_end:
