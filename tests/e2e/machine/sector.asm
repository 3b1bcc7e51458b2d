; SPDX-License-Identifier: BSD-2-Clause
; A boot sector whose phases a profile has to find: a POST code, a mark of the guest's, and text at the debug port.
; Intel SDM volume 3, 10.9.1: into protected mode.

POST	equ 0x80
DEBUG	equ 0x402
CR0_PE	equ 1

bits 16
section .text
global _start
_start:
	cli
	xor	ax, ax
	mov	ds, ax
	mov	al, 0x42
	out	POST, al
	lgdt	[table]
	mov	eax, cr0
	or	al, CR0_PE
	mov	cr0, eax
	jmp	dword 8:protected

bits 32
global protected
protected:
	mov	ax, 16
	mov	ds, ax
	mov	ss, ax
	mov	esp, 0x7c00
	mov	ecx, 1000
	call	turns
	db	0x0f, 0x1f, 0x84, 0, 7, "PMB"	; mark 7
	mov	ecx, 100000
	call	turns
	mov	esi, text
	mov	edx, DEBUG
.next:
	lodsb
	out	dx, al
	test	al, al
	jnz	.next
.stay:
	pause
	jmp	.stay

global turns
turns:
	dec	ecx
	jnz	turns
	ret

text:	db	"sector: done", 10, 0
align 8
gdt:	dq	0, 0x00cf9b000000ffff, 0x00cf93000000ffff
table:	dw	$ - gdt - 1
	dd	gdt
	times 510 - ($ - $$) db 0
	dw	0xaa55
