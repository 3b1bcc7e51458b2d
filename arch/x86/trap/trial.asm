; SPDX-License-Identifier: BSD-2-Clause
; Into the code of a trial (trial.h) and out of it: by its return, or by any vector. One trial runs at a time: the
; kernel lock.

%include "arch/x86/trap/frame.inc"

default rel

; struct trial
TRIAL_CODE	equ 0
TRIAL_ARGUMENT	equ 8
TRIAL_STACK	equ 16
TRIAL_VALUE	equ 24
TRIAL_ENDED	equ 32
TRIAL_FRAME	equ 40
FRAME_WORDS	equ 22

KERNEL_CS	equ 0x10
KERNEL_SS	equ 0x18
MSR_FS_BASE	equ 0xc0000100
RFLAGS_INITIAL	equ 2

section .bss
alignb 16
	resb 8192
trial_stack:				; of whatever ends it
trial_rsp:	resq 1
trial:		resq 1			; struct trial *
bases:		resq 3			; FS, GS, and the one that SWAPGS brings
gdtr:		resb 16
idtr:		resb 16

section .data
global trial_stack_top
trial_stack_top: dq trial_stack

section .text

; The three MSRs from FS_BASE on are consecutive.
%macro SAVE_BASES 0
%assign i 0
%rep 3
	mov	ecx, MSR_FS_BASE + i
	rdmsr
	mov	[bases + 8 * i], eax
	mov	[bases + 8 * i + 4], edx
%assign i i + 1
%endrep
%endmacro
%macro LOAD_BASES 0
%assign i 0
%rep 3
	mov	ecx, MSR_FS_BASE + i
	mov	eax, [bases + 8 * i]
	mov	edx, [bases + 8 * i + 4]
	wrmsr
%assign i i + 1
%endrep
%endmacro

; void trial_enter(struct trial *trial): with interrupts masked and the trial's IDT loaded.
global trial_enter
trial_enter:
	PUSH_KEPT
	mov	[trial], rdi
	mov	[trial_rsp], rsp
	sgdt	[gdtr]
	SAVE_BASES
	mov	rax, [rdi + TRIAL_CODE]
	mov	rsp, [rdi + TRIAL_STACK]
	mov	rdi, [rdi + TRIAL_ARGUMENT]
	call	rax
	cli
	lgdt	[gdtr]
	mov	rsp, [trial_rsp]
	mov	rdi, [trial]
	mov	[rdi + TRIAL_VALUE], rax
	xor	ebx, ebx
out:	mov	[rdi + TRIAL_ENDED], bl
	LOAD_BASES
	cld
	POP_KEPT
	ret

; A vector arrived: on trial_stack, with a whole struct frame except the general registers. The IRETQ unblocks NMIs.
trial_vector:
	cld
	PUSH_REGISTERS
	lgdt	[gdtr]
	mov	rdi, [trial]
	mov	rsi, rsp
	add	rdi, TRIAL_FRAME
	mov	ecx, FRAME_WORDS
	rep	movsq
	mov	rax, cr2
	stosq
	mov	rdi, [trial]
	mov	ebx, 1
	mov	rax, [trial_rsp]
	push	KERNEL_SS
	push	rax
	push	RFLAGS_INITIAL
	push	KERNEL_CS
	lea	rax, [out]
	push	rax
	iretq

align 16
global trial_stubs
trial_stubs:
%assign vector 0
%rep 256
	STUB vector, trial_vector
%assign vector vector + 1
%endrep
