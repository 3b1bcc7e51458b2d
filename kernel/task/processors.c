/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the secondary processors: allocates their per-processor memory, sends INIT and start-up
 * IPIs. */
#include <stddef.h>
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/start/startup.h"
#include "arch/x86/trap/kernel_lock.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/nodes.h"
#include "kernel/mem/stack.h"
#include "kernel/task/processors.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

#define TSC_ROUNDS 5

/* Allocates a processor's stacks and data, or returns NULL. A failure frees nothing: the processor
 * might still start. */
static struct cpu *processor_new(uint32_t id, uint32_t apic_id)
{
	struct ist_stacks stacks = {stack_alloc(), stack_alloc(), stack_alloc(), stack_alloc()};
	struct cpu *cpu = kalloc(sizeof(*cpu));

	if (!stacks.nmi || !stacks.fault || !stacks.check || !stacks.debug || !cpu)
		return NULL;
	cpu->self = cpu;
	cpu->id = id;
	cpu->apic_id = apic_id;
	descriptors_prepare(cpu, &stacks);
	nodes_add_processor(cpu);
	return sched_init_processor(cpu) ? cpu : NULL;
}

static void start(uint32_t apic_id)
{
	struct cpu *cpu = processor_new(nr_cpus, apic_id);
	uint64_t stack = stack_alloc();

	if (!cpu || !stack)
		panic("no memory for processor %u: give the machine more", nr_cpus);
	if (!startup_processor(cpu, stack, sched_idle)) {
		log_warn("processor with APIC ID %u does not answer: left out", apic_id);
		return;
	}
	cpus[nr_cpus] = cpu;
	nr_cpus++;
}

static void read_tsc(void *tsc)
{
	*(uint64_t *)tsc = rdtsc();
}

/* Returns by how many ticks the processor's TSC is outside the interval in which this processor
 * read it; 0: inside. */
static int64_t tsc_distance(uint32_t cpu)
{
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < TSC_ROUNDS; i++) {
		uint64_t before = rdtsc(), there = 0, after;
		int64_t distance = 0;

		remote_call(cpu, read_tsc, &there);
		after = rdtsc();
		if (there < before)
			distance = (int64_t)(there - before);
		else if (there > after)
			distance = (int64_t)(there - after);
		if ((distance < 0 ? -distance : distance) < (least < 0 ? -least : least))
			least = distance;
	}
	return least;
}

static void check_clocks(void)
{
	for (uint32_t i = 1; i < nr_cpus; i++) {
		int64_t distance = tsc_distance(i);

		if (distance)
			log_warn("processor %u: its TSC is %ld ticks off, times there are wrong", i,
				 distance);
	}
}

void processors_init(void)
{
	uint32_t own = this_cpu_read(apic_id);

	if (acpi_info.processors == 1)
		return;
	if (!startup_begin()) {
		log_warn("no memory below 1 MiB to start processors from: one is used");
		return;
	}
	remote_init();
	kernel_lock();
	for (uint32_t i = 0; i < acpi_info.processors && i < ACPI_PROCESSORS; i++)
		if (acpi_info.apic_ids[i] != own && nr_cpus < MAX_CPUS)
			start(acpi_info.apic_ids[i]);
	startup_end();
	if (nr_cpus > 1)
		traps_use_kernel_lock();
	else
		kernel_unlock();
	check_clocks();
	sched_isolate();
	log_info("%u processors, %u in use", acpi_info.processors, nr_cpus);
}
