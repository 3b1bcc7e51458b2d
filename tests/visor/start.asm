; SPDX-License-Identifier: BSD-2-Clause
; The bare guest's entry (PVH, 32-bit) and its way to 64-bit mode, its interrupt stubs, and instructions that may fault.
; Everything is identity-mapped and open to ring 3. Intel SDM vol. 3, "Initializing IA-32e Mode".

default rel

PAGE_TABLE	equ 7				; present, writable, user
PAGE_LARGE	equ 0x87			; likewise, 2 MiB
CODE		equ 0x08
TSS		equ 0x28
STACK_BYTES	equ 16384

global entry
extern guest_main
extern guest_interrupt
extern fault_resume

section .note.Xen note alloc noexec nowrite align=4
	dd 4, 8, 18				; XEN_ELFNOTE_PHYS32_ENTRY
	db "Xen", 0
	dq entry

section .text
bits 32
entry:	mov	esp, stack_top
	mov	ecx, 2047
.page:	mov	eax, ecx
	shl	eax, 21
	or	eax, PAGE_LARGE
	mov	[page_directories + ecx * 8], eax
	dec	ecx
	jns	.page
	mov	ecx, 3
.table:	mov	eax, ecx
	shl	eax, 12
	add	eax, page_directories + PAGE_TABLE
	mov	[page_pointers + ecx * 8], eax
	dec	ecx
	jns	.table
	mov	dword [page_root], page_pointers + PAGE_TABLE
	mov	eax, cr4
	or	eax, 1 << 5			; PAE
	mov	cr4, eax
	mov	eax, page_root
	mov	cr3, eax
	mov	ecx, 0xc0000080			; EFER
	rdmsr
	or	eax, 1 << 8 | 1			; LME, SCE
	wrmsr
	mov	eax, cr0
	or	eax, 1 << 31
	mov	cr0, eax
	lgdt	[gdt_register]
	jmp	CODE:.long
bits 64
.long:	xor	eax, eax
	mov	ds, eax
	mov	es, eax
	mov	ss, eax
	mov	fs, eax
	mov	gs, eax
	mov	rax, tss
	mov	[gdt + TSS + 2], ax
	shr	rax, 16
	mov	[gdt + TSS + 4], al
	mov	[gdt + TSS + 7], ah
	mov	eax, interrupt_stack_top
	mov	[tss + 4], rax			; RSP0
	mov	eax, nmi_stack_top
	mov	[tss + 36], rax			; IST1
	mov	eax, TSS
	ltr	ax
	mov	edi, ebx			; struct hvm_start_info
	xor	ebp, ebp
	call	guest_main
	ud2

; Every vector's stub pushes what the processor did not, and its number; frames are struct frame of guest.h.
global interrupt_stubs
align 16
interrupt_stubs:
%assign vector 0
%rep 256
	align 16
%if vector = 8 || (vector >= 10 && vector <= 14) || vector = 17 || vector = 21 || vector = 29 || vector = 30
%else
	push	0
%endif
	push	vector
	jmp	interrupt
%assign vector vector + 1
%endrep

interrupt:
	push	r15
	push	r14
	push	r13
	push	r12
	push	r11
	push	r10
	push	r9
	push	r8
	push	rbp
	push	rdi
	push	rsi
	push	rdx
	push	rcx
	push	rbx
	push	rax
	mov	rdi, rsp
	mov	rbx, rsp
	and	rsp, -16
	cld
	call	guest_interrupt
	mov	rsp, rbx
	pop	rax
	pop	rbx
	pop	rcx
	pop	rdx
	pop	rsi
	pop	rdi
	pop	rbp
	pop	r8
	pop	r9
	pop	r10
	pop	r11
	pop	r12
	pop	r13
	pop	r14
	pop	r15
	add	rsp, 16
	iretq

; int try_rdmsr(uint32_t msr, uint64_t *value), int try_wrmsr(uint32_t msr, uint64_t value),
; int try_rdpmc(uint32_t index, uint64_t *value): the vector of the exception, or -1. fault_rip is the instruction's.
%macro attempt 1			; its instruction
	mov	dword [fault_vector], -1
	lea	rax, [%%done]
	mov	[fault_resume], rax
	mov	rax, rsi
	mov	rdx, rsi
	shr	rdx, 32
	mov	ecx, edi
	lea	r8, [%%at]
	mov	[attempt_rip], r8
%%at:	%1
%%done:	mov	qword [fault_resume], 0
	mov	r8d, [fault_vector]
%endmacro

extern fault_vector
extern attempt_rip

%macro attempt_read 1
	push	rsi
	attempt	%1
	pop	rsi
	cmp	r8d, -1
	jne	%%out
	mov	[rsi], eax
	mov	[rsi + 4], edx
%%out:	mov	eax, r8d
	ret
%endmacro

global try_rdmsr
try_rdmsr:
	attempt_read rdmsr

global try_rdpmc
try_rdpmc:
	attempt_read rdpmc

global try_wrmsr
try_wrmsr:
	attempt	wrmsr
	mov	eax, r8d
	ret

section .data align=16
gdt:	dq 0
	dq 0x00af9b000000ffff			; 08: ring 0 code
	dq 0x00cf93000000ffff			; 10: ring 0 data
	dq 0x00cff3000000ffff			; 18: ring 3 data
	dq 0x00affb000000ffff			; 20: ring 3 code
	dw 103, 0				; 28: TSS, its address filled in above
	db 0, 0x89, 0, 0
	dq 0
gdt_register:
	dw $ - gdt - 1
	dq gdt
align 16
tss:	times 104 db 0

section .bss align=4096
page_root:	resb 4096
page_pointers:	resb 4096
page_directories: resb 4 * 4096
	resb STACK_BYTES
stack_top:
	resb STACK_BYTES
interrupt_stack_top:
	resb STACK_BYTES
nmi_stack_top:
