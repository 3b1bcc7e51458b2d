; SPDX-License-Identifier: BSD-2-Clause
; PVH entry: from 32-bit protected mode without paging, start_info in EBX, to 64-bit C.

extern pvh_main

IMAGE_BASE    equ 0x200000		; visor.ld: .boot is linked there, and QEMU loads it there
%define AT(label) (IMAGE_BASE + label - boot_start)

PRESENT_WRITE equ 3
LARGE         equ 0x80
CR4_PAE       equ 1 << 5
CR0_PG        equ 1 << 31
MSR_EFER      equ 0xc0000080
EFER_LME      equ 1 << 8
CODE64        equ 0x08
DATA64        equ 0x10

section .note.pvh note alloc noexec nowrite align=4
	dd	4, 4, 18		; XEN_ELFNOTE_PHYS32_ENTRY
	db	"Xen", 0
	dd	IMAGE_BASE + BOOT_DATA_BYTES

section .boot progbits alloc exec write align=4096
bits 32
boot_start:
boot_tables:
	times 6 * 4096 db 0
boot_stack:
	times 8192 db 0
boot_stack_end:
BOOT_DATA_BYTES equ 6 * 4096 + 8192
global pvh_entry
pvh_entry:
	cli
	cld
	mov	esp, AT(boot_stack_end)
	mov	edi, AT(boot_tables)	; identity map of the first 4 GiB
	lea	eax, [edi + 0x1000 + PRESENT_WRITE]
	mov	[edi], eax
	lea	eax, [edi + 0x2000 + PRESENT_WRITE]
	xor	ecx, ecx
.pdpt:	mov	[edi + 0x1000 + ecx * 8], eax
	add	eax, 0x1000
	inc	ecx
	cmp	ecx, 4
	jb	.pdpt
	mov	eax, PRESENT_WRITE | LARGE
	xor	ecx, ecx
.pd:	mov	[edi + 0x2000 + ecx * 8], eax
	add	eax, 0x200000
	inc	ecx
	cmp	ecx, 4 * 512
	jb	.pd
	mov	cr3, edi
	mov	eax, CR4_PAE
	mov	cr4, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME
	wrmsr
	mov	eax, cr0
	or	eax, CR0_PG
	mov	cr0, eax
	lgdt	[AT(boot_gdt_pointer)]
	jmp	CODE64:AT(.long)
bits 64
.long:
	mov	eax, DATA64
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	fs, eax
	mov	gs, eax
	mov	edi, ebx
	call	pvh_main
align 8
boot_gdt:
	dq	0, 0x00af9b000000ffff, 0x00cf93000000ffff
boot_gdt_pointer:
	dw	$ - boot_gdt - 1
	dd	AT(boot_gdt)

; void jump_to(uint64_t code, uint64_t stack)
section .text
global jump_to
jump_to:
	mov	rsp, rsi
	xor	ebp, ebp
	call	rdi
