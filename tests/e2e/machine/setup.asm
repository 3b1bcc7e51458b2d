; SPDX-License-Identifier: BSD-2-Clause
; An image in Linux's old format (boot protocol 2.07, Documentation/arch/x86/boot.rst): set-up code in real mode, which
; prints its command line on COM1, checks that the rest is at 1 MiB, and leaves by QEMU's debug-exit port.

COM1        equ 0x3f8
SECTOR      equ 512
LOADED_HIGH equ 1
BODY        equ 0x12345678

bits 16
org 0
	times 0x1f1 db 0
	db	(body - $$) / SECTOR - 1	; sectors of set-up code
	dw	0
	dd	1			; the rest, in 16 bytes
	times 0x1fe - ($ - $$) db 0
	dw	0xaa55
	jmp	short start
	db	"HdrS"
	dw	0x207
	times 0x211 - ($ - $$) db 0
	db	LOADED_HIGH
	times 0x228 - ($ - $$) db 0
cmdline:
	dd	0
	times 0x260 - ($ - $$) db 0
start:	cld
	mov	eax, [cmdline]
	shr	eax, 4
	mov	es, ax
	mov	si, [cmdline]
	and	si, 15
	mov	dx, COM1
.next:	es lodsb
	test	al, al
	jz	.done
	out	dx, al
	jmp	.next
.done:	mov	al, 10
	out	dx, al
	mov	ax, 0xffff			; 1 MiB is at FFFF:0010
	mov	es, ax
	cmp	dword [es:0x10], BODY
	setne	al
	mov	dx, DEBUG_EXIT
	out	dx, al
	hlt
	times SECTOR * 3 - ($ - $$) db 0
body:	dd	BODY, 0, 0, 0
	times 4096 db 0
