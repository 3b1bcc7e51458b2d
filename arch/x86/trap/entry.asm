; SPDX-License-Identifier: BSD-2-Clause
; Every way into the kernel and back: system calls, exceptions, interrupts, NMIs. Intel SDM volume 3, "64-Bit Mode
; Exceptions and Interrupts"; each leaves a struct frame (frame.h) on the stack.

%include "arch/x86/trap/frame.inc"

default rel

; struct cpu (percpu.h)
CPU_KERNEL_STACK	equ 8
CPU_USER_STACK		equ 16
CPU_RETURN_WORK		equ 32
CPU_LOCKED		equ 36
CPU_DEBUG_CONTROL	equ 40

; struct frame
FRAME_R10	equ 7 * 8
FRAME_R9	equ 8 * 8
FRAME_R8	equ 9 * 8
FRAME_RAX	equ 10 * 8
FRAME_RDX	equ 12 * 8
FRAME_RSI	equ 13 * 8
FRAME_RDI	equ 14 * 8
FRAME_RBP	equ 4 * 8
FRAME_VECTOR	equ 15 * 8
FRAME_RIP	equ 17 * 8
FRAME_RFLAGS	equ 19 * 8
FRAME_RSP	equ 20 * 8
FRAME_SYSCALL	equ 0x100

USER_SS		equ 0x2b
USER_CS		equ 0x33
MSR_GS_BASE	equ 0xc0000101
RFLAGS_TF	equ 0x100

extern syscall_table, nr_syscalls, syscall_unknown, syscall_traced
extern kernel_lock_word, kernel_lock
extern exception_from_user, exception_from_kernel, breakpoint_from_kernel, interrupt_entry, nmi_entry, user_return

; Leaves the stack at the five words of IRETQ.
%macro POP_REGISTERS 0
	POP_GENERAL
	add	rsp, 16
%endmacro

; CLAC where the processor has SMAP: traps_init() writes it over this NOP of three bytes.
%macro CLAC_IF_SMAP 0
%%site:	nop	dword [rax]
	section .smap_sites noexec nowrite progbits alloc align=8
	dq %%site
	section .text
%endmacro

section .smap_sites noexec nowrite progbits alloc align=8
section .text

; The registers that ring 3 passed arguments in, and gets back.
%macro LOAD_ARGUMENTS 0
	mov	rdi, [rsp + FRAME_RDI]
	mov	rsi, [rsp + FRAME_RSI]
	mov	rdx, [rsp + FRAME_RDX]
	mov	r8, [rsp + FRAME_R8]
	mov	r9, [rsp + FRAME_R9]
	mov	r10, [rsp + FRAME_R10]
%endmacro

; System call. In: rcx = return address, r11 = flags, rax = number, rdi rsi rdx r10 r8 r9 = arguments; interrupts
; masked. With several processors (%1 = 1) the kernel lock is held in between: kernel_lock.h. While system calls are
; traced (%2 = 1) the call is syscall_traced's to make.
%macro SYSCALL_ENTRY 2
	swapgs
	mov	[gs:CPU_USER_STACK], rsp
	mov	rsp, [gs:CPU_KERNEL_STACK]
	push	USER_SS
	push	qword [gs:CPU_USER_STACK]
	push	r11
	push	USER_CS
	push	rcx
	push	rax
	push	FRAME_SYSCALL
	PUSH_REGISTERS
	xor	ebp, ebp			; backtraces of the kernel end here
%if %1
	mov	ecx, 1
	xchg	[kernel_lock_word], ecx
	test	ecx, ecx
	jnz	%%wait
	mov	dword [gs:CPU_LOCKED], 1
%%locked:
%endif
	sti
%if %2
	mov	rdi, rsp
	call	[syscall_traced]
%else
	mov	eax, eax
	cmp	eax, [nr_syscalls]
	jae	%%unknown
	mov	rax, [syscall_table + rax * 8]
	test	rax, rax
	jz	%%unknown
	mov	rcx, r10
	call	rax
%endif
%%done:	mov	[rsp + FRAME_RAX], rax
	cli
	cmp	dword [gs:CPU_RETURN_WORK], 0
	jne	return_to_user
	; C kept rbx and r12 to r15; whoever changes a frame sets return_work.
	mov	rcx, [rsp + FRAME_RIP]
	bt	rcx, 47				; SYSRET to a non-canonical address would fault in ring 0
	jc	return_to_user
	mov	r11, [rsp + FRAME_RFLAGS]
	test	r11d, RFLAGS_TF			; with SYSRET the step over the call would end one instruction early
	jnz	return_to_user
%if %1
	mov	dword [gs:CPU_LOCKED], 0
	mov	dword [kernel_lock_word], 0
%endif
	mov	rbp, [rsp + FRAME_RBP]
	LOAD_ARGUMENTS
	mov	rsp, [rsp + FRAME_RSP]
	swapgs
	o64 sysret

%if !%2
%%unknown:
	mov	edi, [rsp + FRAME_RAX]
	call	syscall_unknown
	jmp	%%done
%endif

%if %1
%%wait:	call	kernel_lock
	mov	rax, [rsp + FRAME_RAX]
	LOAD_ARGUMENTS
	jmp	%%locked
%endif
%endmacro

global syscall_entry
align 64
syscall_entry:
	SYSCALL_ENTRY 0, 0

global syscall_entry_locking
align 64
syscall_entry_locking:
	SYSCALL_ENTRY 1, 0

global syscall_entry_traced
align 64
syscall_entry_traced:
	SYSCALL_ENTRY 0, 1

global syscall_entry_traced_locking
align 64
syscall_entry_traced_locking:
	SYSCALL_ENTRY 1, 1

; To ring 3 with every register of the frame at rsp.
global return_to_user
return_to_user:
	cli
	cmp	dword [gs:CPU_RETURN_WORK], 0
	je	.go
	mov	dword [gs:CPU_RETURN_WORK], 0
	mov	rdi, rsp
	call	user_return
	jmp	return_to_user
.go:	cmp	dword [gs:CPU_LOCKED], 0
	je	.unlocked
	mov	dword [gs:CPU_LOCKED], 0
	mov	dword [kernel_lock_word], 0
.unlocked:
	POP_REGISTERS
	swapgs
iret_to_user:
	iretq

; Handler of pending interrupts that are discarded (irq_drain).
global interrupt_ignored
interrupt_ignored:
	iretq

; Exceptions on the current stack. In: vector, error code and IRETQ's words on the stack.
exception_common:
	cld
	test	byte [rsp + 24], 3
	jz	exception_kernel
	swapgs
exception_user:
	PUSH_REGISTERS
	CLAC_IF_SMAP
	xor	ebp, ebp
	mov	rdi, rsp
	call	exception_from_user
	jmp	return_to_user
exception_kernel:
	cmp	qword [rsp + 16], iret_to_user
	je	.bad_iret
	PUSH_REGISTERS
	CLAC_IF_SMAP
	mov	rdi, rsp
	call	exception_from_kernel
	POP_REGISTERS
	iretq

; IRETQ refused what the task asked to return to. Its words are still at the top of the stack and its registers are
; loaded, GS included: make this an exception of the task at that address.
.bad_iret:
	swapgs
	mov	[gs:CPU_USER_STACK], rax
	mov	rax, [rsp]
	mov	rsp, [gs:CPU_KERNEL_STACK]
	sub	rsp, 5 * 8
	push	0
	push	rax
	mov	rax, [gs:CPU_USER_STACK]
	jmp	exception_user

; #BP: kernel probes may be anywhere, even where NMIs are blocked, and an IRET would unblock them. Therefore the flags
; and the address are pushed on the interrupted stack, where the processor's frame may be by then.
breakpoint_common:
	cld
	test	byte [rsp + 24], 3
	jz	.kernel
	swapgs
	jmp	exception_user
.kernel:
	PUSH_REGISTERS
	CLAC_IF_SMAP
	mov	rdi, rsp
	call	breakpoint_from_kernel
	mov	rax, [rsp + FRAME_RSP]
	mov	rcx, [rsp + FRAME_RIP]
	mov	rdx, [rsp + FRAME_RFLAGS]
	mov	[rax - 8], rcx
	mov	[rax - 16], rdx
	sub	rax, 16
	mov	[rsp + FRAME_VECTOR], rax
	POP_GENERAL
	mov	rsp, [rsp]
	popfq
	ret

; Interrupts.
interrupt_common:
	cld
	test	byte [rsp + 24], 3
	jz	.kernel
	swapgs
	PUSH_REGISTERS
	CLAC_IF_SMAP
	xor	ebp, ebp
	mov	rdi, rsp
	call	interrupt_entry
	jmp	return_to_user
.kernel:
	PUSH_REGISTERS
	CLAC_IF_SMAP
	mov	rdi, rsp
	call	interrupt_entry
	POP_REGISTERS
	iretq

; #DB and #MC, on stacks of their own: from ring 3 they move to the task's stack, where signals can be handled.
exception_ist:
	cld
	test	byte [rsp + 24], 3
	jz	exception_ist_kernel
	swapgs
	mov	[gs:CPU_USER_STACK], rax
	mov	rax, rsp
	mov	rsp, [gs:CPU_KERNEL_STACK]
	push	qword [rax + 48]
	push	qword [rax + 40]
	push	qword [rax + 32]
	push	qword [rax + 24]
	push	qword [rax + 16]
	push	qword [rax + 8]
	push	qword [rax]
	mov	rax, [gs:CPU_USER_STACK]
	jmp	exception_user

; These can arrive between ring 3's SYSCALL and our SWAPGS: the sign of GS's base shows whose it is. A hit of a debug
; register would reuse this stack, so DR7 is disabled in here. DR7 is never 0.
%macro PARANOID 1
	PUSH_REGISTERS
	CLAC_IF_SMAP
	mov	ecx, MSR_GS_BASE
	rdmsr
	mov	ebx, edx
	test	edx, edx
	js	%%ours
	swapgs
%%ours:	mov	rdi, rsp
	cmp	qword [gs:CPU_DEBUG_CONTROL], 0
	jne	%%watched
	call	%1
%%end:	test	ebx, ebx
	js	%%back
	swapgs
%%back:	POP_REGISTERS
	iretq
%%watched:
	mov	r12, dr7
	xor	eax, eax
	mov	dr7, rax
	call	%1
	mov	dr7, r12
	jmp	%%end
%endmacro

exception_ist_kernel:				; and #DF
	cld
	PARANOID exception_from_kernel

nmi_common:
	cld
	PARANOID nmi_entry

align 16
global entry_stubs
entry_stubs:
%assign vector 0
%rep 256
%if vector == 2
	STUB vector, nmi_common
%elif vector == 8
	STUB vector, exception_ist_kernel
%elif vector == 3
	STUB vector, breakpoint_common
%elif vector == 1 || vector == 18
	STUB vector, exception_ist
%elif vector < 32
	STUB vector, exception_common
%else
	STUB vector, interrupt_common
%endif
%assign vector vector + 1
%endrep
	align 16

; The stacks of the first processor, each above a page that stays unmapped (paging_init).
section .stacks nobits alloc write noexec align=4096
%macro STACK 2
	resb 4096
	resb %2
global %1
%1:
%endmacro
STACK boot_stack_top, 16384
STACK nmi_stack_top, 16384
STACK fault_stack_top, 8192
STACK check_stack_top, 8192
STACK debug_stack_top, 8192

section .rodata
global boot_stack_guards
align 8
boot_stack_guards:
	dq boot_stack_top - 16384 - 4096, boot_stack_top, nmi_stack_top, fault_stack_top, check_stack_top
