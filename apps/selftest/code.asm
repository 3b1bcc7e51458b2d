; SPDX-License-Identifier: BSD-2-Clause
; Code with known instructions: addresses, counts, and branch targets.

global counted_loop:function, skid_block:function, skid_first, skid_end
global branch_chain:function, chain_pairs, chain_nr

; skid_block's units; selftest.h has their sizes.
UNITS equ 128
UNIT_NOPS equ 62

section .text

; void counted_loop(unsigned long iterations): two instructions each.
counted_loop:
	dec	rdi
	jnz	counted_loop
	ret

; unsigned long skid_block(unsigned counter): RDPMC's value, then units of instructions of one byte and a jump of two to
; the next unit: from the last branch, which is never far, a driver finds the instruction of PEBS records that have only
; the next one's address. From the instruction that reads to the first unit there are SKID_BETWEEN (selftest.h).
skid_block:
	mov	ecx, edi
	lfence
	rdpmc
	shl	rdx, 32
	or	rax, rdx
skid_first:
%rep UNITS
	times UNIT_NOPS nop
	jmp	short $ + 2
%endrep
skid_end:
	ret

; void branch_chain(unsigned long rounds): jumps that follow each other in one order only.
branch_chain:
.one:
	jmp	.two
	times 5 nop
.four:
.four_from:
	jmp	.five
	times 9 nop
.three:
	nop
.three_from:
	jmp	.four
	times 3 nop
.two:
	nop
	nop
.two_from:
	jmp	.three
	times 7 nop
.five:
	dec	rdi
.five_from:
	jnz	.one
	ret

section .data

; From and to, in the order in which they are taken.
chain_pairs:
	dq	branch_chain.one, branch_chain.two
	dq	branch_chain.two_from, branch_chain.three
	dq	branch_chain.three_from, branch_chain.four
	dq	branch_chain.four_from, branch_chain.five
	dq	branch_chain.five_from, branch_chain.one
chain_nr: dq	($ - chain_pairs) / 16

section .note.GNU-stack noalloc noexec nowrite progbits
