; SPDX-License-Identifier: BSD-2-Clause
; A multiboot kernel that prints the loader's information on COM1, counts its own instructions, queries the BIOS for the
; memory, and leaves by QEMU's debug-exit port.

HEADER_MAGIC equ 0x1badb002
ENTRY_MAGIC  equ 0x2badb002
FLAGS        equ 1 << 1			; it wants to know the memory
COM1         equ 0x3f8
ROUNDS       equ 1000

INFO_FLAGS   equ 0
INFO_HIGH    equ 8
INFO_CMDLINE equ 16
INFO_MODULES equ 20
INFO_MODULE  equ 24
INFO_MAP     equ 44			; bytes, address
INFO_LOW     equ 4			; KiB

; Where the BIOS is asked from, in real mode; it answers at ANSWER.
REAL         equ 0x7000
ANSWER       equ 0x6000
MORE         equ ANSWER + 24		; EBX
SIZE_88      equ ANSWER + 28
SIZE_E801    equ ANSWER + 30		; AX, BX
SIZE_12      equ ANSWER + 34
SMAP         equ 0x534d4150
ENTRY_BYTES  equ 20

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
	call	ask_bios
	test	eax, eax
	jnz	.wrong
	mov	esi, text_bios
	call	print
	xor	eax, eax
.leave:	mov	edx, DEBUG_EXIT
	out	dx, al
	hlt
.wrong:	mov	esi, text_wrong
	call	print
	mov	eax, 1
	jmp	.leave

; EAX: 0 if the BIOS reports the loader's memory, region by region.
ask_bios:
	cld
	lgdt	[gdt_pointer]
	mov	esi, real
	mov	edi, REAL
	mov	ecx, real_end - real
	rep movsb
	mov	edi, [ebp + INFO_MAP]
	mov	esi, [ebp + INFO_MAP + 4]
	add	edi, esi
	mov	dword [MORE], 0
.next:	mov	eax, .answered
	jmp	0x18:REAL
.answered:
	cmp	edi, esi
	jbe	.no				; it knows of more
	mov	ecx, ENTRY_BYTES / 4
	mov	ebx, ANSWER
.compare:
	mov	eax, [esi + 4]			; after the entry's size
	cmp	eax, [ebx]
	jne	.no
	add	esi, 4
	add	ebx, 4
	loop	.compare
	add	esi, 4
	cmp	dword [MORE], 0
	jne	.next
	cmp	esi, edi
	jne	.no
	movzx	eax, word [SIZE_E801 + 2]	; of 64 KiB from 16 MiB on
	shl	eax, 6
	movzx	ecx, word [SIZE_E801]
	add	eax, ecx
	sub	eax, [ebp + INFO_HIGH]
	neg	eax				; the remainder below 64 KiB
	cmp	eax, 64
	jae	.no
	movzx	eax, word [SIZE_12]
	cmp	eax, [ebp + INFO_LOW]
	jne	.no
	movzx	eax, word [SIZE_88]
	cmp	eax, 63 << 10
	jne	.no
	xor	eax, eax
	ret
.no:	mov	eax, 1
	ret

; Through 16-bit protected mode into real mode and back to the address in EAX.
real:
bits 16
%define AT(label) (REAL + label - real)
	mov	[AT(.back)], eax
	mov	[AT(.stack)], esp
	pushad
	mov	[AT(.kept)], esp
	mov	ax, 0x20
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	mov	eax, cr0
	and	al, ~1
	mov	cr0, eax
	jmp	0:AT(.real)
.real:	xor	ax, ax
	mov	ds, ax
	mov	es, ax
	mov	ss, ax
	mov	sp, REAL
	lidt	[AT(.ivt)]
	mov	ah, 0x88
	int	0x15
	jc	.out
	mov	[SIZE_88], ax
	mov	ax, 0xe801
	int	0x15
	jc	.out
	mov	[SIZE_E801], ax
	mov	[SIZE_E801 + 2], bx
	int	0x12
	mov	[SIZE_12], ax
	mov	eax, 0xe820
	mov	ebx, [MORE]
	mov	ecx, ENTRY_BYTES
	mov	edx, SMAP
	mov	di, ANSWER
	int	0x15
	jc	.out
	cmp	eax, SMAP
	jne	.out
	mov	[MORE], ebx
.out:	cli
	mov	eax, cr0
	or	al, 1
	mov	cr0, eax
	jmp	dword 0x08:AT(.flat)
bits 32
.flat:	mov	eax, 0x10
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	esp, [AT(.kept)]
	popad
	mov	esp, [AT(.stack)]
	jmp	[AT(.back)]
.ivt:	dw	0x3ff
	dd	0
.back:	dd	0
.stack:	dd	0
.kept:	dd	0
real_end:

print:	mov	edx, COM1
.next:	lodsb
	test	al, al
	jz	.done
	out	dx, al
	jmp	.next
.done:	ret

section .rodata
align 8
gdt:	dq	0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00009b000000ffff, 0x000093000000ffff
gdt_pointer:
	dw	$ - gdt - 1
	dd	gdt
text_bios:    db "the BIOS knows the same memory", 10, 0
text_cmdline: db "command line: ", 0
text_module:  db 10, "module: ", 0
text_counted: db 10, "counted exactly", 10, 0
text_wrong:   db 10, "wrong", 10, 0

section .bss
	resb	4096
stack_end:
