; SPDX-License-Identifier: BSD-2-Clause
; Room in the kernel's text for what probes in it do elsewhere: trace/probe/kprobe.c.

PROBE_SLOTS		equ 512
PROBE_SLOT_BYTES	equ 32

section .text
global probe_slots
align 32
probe_slots:
	times PROBE_SLOTS * PROBE_SLOT_BYTES int3
