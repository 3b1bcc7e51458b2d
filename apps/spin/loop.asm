; SPDX-License-Identifier: BSD-2-Clause
; spin's loop: exactly two instructions an iteration.

global spin_loop:function (spin_loop.end - spin_loop)

section .text

; void spin_loop(unsigned long iterations): System V ABI, RDI counts down to 0.
spin_loop:
.again:
	dec	rdi
	jnz	.again
	ret
.end:

section .note.GNU-stack noalloc noexec nowrite progbits
