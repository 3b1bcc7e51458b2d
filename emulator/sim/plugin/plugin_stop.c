/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An interrupt must not be raised in the middle of a block under -icount: the processor is asked to
 * raise it itself at the next block boundary (QEMU: hw/core/cpu.h, exec/cpu-all.h, i386/cpu.h).
 */
#include "emulator/sim/plugin/plugin_stop.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/core_page.h"

#define INTERRUPT_NMI 0x0200 /* CPU_INTERRUPT_NMI */

struct CPUState;
typedef uintptr_t run_on_cpu_data; /* a union of the size of a pointer */
typedef void run_on_cpu_func(struct CPUState *cpu, run_on_cpu_data data);

/* Tested versions of QEMU. */
static const char *const tried[] = {CORE_TRIED_QEMU};

static struct {
	struct CPUState *(*get_cpu)(int index);
	void (*async_run)(struct CPUState *cpu, run_on_cpu_func *function, run_on_cpu_data data);
	void (*interrupt)(struct CPUState *cpu, int mask);
	void (*leave)(struct CPUState *cpu);
	void (*flush)(struct CPUState *cpu);
} qemu;

bool border_was_tried(const char *version)
{
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
		if (!strcmp(version, tried[i]))
			return true;
	return false;
}

void border_stop_setup(const char *version)
{
	if (!border_was_tried(version))
		return;
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.async_run = dlsym(RTLD_DEFAULT, "async_run_on_cpu");
	*(void **)&qemu.interrupt = dlsym(RTLD_DEFAULT, "cpu_interrupt");
	*(void **)&qemu.leave = dlsym(RTLD_DEFAULT, "cpu_exit");
	*(void **)&qemu.flush = dlsym(RTLD_DEFAULT, "tb_flush");
}

bool border_can_stop(void)
{
	return qemu.get_cpu && qemu.async_run && qemu.interrupt;
}

static void send_nmi(struct CPUState *cpu, run_on_cpu_data data)
{
	(void)data;
	qemu.interrupt(cpu, INTERRUPT_NMI);
}

bool border_stop(unsigned vcpu)
{
	if (!border_can_stop())
		return false;
	qemu.async_run(qemu.get_cpu((int)vcpu), send_nmi, 0);
	return true;
}

void border_end_turn(unsigned vcpu)
{
	static struct CPUState *cpus[CORE_PROCESSORS];
	struct CPUState **cpu = &cpus[vcpu % CORE_PROCESSORS];

	if (!qemu.get_cpu || !qemu.leave)
		return;
	if (!*cpu)
		*cpu = qemu.get_cpu((int)vcpu);
	if (*cpu)
		qemu.leave(*cpu);
}

bool border_can_retranslate(void)
{
	return qemu.get_cpu && qemu.flush;
}

/* QEMU flushes when no processor runs a block. */
void border_retranslate(unsigned vcpu)
{
	qemu.flush(qemu.get_cpu((int)vcpu));
}
