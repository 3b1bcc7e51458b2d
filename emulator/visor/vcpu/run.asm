; SPDX-License-Identifier: BSD-2-Clause
; Entry to the guest and exit from it, in a constant number of instructions: the TSC then gives the number that the
; guest executed (docs/essays.md, "The stopwatch").

bits 64
default rel
%include "abi/kept.inc"
%include "emulator/visor/vcpu/layout.inc"

section .text

; void run_guest(struct vcpu *vcpu)
; Between its second RDTSC and the guest's first instruction are RUN_ENTRY_INSTRUCTIONS (hpet.h) and the part of the
; sled that is not jumped over. The comparator is written RUN_WRITE_INSTRUCTIONS after that RDTSC, on a tick of the HPET
; because of the NOPs before. A change of this code must update these numbers; calibrate.c checks them at every start.
extern hpet_lead
global run_guest
run_guest:
	PUSH_KEPT
	push	rdi
	mov	rbx, rdi
	rdtsc
	shl	rdx, 32				;  1 after the first RDTSC
	or	rax, rdx			;  2
	add	rax, [rbx + VCPU_HPET_BIAS]	;  3
	xor	edx, edx			;  4
	mov	ecx, HPET_PERIOD_NS		;  5
	div	rcx				;  6
	lea	rcx, [hpet_lead]		;  7
	movzx	edx, byte [rcx + rdx]		;  8
	lea	rcx, [run_lead_end]		;  9
	sub	rcx, rdx			; 10
	jmp	rcx				; 11
	times HPET_PERIOD_NS - 1 nop
run_lead_end:
	rdtsc					; 12 and the NOPs
	shl	rdx, 32				;  1 after the second RDTSC
	or	rax, rdx			;  2
	mov	[rbx + VCPU_TSC_IN], rax	;  3
	mov	rcx, [rbx + VCPU_TSC_BIAS]	;  4
	sub	rcx, rax			;  5
	mov	rdx, [rbx + VCPU_TSC_SLOT]	;  6
	mov	[rdx], rcx			;  7 the guest's TSC offset
	add	rax, [rbx + VCPU_HPET_BIAS]	;  8
	xor	edx, edx			;  9
	mov	ecx, HPET_PERIOD_NS		; 10
	div	rcx				; 11 the main counter at instruction 14
	add	rax, [rbx + VCPU_HPET_DELTA]	; 12
	mov	rcx, [rbx + VCPU_COMPARATOR]	; 13
	mov	[rcx], eax			; 14 arms the timer
	mov	rcx, [rbx + VCPU_GPR + 8]	; 15
	mov	rdx, [rbx + VCPU_GPR + 16]
	mov	rbp, [rbx + VCPU_GPR + 40]
	mov	rsi, [rbx + VCPU_GPR + 48]
	mov	rdi, [rbx + VCPU_GPR + 56]
	mov	r8, [rbx + VCPU_GPR + 64]
	mov	r9, [rbx + VCPU_GPR + 72]
	mov	r10, [rbx + VCPU_GPR + 80]
	mov	r11, [rbx + VCPU_GPR + 88]
	mov	r12, [rbx + VCPU_GPR + 96]
	mov	r13, [rbx + VCPU_GPR + 104]
	mov	r14, [rbx + VCPU_GPR + 112]
	mov	r15, [rbx + VCPU_GPR + 120]	; 27
	mov	rax, [rbx + VCPU_VMCB]		; 28
	jmp	[rbx + VCPU_SLED]		; 29
	times 9 nop				; delays the guest, so that it stops on the instruction
global run_sled_end
run_sled_end:
	mov	rbx, [rbx + VCPU_GPR + 24]	; 30
	vmrun				; 31
	push	rbx
	mov	rbx, [rsp + 8]
	mov	[rbx + VCPU_GPR + 8], rcx
	mov	[rbx + VCPU_GPR + 16], rdx
	pop	qword [rbx + VCPU_GPR + 24]
	mov	[rbx + VCPU_GPR + 40], rbp
	mov	[rbx + VCPU_GPR + 48], rsi
	mov	[rbx + VCPU_GPR + 56], rdi
	mov	[rbx + VCPU_GPR + 64], r8
	mov	[rbx + VCPU_GPR + 72], r9
	mov	[rbx + VCPU_GPR + 80], r10
	mov	[rbx + VCPU_GPR + 88], r11
	mov	[rbx + VCPU_GPR + 96], r12
	mov	[rbx + VCPU_GPR + 104], r13
	mov	[rbx + VCPU_GPR + 112], r14
	mov	[rbx + VCPU_GPR + 120], r15
	rdtsc
	shl	rdx, 32
	or	rax, rdx
	mov	[rbx + VCPU_TSC_OUT], rax
	pop	rdi
	POP_KEPT
	ret

; uint64_t write_device_timed(uint64_t address, uint32_t value): gives the TSC one instruction before the write.
global write_device_timed
write_device_timed:
	rdtsc
	mov	[rdi], esi
	shl	rdx, 32
	or	rax, rdx
	ret

; void core_call(void): whoever simulates the core does what core_page says; abi/core_page.h has these bytes.
extern core_page
global core_call
core_call:
	db	0x0f, 0x1f, 0x84, 0x00		; nop dword [rax + rax + CORE_MARKER]
	dd	CORE_MARKER
	ret
	dd	core_page - $

; The host's handlers of NMIs and interrupts: struct host_events (host.h) is at the low end of each processor's stack.
; An NMI increments its count there; an interrupt leaves its vector, and no second one is taken.
global host_nmi
host_nmi:
	push	rax
	mov	rax, rsp
	and	rax, -STACK_BYTES
	inc	dword [rax + HOST_NMIS]
	pop	rax
	iretq

global host_interrupts
align 16
host_interrupts:
%assign v FIRST_INTERRUPT
%rep 256 - FIRST_INTERRUPT
	align	16
	push	strict dword v
	jmp	strict near host_interrupt
%assign v v + 1
%endrep
host_interrupt:
	push	rax
	push	rcx
	mov	rax, rsp
	and	rax, -STACK_BYTES
	mov	ecx, [rsp + 16]
	mov	[rax + HOST_VECTOR], ecx
	pop	rcx
	pop	rax
	add	rsp, 8
	and	qword [rsp + 16], ~RFLAGS_IF
	iretq

; Every other exception of the host is a fault of the visor.
extern host_exception
global host_fault
host_fault:
	mov	rdi, rsp
	and	rsp, -16
	cld
	call	host_exception

; void become_guest(become_host *code, uint64_t stack, void *argument)
; Calls code(argument, state) on `stack`, which runs the visor; the caller continues from here as its guest: `state` is
; struct guest_start.
global become_guest
become_guest:
	PUSH_KEPT
	pushfq
	cli
	mov	rax, rdi
	mov	rdi, rdx
	mov	rcx, rsp
	lea	rdx, [.guest]
	mov	rsp, rsi
	push	rdx				; guest_start.rip
	push	rcx				; guest_start.rsp
	mov	rsi, rsp
	call	rax
.guest:
	popfq
	POP_KEPT
	ret

; The guests that the visor itself is: calibrate.c's few known instructions, and the wait for an NMI (startup.c).
global probe_vmmcall, probe_rdtsc, probe_nops, probe_loop, probe_halt
probe_halt:
	hlt
	jmp	probe_halt
probe_loop:
	dec	ecx
	jnz	probe_loop
	vmmcall
probe_rdtsc:
	rdtsc
probe_vmmcall:
	vmmcall
probe_nops:
	times 256 nop
	vmmcall

; void load_segments(uint16_t code, uint16_t data)
global load_segments
load_segments:
	mov	ds, esi
	mov	es, esi
	mov	ss, esi
	pop	rax
	movzx	edi, di
	push	rdi
	push	rax
	retfq
