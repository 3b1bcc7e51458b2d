; SPDX-License-Identifier: BSD-2-Clause
; The switch between kernel stacks (switch.h).

section .text
extern return_to_user

; void context_switch(uint64_t *prev_rsp, uint64_t next_rsp): pushes what C expects to be kept.
global context_switch
context_switch:
	push	rbp
	push	rbx
	push	r12
	push	r13
	push	r14
	push	r15
	mov	[rdi], rsp
	mov	rsp, rsi
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbx
	pop	rbp
	ret

; Where a new stack starts: rbx = the function that runs first; the frame of ring 3 is at rsp.
switch_start:
	call	rbx
	jmp	return_to_user

; uint64_t switch_prepare(uint64_t stack_top, void (*first)(void))
global switch_prepare
switch_prepare:
	lea	rax, [rdi - 22 * 8 - 7 * 8]
	xor	ecx, ecx
	mov	[rax], rcx			; r15
	mov	[rax + 8], rcx
	mov	[rax + 16], rcx
	mov	[rax + 24], rcx			; r12
	mov	[rax + 32], rsi			; rbx
	mov	[rax + 40], rcx			; rbp: the end of backtraces
	mov	qword [rax + 48], switch_start
	ret
