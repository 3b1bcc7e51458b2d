; SPDX-License-Identifier: BSD-2-Clause
; The test guest's assembly: PVH entry, traps, the way to ring 3 and back, and code whose instructions are counted.

extern guest_main, trap, bss_start, bss_end
%include "tests/bare/machine/entry.inc"

PVH_ENTRY USER				; ring 3 uses it as well
	LONG_MODE 0x20, 0x101, 0x80000000	; PAE; LME, SCE; PG
	mov	rax, nmi_stack_end
	mov	[tss + TSS_IST1], rax
	mov	edi, ebx
	call	guest_main
	cli
	hlt

STUBS 0

trap_common:
	push	rax
	push	rcx
	push	rdx
	push	rbx
	push	rbp
	push	rsi
	push	rdi
	push	r8
	push	r9
	push	r10
	push	r11
	push	r12
	push	r13
	push	r14
	push	r15
	mov	rdi, rsp
	cld
	call	trap
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	r11
	pop	r10
	pop	r9
	pop	r8
	pop	rdi
	pop	rsi
	pop	rbp
	pop	rbx
	pop	rdx
	pop	rcx
	pop	rax
	add	rsp, 16
global trap_iret
trap_iret:
	iretq

; uint64_t in_user(uint64_t (*code)(uint64_t), uint64_t argument): calls it in ring 3; it comes back by int 0x80
; (leave_user).
global in_user
in_user:
	PUSH_KEPT
	mov	[kernel_rsp], rsp
	mov	rax, rdi
	mov	rdi, rsi
	push	USER_DS
	push	user_stack_end - 8
	push	qword [user_flags]
	push	USER_CS
	push	user_start
	mov	rsi, rax
	iretq
user_start:
	call	rsi
	int	0x80

; void leave_user(uint64_t value): from the trap handler back to in_user's caller.
global leave_user
leave_user:
	mov	rax, rdi
	mov	rsp, [kernel_rsp]
	POP_KEPT
	ret

; The system call of the tests: counts, returns.
global syscall_entry
syscall_entry:
	inc	qword [syscalls]
	o64 sysret

; void spin(uint64_t n): 2 n + 1 instructions (with RET).
global spin, spin_body
spin:
spin_body:
	dec	rdi
	jnz	spin_body
	ret

; void counted_spin(uint64_t control, uint64_t n): GLOBAL_CTRL is `control` for 2 n + 3 instructions: the loop, and the
; three that turn it off again (XOR, XOR, WRMSR).
global counted_spin, counted_spin_loop
counted_spin:
	mov	rdx, rdi
	shr	rdx, 32
	mov	eax, edi
	mov	ecx, 0x38f
	wrmsr
counted_spin_loop:
	dec	rsi
	jnz	counted_spin_loop
	xor	eax, eax
	xor	edx, edx
	wrmsr
	ret

; void counted_call(uint64_t control, uint64_t (*code)(uint64_t), uint64_t argument): as above around a call: 6
; instructions and the code's own.
global counted_call
counted_call:
	push	rbx
	mov	r8, rsi
	mov	rsi, rdx
	mov	rdx, rdi
	shr	rdx, 32
	mov	eax, edi
	mov	ecx, 0x38f
	wrmsr
	mov	rdi, rsi
	call	r8
	mov	ecx, 0x38f
	xor	eax, eax
	xor	edx, edx
	wrmsr
	pop	rbx
	ret

; void switched_spin(uint32_t msr, uint64_t on, uint64_t n): the same with a switch of another name and position, which
; 0 turns off.
global switched_spin, switched_spin_loop
switched_spin:
	mov	r8, rdx
	mov	ecx, edi
	mov	eax, esi
	mov	rdx, rsi
	shr	rdx, 32
	wrmsr
switched_spin_loop:
	dec	r8
	jnz	switched_spin_loop
	xor	eax, eax
	xor	edx, edx
	wrmsr
	ret

; void switched_call(uint32_t msr, uint64_t on, uint64_t (*code)(uint64_t), uint64_t argument): 5 instructions and the
; code's own.
global switched_call
switched_call:
	push	rbx
	mov	ebx, edi
	mov	r8, rdx
	mov	rdi, rcx
	mov	ecx, ebx
	mov	eax, esi
	mov	rdx, rsi
	shr	rdx, 32
	wrmsr
	call	r8
	mov	ecx, ebx
	xor	eax, eax
	xor	edx, edx
	wrmsr
	pop	rbx
	ret

; uint64_t user_syscalls(uint64_t n): n times SYSCALL: 3 n + 2 instructions in ring 3, with MOV and RET; 2 n in ring 0.
global user_syscalls
user_syscalls:
	mov	rbx, rdi
.loop:	syscall
	dec	rbx
	jnz	.loop
	ret

; uint64_t exiting(uint64_t): CPUID, RDMSR and RDPMC, which a hypervisor does: 9 instructions, with RET.
global exiting
exiting:
	mov	r9, rbx
	xor	eax, eax
	cpuid
	mov	ecx, 0x1a0
	rdmsr
	xor	ecx, ecx
	rdpmc
	mov	rbx, r9
	ret

; uint32_t tsc_distance(uint64_t n): TSC ticks over 2 n + 4 instructions, n at least 1.
global tsc_distance
tsc_distance:
	rdtsc
	mov	esi, eax
	mov	ecx, edi
	nop
.loop:	dec	ecx
	jnz	.loop
	rdtsc
	sub	eax, esi
	ret

; uint32_t cpuid_distance(void): TSC ticks over 4 instructions, one of them CPUID.
global cpuid_distance
cpuid_distance:
	push	rbx
	rdtsc
	mov	edi, eax
	xor	eax, eax
	cpuid
	rdtsc
	sub	eax, edi
	pop	rbx
	ret

; Accesses that may fault: trap() continues at *_fault with the vector in RAX.
; uint64_t try_rdmsr(uint32_t msr, uint64_t *value), try_rdpmc(uint32_t index, uint64_t *value): 0 or the vector.
%macro TRY_READ 1
global try_%1
try_%1:
	mov	ecx, edi
	mov	qword [fixup], .fault
	%1
	shl	rdx, 32
	or	rax, rdx
	mov	[rsi], rax
	xor	eax, eax
.fault:	mov	qword [fixup], 0
	ret
%endmacro
TRY_READ rdmsr
TRY_READ rdpmc

TRY_WRMSR

; uint64_t try_cr4(uint64_t value): 0 or the vector.
global try_cr4
try_cr4:
	mov	qword [fixup], .fault
	mov	cr4, rdi
	xor	eax, eax
.fault:	mov	qword [fixup], 0
	ret

; uint64_t try_sysenter(void): 0 or the vector; it arrives on this stack.
global try_sysenter
try_sysenter:
	mov	qword [fixup], .arrived
	xor	edx, edx
	mov	ecx, 0x175			; IA32_SYSENTER_ESP
	mov	eax, esp
	wrmsr
	inc	ecx				; IA32_SYSENTER_EIP
	mov	eax, .to
	wrmsr
	sysenter
.to:	xor	eax, eax
.arrived:
	mov	qword [fixup], 0
	ret

; uint64_t user_sysenters(uint64_t n): in ring 3; the kernel's side goes back at once.
global user_sysenters, sysenter_target
user_sysenters:
	lea	rdx, [.back]
	mov	rcx, rsp
	sysenter
.back:	dec	rdi
	jnz	user_sysenters
	ret
sysenter_target:
	o64 sysexit

; void sti_hlt(void): the idle idiom; an interrupt must not come between the two.
global sti_hlt, sti_hlt_after
sti_hlt:
	sti
	hlt
sti_hlt_after:
	cli
	ret

; uint64_t prefixed_cpuid(uint64_t): ECX of CPUID leaf 0, asked with two prefixes that mean nothing.
global prefixed_cpuid
prefixed_cpuid:
	mov	r9, rbx
	xor	eax, eax
	db	0x2e, 0x48
	cpuid
	mov	eax, ecx
	mov	rbx, r9
	ret

; uint64_t repeated(uint64_t n): REP STOSB of n bytes: 4 instructions, with RET.
global repeated
repeated:
	mov	rcx, rdi
	mov	rdi, scratch
	rep stosb
	ret

; Branches to count: n times a loop of 6 instructions, 2 branches each, one of them never taken.
global branchy
branchy:
.loop:	xor	eax, eax
	test	eax, eax
	jnz	.loop
	nop
	dec	rdi
	jnz	.loop
	ret

; uint64_t flags_seen(uint64_t n): all the RFLAGS that n PUSHF saw, ORed: a hypervisor's trap flag must not show.
global flags_seen
flags_seen:
	mov	rcx, rdi
	xor	eax, eax
.loop:	pushfq
	pop	rdx
	or	rax, rdx
	dec	rcx
	jnz	.loop
	ret

section .data
global user_flags
user_flags:	dq 2				; interrupts stay off
DESCRIPTORS

section .bss
MACHINE
user_stack:	resb 16384
user_stack_end:
scratch:	resb 4096
global syscalls
syscalls:	resq 1
