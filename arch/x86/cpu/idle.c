/* SPDX-License-Identifier: BSD-2-Clause */
/* HLT or MWAIT: Intel SDM volume 3, "Idle". */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/idle.h"
#include "arch/x86/cpu/percpu.h"

/* Functions of halt.asm. */
extern void idle_halt(void), idle_mwait(void);

static bool has_mwait; /* constant after start */

void idle_init(void)
{
	has_mwait = cpuid_has(CPUID_MONITOR) && !cpuid_has(CPUID_HYPERVISOR);
}

/* The monitored line is never written to wake the processor: an interrupt always ends the wait. */
void idle_wait(void)
{
	if (!has_mwait) {
		idle_halt();
		return;
	}
	monitor(this_cpu());
	idle_mwait();
}
