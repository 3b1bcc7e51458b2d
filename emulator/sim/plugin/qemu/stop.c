/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An interrupt must not be raised in the middle of a block under -icount: the processor is asked to
 * raise it itself at the next block boundary (QEMU: hw/core/cpu.h, exec/cpu-all.h, i386/cpu.h).
 */
#include "emulator/sim/plugin/qemu/stop.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/core_page.h"

#define INTERRUPT_NMI 0x0200 /* CPU_INTERRUPT_NMI */

struct CPUState;
typedef uintptr_t run_on_cpu_data; /* a union of the size of a pointer */
typedef void run_on_cpu_func(struct CPUState *cpu, run_on_cpu_data data);

static struct {
	struct CPUState *(*get_cpu)(int index);
	void (*async_run)(struct CPUState *cpu, run_on_cpu_func *function, run_on_cpu_data data);
	void (*interrupt)(struct CPUState *cpu, int mask);
	void (*leave)(struct CPUState *cpu);
	void (*flush)(struct CPUState *cpu);
} qemu;

void plugin_stop_setup(void)
{
	*(void **)&qemu.get_cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&qemu.async_run = dlsym(RTLD_DEFAULT, "async_run_on_cpu");
	*(void **)&qemu.interrupt = dlsym(RTLD_DEFAULT, "cpu_interrupt");
	*(void **)&qemu.leave = dlsym(RTLD_DEFAULT, "cpu_exit");
	*(void **)&qemu.flush = dlsym(RTLD_DEFAULT, "tb_flush");
	if (!qemu.flush) /* since 10.2 */
		*(void **)&qemu.flush = dlsym(RTLD_DEFAULT, "queue_tb_flush");
}

bool plugin_can_stop(void)
{
	return qemu.get_cpu && qemu.async_run && qemu.interrupt;
}

static void send_nmi(struct CPUState *cpu, run_on_cpu_data data)
{
	(void)data;
	qemu.interrupt(cpu, INTERRUPT_NMI);
}

bool plugin_stop(unsigned vcpu)
{
	if (!plugin_can_stop())
		return false;
	qemu.async_run(qemu.get_cpu((int)vcpu), send_nmi, 0);
	return true;
}

bool plugin_can_end_turn(void)
{
	return qemu.get_cpu && qemu.leave;
}

void plugin_end_turn(unsigned vcpu)
{
	static struct CPUState *cpus[CORE_PROCESSORS];
	struct CPUState **cpu = &cpus[vcpu % CORE_PROCESSORS];

	if (!plugin_can_end_turn())
		return;
	if (!*cpu)
		*cpu = qemu.get_cpu((int)vcpu);
	if (*cpu)
		qemu.leave(*cpu);
}

bool plugin_can_retranslate(void)
{
	return qemu.get_cpu && qemu.flush && qemu.async_run;
}

static void flush(struct CPUState *cpu, run_on_cpu_data data)
{
	(void)data;
	qemu.flush(cpu);
}

/* Since 8.0 tb_flush() flushes at once where all processors have one thread, even if that is
 * running or translating a block. */
void plugin_retranslate(unsigned vcpu)
{
	qemu.async_run(qemu.get_cpu((int)vcpu), flush, 0);
}
