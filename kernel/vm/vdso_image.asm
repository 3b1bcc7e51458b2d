; SPDX-License-Identifier: BSD-2-Clause
; The vDSO as it was linked (kernel/vdso/), for kernel/vm/vdso.c.

section .rodata
global vdso_image_start, vdso_image_end
vdso_image_start:
	incbin VDSO
vdso_image_end:

section .note.GNU-stack noalloc noexec nowrite progbits
