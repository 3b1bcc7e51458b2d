; SPDX-License-Identifier: BSD-2-Clause
; INT 15H in real mode, in front of the BIOS's own: what asks for memory is answered. bios.c copies it to the beginning
; of a segment, and puts the answers (struct answers) after it.

ANSWERS    equ 0x100
OLD        equ ANSWERS			; u32: the BIOS's handler
NR         equ ANSWERS + 4		; u32: regions
BELOW_16M  equ ANSWERS + 8		; u16
ABOVE_16M  equ ANSWERS + 10		; u16
EXTENDED   equ ANSWERS + 12		; u16
ENTRIES    equ ANSWERS + 16
ENTRY      equ 20			; bytes of a region
SMAP       equ 0x534d4150
CARRY      equ 1
REFUSED    equ 0x86			; AH: there is no such function

section .rodata
global bios_stub, bios_stub_bytes
align 16
bits 16
bios_stub:
	cmp	ax, 0xe820
	je	.map
	cmp	ax, 0xe801
	je	.sizes
	cmp	ah, 0x88
	je	.extended
	jmp	far [cs:OLD]
.sizes:	mov	ax, [cs:BELOW_16M]
	mov	bx, [cs:ABOVE_16M]
	mov	cx, ax
	mov	dx, bx
	jmp	.done
.extended:
	mov	ax, [cs:EXTENDED]
	jmp	.done
.map:	cmp	edx, SMAP
	jne	.refuse
	cmp	ecx, ENTRY
	jb	.refuse
	cmp	ebx, [cs:NR]
	jae	.refuse
	push	ds
	push	si
	push	di
	push	cs
	pop	ds
	imul	si, bx, ENTRY
	add	si, ENTRIES
	mov	cx, ENTRY / 2
	cld
	rep movsw
	pop	di
	pop	si
	pop	ds
	inc	ebx
	cmp	ebx, [cs:NR]
	jb	.more
	xor	ebx, ebx
.more:	mov	eax, SMAP
	mov	ecx, ENTRY
.done:	push	bp
	mov	bp, sp
	and	byte [bp + 6], ~CARRY		; of the caller's flags
	pop	bp
	iret
.refuse:
	mov	ah, REFUSED
	push	bp
	mov	bp, sp
	or	byte [bp + 6], CARRY
	pop	bp
	iret
.end:
	times ANSWERS - (.end - bios_stub) db 0	; refuses to assemble when there is no room
align 8, db 0
bios_stub_bytes:
	dq	bios_stub.end - bios_stub
