; SPDX-License-Identifier: BSD-2-Clause
; The kernel's three entries: PVH and Multiboot2 (32-bit, paging off), and the UEFI loader's (64-bit, paging on).
; Multiboot2 specification 2.0, 3.1 (header), 3.3 (machine state).
; PVH: xen/include/public/arch-x86/hvm/start_info.h; long mode: Intel SDM volume 3, "Initializing IA-32e Mode".

default rel

KERNEL_BASE	equ 0xffffffff80000000
DIRECT_SLOT	equ 273				; of the root table: 0xffff888000000000
IMAGE_SLOT	equ 511				; of the root table: 0xffffffff80000000
IMAGE_SLOT2	equ 510				; and of the table below it
PAGE_TABLE	equ 3				; present, writable
PAGE_LARGE	equ 0x83			; present, writable, 2 MiB
CR0_PG		equ 1 << 31
CR4_PAE		equ 1 << 5
MSR_EFER	equ 0xc0000080
EFER_LME	equ 1 << 8
CPUID_EXTENDED	equ 0x80000001
CPUID_LM	equ 29				; of its EDX
COM1		equ 0x3f8

MULTIBOOT2_HEADER equ 0xe85250d6
MULTIBOOT2_MAGIC equ 0x36d76289			; abi/multiboot2.h
TAG_END		equ 0
TAG_ENTRY	equ 3
TAG_FRAMEBUFFER	equ 5
TAG_ALIGN	equ 6				; modules begin on pages
TAG_OPTIONAL	equ 1

%define PHYS(symbol) ((symbol) - KERNEL_BASE)

extern boot_from_pvh
extern boot_from_multiboot2
extern boot_from_uefi
extern boot_stack_top

section .note.Xen note alloc noexec nowrite align=4
	dd 4, 8, 18				; name size, value size, XEN_ELFNOTE_PHYS32_ENTRY
	db "Xen", 0
	dq PHYS(pvh_entry)

section .text.entry exec align=16

; Within the first 32 KiB of the file.
multiboot2:
	dd MULTIBOOT2_HEADER, 0, .end - multiboot2
	dd -(MULTIBOOT2_HEADER + (.end - multiboot2))
	dw TAG_ENTRY, 0
	dd 12, PHYS(multiboot2_entry), 0
	dw TAG_FRAMEBUFFER, TAG_OPTIONAL
	dd 20, 0, 0, 32, 0			; any size, 32 bits a pixel
	dw TAG_ALIGN, 0
	dd 8
	dw TAG_END, 0
	dd 8
.end:

; In: eax = MULTIBOOT2_MAGIC, ebx = physical address of the boot information; else as pvh_entry.
bits 32
multiboot2_entry:
	mov	esp, eax			; the loader's magic, until there is a stack
	jmp	pvh_entry.begin

; In: ebx = physical address of hvm_start_info; flat 32-bit segments; interrupts masked.
bits 32
global pvh_entry
pvh_entry:
	xor	esp, esp
.begin:	cld
	rdtsc
	mov	ebp, eax
	mov	edi, edx
	mov	esi, ebx
	mov	eax, 0x80000000
	cpuid
	cmp	eax, CPUID_EXTENDED
	jb	.no_long_mode
	mov	eax, CPUID_EXTENDED
	cpuid
	bt	edx, CPUID_LM
	jnc	.no_long_mode

	; The first 4 GiB appear at 0, in the direct map and (1 GiB) at the image's address, all through the same tables.
	mov	ecx, 2047
.page:	mov	eax, ecx
	shl	eax, 21
	or	eax, PAGE_LARGE
	mov	[PHYS(boot_pds) + ecx * 8], eax
	dec	ecx
	jns	.page
	mov	eax, PHYS(boot_pds) + PAGE_TABLE
	mov	[PHYS(boot_pdpt)], eax
	mov	[PHYS(boot_image_pdpt) + IMAGE_SLOT2 * 8], eax
	add	eax, 0x1000
	mov	[PHYS(boot_pdpt) + 8], eax
	add	eax, 0x1000
	mov	[PHYS(boot_pdpt) + 16], eax
	add	eax, 0x1000
	mov	[PHYS(boot_pdpt) + 24], eax
	mov	eax, PHYS(boot_pdpt) + PAGE_TABLE
	mov	[PHYS(boot_root)], eax
	mov	[PHYS(boot_root) + DIRECT_SLOT * 8], eax
	mov	eax, PHYS(boot_image_pdpt) + PAGE_TABLE
	mov	[PHYS(boot_root) + IMAGE_SLOT * 8], eax

	mov	eax, cr4
	or	eax, CR4_PAE
	mov	cr4, eax
	mov	eax, PHYS(boot_root)
	mov	cr3, eax
	mov	ecx, MSR_EFER
	rdmsr
	or	eax, EFER_LME
	wrmsr
	mov	eax, cr0
	or	eax, CR0_PG
	mov	cr0, eax
	lgdt	[PHYS(boot_gdt_register)]
	jmp	0x08:PHYS(long_mode)

.no_long_mode:
	mov	esi, PHYS(no_long_mode)
	mov	ecx, no_long_mode.end - no_long_mode
	mov	edx, COM1
	rep outsb
.stop:	cli
	hlt
	jmp	.stop

bits 64
long_mode:
	mov	rax, .high
	jmp	rax
.high:	mov	r9d, esp
	xor	eax, eax
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	rsp, boot_stack_top
	mov	r8d, esi			; hvm_start_info
	mov	eax, ebp			; the TSC's low half
	mov	esi, edi			; and its high half
	shl	rsi, 32
	or	rsi, rax
	mov	edi, r8d
	xor	ebp, ebp			; the end of every backtrace
	cmp	r9d, MULTIBOOT2_MAGIC
	je	.multiboot2
	call	boot_from_pvh
	ud2
.multiboot2:
	call	boot_from_multiboot2
	ud2

; In: rdi = struct boot_info, reachable in the direct map; image and direct map are mapped; interrupts masked.
global kernel_entry
kernel_entry:
	cld
	mov	rsp, boot_stack_top
	xor	ebp, ebp
	call	boot_from_uefi
	ud2

section .rodata
align 8
boot_gdt:
	dq 0
	dq 0x00af9b000000ffff			; 64-bit code
boot_gdt_register:
	dw $ - boot_gdt - 1
	dd PHYS(boot_gdt)
no_long_mode:
	db "barepmu: this processor has no 64-bit mode", 13, 10
.end:

section .bss align=4096
boot_root:	resb 4096
boot_pdpt:	resb 4096
boot_image_pdpt: resb 4096
boot_pds:	resb 4 * 4096
