; SPDX-License-Identifier: BSD-2-Clause
; Into the kernel and back: the processor's state as the firmware wants it again. Intel SDM volume 3, "System
; Architecture Overview"; UEFI specification 2.9, 2.3.4.

%include "abi/kept.inc"

default rel

MSR_EFER	equ 0xc0000080
DR7_RESET	equ 0x400
TSS_BUSY	equ 2				; of the descriptor's fifth byte

bits 64
section .text

; In: rdi = physical address of the root table, rsi = the kernel's entry, rdx = boot_info in the direct map. Interrupts
; masked. Out: what the kernel left.
global uefi_visit
uefi_visit:
	PUSH_KEPT
	fxsave	[floats]
	mov	[stack], rsp
	mov	rax, cr0
	mov	[control0], rax
	mov	rax, cr3
	mov	[control3], rax
	mov	rax, cr4
	mov	[control4], rax
	sgdt	[gdt]
	sidt	[idt]
	cmp	byte [visited], 0		; the register keeps what a kernel loaded when it was empty
	jne	.task_known
	str	[task]
	mov	byte [visited], 1
.task_known:
	mov	[segments], cs
	mov	[segments + 2], ss
	mov	[segments + 4], ds
	mov	[segments + 6], es
	mov	[segments + 8], fs
	mov	[segments + 10], gs
	mov	rbx, rdx
	mov	ecx, MSR_EFER
	rdmsr
	mov	[efer], eax
	mov	[efer + 4], edx
	mov	cr3, rdi
	mov	rdi, rbx
	jmp	rsi

; Where the kernel ends: on the tables that it started on. In: rdx = what it left.
global uefi_back
uefi_back:
	mov	rbx, rdx
	mov	ecx, MSR_EFER
	mov	eax, [efer]
	mov	edx, [efer + 4]
	wrmsr
	mov	rax, [control4]
	mov	cr4, rax
	mov	rax, [control3]
	mov	cr3, rax
	mov	rsp, [stack]
	lgdt	[gdt]
	mov	ss, [segments + 2]
	mov	ds, [segments + 4]
	mov	es, [segments + 6]
	mov	fs, [segments + 8]
	mov	gs, [segments + 10]
	movzx	eax, word [segments]
	push	rax
	lea	rax, [.reload]
	push	rax
	retfq
.reload:
	lidt	[idt]
	mov	rax, cr0			; the GDT may be write-protected
	and	rax, ~(1 << 16)
	mov	cr0, rax
	movzx	eax, word [task]
	test	eax, eax
	jz	.no_task
	mov	rcx, [gdt + 2]
	and	byte [rcx + rax + 5], ~TSS_BUSY
	ltr	ax
.no_task:
	mov	rax, [control0]
	mov	cr0, rax
	mov	eax, DR7_RESET
	mov	dr7, rax
	fxrstor	[floats]
	mov	rax, rbx
	POP_KEPT
	ret

section .data align=16
floats:		times 512 db 0
stack:		dq 0
control0:	dq 0
control3:	dq 0
control4:	dq 0
efer:		dq 0
segments:	times 6 dw 0
task:		dw 0
visited:	db 0
gdt:		times 10 db 0
idt:		times 10 db 0

section .note.GNU-stack noalloc noexec nowrite progbits
