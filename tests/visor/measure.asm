; SPDX-License-Identifier: BSD-2-Clause
; Code of which every instruction is known, to be counted. The comments say how many instructions lie between two points.

default rel

IA32_GLOBAL_CTRL equ 0x38f
USER_CODE	equ 0x23
USER_DATA	equ 0x1b

section .text

; uint32_t count_loop(uint32_t counter, uint64_t rounds): what the counter gains over 2 + 2 * rounds instructions,
; of which `rounds` are branches.
global count_loop
count_loop:
	mov	ecx, edi
	rdpmc
	mov	r8d, eax			; with the first RDPMC: 2
.loop:	dec	rsi				; 2 a round
	jnz	.loop
	rdpmc
	sub	eax, r8d
	ret

; uint32_t count_straight(uint32_t counter): what it gains over 12 instructions.
global count_straight
count_straight:
	mov	ecx, edi
	rdpmc
	mov	r8d, eax
	times 10 nop
	rdpmc
	sub	eax, r8d
	ret

; void run_enabled(uint64_t global_ctrl, uint64_t rounds): enables the counters, runs 2 * rounds instructions at
; enabled_loop, disables them. The first instruction behind the WRMSR is the first one counted; the last ones are
; 4 (XOR, XOR, MOV, WRMSR).
global run_enabled
global enabled_loop
global enabled_end
run_enabled:
	mov	eax, edi
	mov	rdx, rdi
	shr	rdx, 32
	mov	ecx, IA32_GLOBAL_CTRL
	wrmsr
enabled_loop:
	dec	rsi
	jnz	enabled_loop
enabled_end:
	xor	eax, eax
	xor	edx, edx
	mov	ecx, IA32_GLOBAL_CTRL
	wrmsr
	ret

; void run_calls(uint64_t global_ctrl, uint64_t rounds): likewise, 5 instructions a round, 3 of them branches.
global run_calls
run_calls:
	mov	eax, edi
	mov	rdx, rdi
	shr	rdx, 32
	mov	ecx, IA32_GLOBAL_CTRL
	wrmsr
.loop:	call	.nothing
	nop
	dec	rsi
	jnz	.loop
	xor	eax, eax
	xor	edx, edx
	mov	ecx, IA32_GLOBAL_CTRL
	wrmsr
	ret
.nothing:
	ret

; void run_user(void (*code)(void), uint64_t rounds): runs `code` in ring 3 with RSI = rounds until its INT 80H.
global run_user
global user_return
run_user:
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[kernel_stack], rsp
	push	USER_DATA
	push	user_stack_top
	push	2				; RFLAGS: interrupts masked
	push	USER_CODE
	push	rdi
	iretq

; Where the handler of INT 80H goes: back to run_user's caller.
user_return:
	mov	rsp, [kernel_stack]
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret

; Ring 3: 2 * rounds instructions, then INT 80H.
global user_loop
user_loop:
	dec	rsi
	jnz	user_loop
	int	0x80

; Ring 3: reads general counter 0, then INT 80H with the value in EDX:EAX.
global user_rdpmc
user_rdpmc:
	xor	ecx, ecx
	rdpmc
	int	0x80

section .bss align=16
kernel_stack:	resq 1
	resb 4096
user_stack_top:
