; SPDX-License-Identifier: BSD-2-Clause
; The idle processor's wait, at addresses that the interrupt entry compares with (idle.h).

default rel
section .text

; Unmasks interrupts and waits for one.
global idle_halt, idle_halt_at, idle_halt_end
idle_halt:
	sti
idle_halt_at:
	hlt
idle_halt_end:
	ret

; As idle_halt, by MWAIT in state C1; the caller has set up the monitor.
global idle_mwait, idle_mwait_at, idle_mwait_end
idle_mwait:
	xor	eax, eax
	xor	ecx, ecx
	sti
idle_mwait_at:
	mwait
idle_mwait_end:
	ret
