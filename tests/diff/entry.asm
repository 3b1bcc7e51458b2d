; SPDX-License-Identifier: BSD-2-Clause
; The fuzzer's assembly: PVH entry, page tables with the window, traps, the way into a case and out of it.

extern guest_main, trap, bss_start, bss_end
%include "tests/bare/machine/entry.inc"

CR4_BITS     equ 0x620			; PAE, OSFXSR, OSXMMEXCPT
MSR_GLOBAL_CTRL equ 0x38f
MSR_OVF_CTRL equ 0x390
MSR_FIXED_0  equ 0x309
LVTPC        equ 0xfee00340
LVT_NMI      equ 0x400
STATE_RIP    equ 128
FRAME_RFLAGS equ 16
RFLAGS_RF    equ 0x10000

PVH_ENTRY 0				; the kernel's
	mov	eax, window_tables + PRESENT + WRITE + USER ; the window
	mov	[edi + 8], eax
	mov	ecx, 2
	mov	esi, window_tables
.level:	add	eax, 0x1000
	mov	[esi], eax
	add	esi, 0x1000
	loop	.level
	mov	dword [esi + 0x01 * 8], code_page + PRESENT + WRITE + USER
	mov	dword [esi + 0x10 * 8], data_pages + PRESENT + WRITE + USER
	mov	dword [esi + 0x11 * 8], data_pages + 0x1000 + PRESENT + WRITE + USER
	mov	dword [esi + 0x12 * 8], data_pages + PRESENT + WRITE
	mov	dword [esi + 0x13 * 8], data_pages + PRESENT + USER
	mov	dword [esi + 0x20 * 8], stack_pages + PRESENT + WRITE + USER
	mov	dword [esi + 0x21 * 8], stack_pages + 0x1000 + PRESENT + WRITE + USER
	LONG_MODE CR4_BITS, 0x901, 0x80010022	; NXE, LME, SCE; PG, WP, NE, MP
	mov	[tss + TSS_IST1], rax		; everything but NMIs
	mov	rax, nmi_stack_end
	mov	[tss + TSS_IST2], rax
	mov	word [tss + TSS_PORTS], TSS_BYTES ; ring 3 has no ports
	mov	edi, ebx
	call	guest_main
	cli
	hlt

STUBS nmi

; Counting is off from here to the way back.
%macro SWITCH 1
	push	rax
	push	rcx
	push	rdx
	mov	ecx, [abs counting_msr]
	xor	edx, edx
	xor	eax, eax
	%if %1
	mov	eax, [abs counting]
	mov	edx, [abs counting + 4]
	%endif
	wrmsr
	pop	rdx
	pop	rcx
	pop	rax
%endmacro

trap_common:
	cld
	SWITCH	0
	mov	[abs state + 0 * 8], rax
	mov	[abs state + 1 * 8], rcx
	mov	[abs state + 2 * 8], rdx
	mov	[abs state + 3 * 8], rbx
	mov	[abs state + 5 * 8], rbp
	mov	[abs state + 6 * 8], rsi
	mov	[abs state + 7 * 8], rdi
	mov	[abs state + 8 * 8], r8
	mov	[abs state + 9 * 8], r9
	mov	[abs state + 10 * 8], r10
	mov	[abs state + 11 * 8], r11
	mov	[abs state + 12 * 8], r12
	mov	[abs state + 13 * 8], r13
	mov	[abs state + 14 * 8], r14
	mov	[abs state + 15 * 8], r15
	pop	qword [abs state + STATE_RIP + 32]	; vector
	pop	qword [abs state + STATE_RIP + 40]	; error code
	pop	qword [abs state + STATE_RIP]
	pop	qword [abs state + STATE_RIP + 8]	; CS
	pop	qword [abs state + STATE_RIP + 16]	; RFLAGS
	pop	qword [abs state + 4 * 8]		; RSP
	pop	qword [abs state + STATE_RIP + 24]	; SS
	mov	rdi, state
	mov	rsp, trap_stack_end
	call	trap
	mov	rdi, state
go:						; as the state in RDI says
	mov	rsp, trap_stack_end
	push	qword [rdi + STATE_RIP + 24]
	push	qword [rdi + 4 * 8]
	push	qword [rdi + STATE_RIP + 16]
	push	qword [rdi + STATE_RIP + 8]
	push	qword [rdi + STATE_RIP]
	mov	rax, [rdi + 0 * 8]
	mov	rcx, [rdi + 1 * 8]
	mov	rdx, [rdi + 2 * 8]
	mov	rbx, [rdi + 3 * 8]
	mov	rbp, [rdi + 5 * 8]
	mov	rsi, [rdi + 6 * 8]
	mov	r8, [rdi + 8 * 8]
	mov	r9, [rdi + 9 * 8]
	mov	r10, [rdi + 10 * 8]
	mov	r11, [rdi + 11 * 8]
	mov	r12, [rdi + 12 * 8]
	mov	r13, [rdi + 13 * 8]
	mov	r14, [rdi + 14 * 8]
	mov	r15, [rdi + 15 * 8]
	mov	rdi, [rdi + 7 * 8]
	SWITCH	1
	iretq

; SYSCALL: as a trap of vector 256.
global syscall_entry
syscall_entry:
	mov	[abs state + 4 * 8], rsp
	mov	rsp, trap_stack_end
	push	USER_DS
	push	qword [abs state + 4 * 8]
	push	r11
	push	USER_DS + 8
	push	rcx
	push	0
	push	256
	jmp	trap_common

; A PMI: acknowledged, and the next period begun; it is invisible to the case. It may come after the WRMSR that ends
; counting. QEMU 9 and later set RF in the frame of each interrupt, processors only within REP: the INT or SYSCALL that
; comes next would report it.
nmi:
	and	dword [rsp + FRAME_RFLAGS], ~RFLAGS_RF
	push	rax
	push	rcx
	push	rdx
	mov	ecx, MSR_GLOBAL_CTRL
	rdmsr
	push	rdx
	xor	eax, eax
	xor	edx, edx
	wrmsr
	inc	qword [abs nmis]
	mov	ecx, MSR_FIXED_0
	mov	eax, [abs period]
	neg	rax
	mov	rdx, rax
	shr	rdx, 32
	and	edx, 0xffff
	wrmsr
	mov	ecx, MSR_OVF_CTRL
	xor	eax, eax
	mov	edx, 1
	wrmsr
	mov	eax, LVTPC
	mov	dword [rax], LVT_NMI
	mov	ecx, MSR_GLOBAL_CTRL
	xor	eax, eax			; no other counter counts
	pop	rdx
	wrmsr
	pop	rdx
	pop	rcx
	pop	rax
	iretq

; uint64_t enter_case(const struct state *)
global enter_case
enter_case:
	PUSH_KEPT
	mov	[abs kernel_rsp], rsp
	jmp	go

; void leave_case(uint64_t value): from trap() back to enter_case()'s caller.
global leave_case
leave_case:
	mov	rax, rdi
	mov	rsp, [abs kernel_rsp]
	POP_KEPT
	ret

; void tidy(void)
global tidy
tidy:
	xor	eax, eax
	mov	fs, eax
	mov	gs, eax
	lldt	ax
	mov	dr0, rax
	mov	dr1, rax
	mov	dr2, rax
	mov	dr3, rax
	mov	cr8, rax
	mov	cr2, rax
	mov	eax, 0x400
	mov	dr7, rax
	mov	eax, 0xffff0ff0
	mov	dr6, rax
	mov	eax, KERNEL_DS
	mov	ds, eax
	mov	es, eax
	mov	eax, 0x80010033			; PG, WP, NE, ET, MP, PE
	mov	cr0, rax
	mov	eax, CR4_BITS
	mov	cr4, rax
	lgdt	[gdt_pointer]
	fninit
	ldmxcsr	[mxcsr]
	pxor	xmm0, xmm0
	pxor	xmm1, xmm1
	pxor	xmm2, xmm2
	pxor	xmm3, xmm3
	ret

TRY_WRMSR

section .data
DESCRIPTORS
mxcsr:	dd	0x1f80

section .bss
MACHINE
alignb 4096
window_tables:	resb 3 * 4096
global code_page, data_pages, stack_pages
code_page:	resb 4096
data_pages:	resb 2 * 4096
stack_pages:	resb 2 * 4096
alignb 16
state:		resq 22
global period, nmis, counting, counting_msr
period:		resq 1
nmis:		resq 1
counting:	resq 1
counting_msr:	resq 1
