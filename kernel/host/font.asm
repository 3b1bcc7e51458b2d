; SPDX-License-Identifier: BSD-2-Clause
; The console's font: Spleen 8x16 (BSD-2-Clause), unpacked by the Makefile from Debian's package fonts-spleen.

section .rodata
global font_start, font_end
font_start:
	incbin FONT
font_end:

section .note.GNU-stack noalloc noexec nowrite progbits
