; SPDX-License-Identifier: BSD-2-Clause
; A multiboot kernel that does what the first letter after its name says: t: triple fault; v: read memory until it is
; the visor's; p: clear CR4.PAE in long mode; k: take all rights from the key of supervisor pages; w: count, stop the
; HPET, then write over all memory; s: SVM's instructions and MSRs, each of which must fault, then leave in peace.

HEADER_MAGIC equ 0x1badb002
INFO_CMDLINE equ 16
VECTOR_UD    equ 6
VECTOR_GP    equ 13
MSR_HSAVE    equ 0xc0010117
MSR_EFER     equ 0xc0000080
EFER_SVME    equ 1 << 12
LARGE_PAGE   equ 2 << 20			; the visor is on one
MSR_FIXED_CTRL equ 0x38d
MSR_GLOBAL_CTRL equ 0x38f
HPET         equ 0xfed00000
WRITE_STEP   equ 64 << 10
CR4_PAE      equ 1 << 5
CR4_PKS      equ 1 << 24
MSR_PKRS     equ 0x6e1
EFER_LME     equ 1 << 8
CR0_PG       equ 1 << 31
GIANT_PAGE   equ 0x83			; present, writable, large

bits 32
section .multiboot align=4
	dd	HEADER_MAGIC, 0, -HEADER_MAGIC

section .text
global _start
_start:
	mov	esp, stack_end
	mov	esi, [ebx + INFO_CMDLINE]
.name:	lodsb				; the file's name comes first
	cmp	al, ' '
	jne	.name
	lodsb
	cmp	al, 't'
	je	triple
	cmp	al, 'v'
	je	visor
	cmp	al, 'w'
	je	write
	cmp	al, 'p'
	je	long_mode
	cmp	al, 'k'
	je	long_mode
	lgdt	[gdt_pointer]
	mov	eax, 0x10
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	jmp	0x08:.own
.own:	mov	ecx, 32				; every exception: the next step
	mov	edi, idt
.gate:	mov	eax, fault
	mov	[edi], ax
	mov	word [edi + 2], 0x08
	mov	word [edi + 4], 0x8e00
	shr	eax, 16
	mov	[edi + 6], ax
	add	edi, 8
	loop	.gate
	lidt	[idt_pointer]
	mov	ebp, steps
next:	mov	esp, stack_end
	mov	eax, [ebp]
	add	ebp, 4
	test	eax, eax
	jz	peace
	jmp	eax
fault:	inc	dword [faults]
	jmp	next
peace:	mov	eax, (steps_end - steps) / 4 - 1
	sub	eax, [faults]			; 0: each step has faulted
	mov	edx, DEBUG_EXIT
	out	dx, al
	hlt

; SVM's instructions: 0F 01 and one byte more.
%macro SVM 2
try_%1:
	mov	eax, 0x5000
	db	0x0f, 0x01, %2
	jmp	next
%endmacro
	SVM	vmrun, 0xd8
	SVM	vmmcall, 0xd9
	SVM	vmload, 0xda
	SVM	vmsave, 0xdb
	SVM	stgi, 0xdc
	SVM	clgi, 0xdd
	SVM	skinit, 0xde
	SVM	invlpga, 0xdf
try_hsave:
	mov	ecx, MSR_HSAVE
	xor	edx, edx
	wrmsr
	jmp	next
try_efer:
	mov	ecx, MSR_EFER
	mov	eax, EFER_SVME
	xor	edx, edx
	wrmsr
	jmp	next

triple:	lidt	[no_idt]
	int3

visor:	xor	ebx, ebx
.read:	add	ebx, LARGE_PAGE
	mov	eax, [ebx]
	jmp	.read

write:	mov	ecx, MSR_FIXED_CTRL		; instructions in ring 0
	xor	edx, edx
	mov	eax, 1
	wrmsr
	mov	ecx, MSR_GLOBAL_CTRL
	xor	eax, eax
	mov	edx, 1
	wrmsr
	xor	eax, eax
	mov	[HPET + 0x10], eax		; general configuration: off
	mov	[HPET + 0x100], eax		; and the first timer's
	mov	[HPET + 0x108], eax
	mov	ebx, LARGE_PAGE			; above this code
.next:	mov	[ebx], eax
	pushfd					; stepped in another way
	popfd
	add	ebx, WRITE_STEP
	jmp	.next

; By tables of the first GiB; then what the letter says, and an exit of each kind that the visor might not come back
; from.
long_mode:
	mov	edi, tables
	lea	ecx, [edi + 0x1003]
	mov	[edi], ecx
	mov	dword [edi + 0x1000], GIANT_PAGE
	mov	cr3, edi
	mov	ecx, CR4_PAE
	mov	cr4, ecx
	mov	bl, al
	mov	ecx, MSR_EFER
	mov	eax, EFER_LME
	xor	edx, edx
	wrmsr
	mov	eax, cr0
	or	eax, CR0_PG
	mov	cr0, eax
	lgdt	[gdt_pointer]
	jmp	0x18:.code64
bits 64
.code64:
	mov	esi, ebx
	cpuid				; now the visor has looked at CR4
	cmp	sil, 'k'
	je	.keys
	xor	eax, eax
	mov	cr4, rax
	cpuid
	hlt
.keys:	mov	eax, CR4_PAE | CR4_PKS
	mov	cr4, rax
	mov	ecx, MSR_PKRS
	mov	eax, 3				; neither read nor write, at once
	xor	edx, edx
	wrmsr
	cpuid
	ud2
bits 32

section .data align=8
steps:	dd	try_vmrun, try_vmload, try_vmsave, try_stgi, try_clgi, try_skinit, try_invlpga
	dd	try_vmmcall, try_hsave, try_efer, 0
steps_end:
gdt:	dq	0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff
gdt_pointer:
	dw	$ - gdt - 1
	dd	gdt
idt_pointer:
	dw	32 * 8 - 1
	dd	idt
no_idt:	dw	0
	dd	0
faults:	dd	0

section .bss align=4096
tables:	resb	2 * 4096
idt:	resb	32 * 8
	resb	4096
stack_end:
