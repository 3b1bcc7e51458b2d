/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to other processors: a slot in each processor's data, and an interrupt. */
#include <stddef.h>
#include "abi/boot_info.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/nmi.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"

/* On the caller's stack. All processors read the first line while each changes the second. */
struct remote_call {
	remote_fn *fn;
	void *argument;
	_Alignas(64) uint32_t pending; /* other processors that have not done it. Atomic */
};

static bool stopping;
static void (*ending)(void); /* called by the first processor. Atomic */

void remote_serve(void)
{
	struct cpu *cpu = this_cpu();
	struct remote_call *call = __atomic_load_n(&cpu->call, __ATOMIC_ACQUIRE);

	if (!call)
		return;
	__atomic_store_n(&cpu->call, NULL, __ATOMIC_RELEASE);
	call->fn(call->argument);
	__atomic_sub_fetch(&call->pending, 1, __ATOMIC_RELEASE);
}

/* Posts the call to the processor. Its slot may still hold another call, whose caller waits for
 * this processor. */
static void post(struct cpu *to, struct remote_call *call)
{
	struct remote_call *none = NULL;

	while (!__atomic_compare_exchange_n(&to->call, &none, call, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED)) {
		none = NULL;
		remote_serve();
		cpu_relax();
	}
	apic_ipi(to->apic_id, VECTOR_CALL);
}

/* Posts the call to the processor unless it is this one. */
static void call_other(uint32_t cpu, struct remote_call *call)
{
	if (cpu != this_cpu_read(id))
		post(cpus[cpu], call);
}

/* Makes the call here too, if asked to, and waits for the others. */
static void call_finish(struct remote_call *call, bool here)
{
	if (here)
		call->fn(call->argument);
	while (__atomic_load_n(&call->pending, __ATOMIC_ACQUIRE)) {
		remote_serve();
		cpu_relax();
	}
}

void remote_call_mask(const struct cpu_mask *mask, remote_fn *fn, void *argument)
{
	uint64_t flags = irq_save();
	bool here = cpu_mask_has(mask, this_cpu_read(id));
	struct remote_call call = {fn, argument, cpu_mask_count(mask) - here};

	for (uint32_t cpu = cpu_mask_next(mask, 0); cpu != MAX_CPUS;
	     cpu = cpu_mask_next(mask, cpu + 1))
		call_other(cpu, &call);
	call_finish(&call, here);
	irq_restore(flags);
}

void remote_call_all(remote_fn *fn, void *argument)
{
	struct remote_call call = {fn, argument, nr_cpus - 1};
	uint64_t flags = irq_save();

	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		call_other(cpu, &call);
	call_finish(&call, true);
	irq_restore(flags);
}

void remote_call(uint32_t cpu, remote_fn *fn, void *argument)
{
	uint64_t flags = irq_save();
	bool here = cpu == this_cpu_read(id);
	struct remote_call call = {fn, argument, !here};

	call_other(cpu, &call);
	call_finish(&call, here);
	irq_restore(flags);
}

void remote_kick(uint32_t cpu)
{
	uint64_t flags = irq_save();

	apic_ipi(cpus[cpu]->apic_id, VECTOR_RESCHEDULE);
	irq_restore(flags);
}

static void call_interrupt(struct frame *frame)
{
	(void)frame;
	remote_serve();
}

/* Only interrupts: the reason is handled on the return path. */
static void reschedule_interrupt(struct frame *frame)
{
	(void)frame;
}

/* In an NMI, where nothing else would end the processor's wait. */
static void end_if_requested(void)
{
	void (*end)(void) = __atomic_load_n(&ending, __ATOMIC_ACQUIRE);

	if (end)
		end();
	cpu_relax();
}

_Noreturn void remote_end_on_first(void (*end)(void))
{
	if (!this_cpu_read(id))
		end();
	__atomic_store_n(&ending, end, __ATOMIC_RELEASE);
	for (;;)
		halt();
}

static bool stop_nmi(struct frame *frame)
{
	(void)frame;
	while (__atomic_load_n(&stopping, __ATOMIC_RELAXED))
		if (this_cpu_read(id) || !boot_info.back_root)
			halt();
		else
			end_if_requested();
	return false;
}

void remote_stop_others(void)
{
	uint64_t flags = irq_save();

	__atomic_store_n(&stopping, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (cpus[i] != this_cpu())
			apic_nmi(cpus[i]->apic_id);
	irq_restore(flags);
}

void remote_init(void)
{
	irq_register(VECTOR_CALL, call_interrupt);
	irq_register(VECTOR_RESCHEDULE, reschedule_interrupt);
	nmi_register(stop_nmi);
}
