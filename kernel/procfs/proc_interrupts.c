/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/interrupts: each processor's interrupts, by kind, with Linux's names. */
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/proc.h"

static uint64_t by_vector(const struct cpu *cpu, uint8_t vector)
{
	return cpu->interrupts[vector % COUNTED_VECTORS];
}

static uint64_t nmis(const struct cpu *cpu)
{
	return cpu->nmis;
}

static uint64_t timer(const struct cpu *cpu)
{
	return by_vector(cpu, VECTOR_TIMER);
}

static uint64_t spurious(const struct cpu *cpu)
{
	return by_vector(cpu, VECTOR_SPURIOUS);
}

static uint64_t pmis(const struct cpu *cpu)
{
	return cpu->nmis - cpu->nmis_unclaimed;
}

static uint64_t works(const struct cpu *cpu)
{
	return by_vector(cpu, VECTOR_IRQ_WORK);
}

static uint64_t reschedules(const struct cpu *cpu)
{
	return by_vector(cpu, VECTOR_RESCHEDULE);
}

/* Interrupts for remote calls, TLB flushes included; some calls are served before their interrupt
 * arrives. */
static uint64_t calls(const struct cpu *cpu)
{
	return by_vector(cpu, VECTOR_CALL);
}

static uint64_t flushes(const struct cpu *cpu)
{
	return cpu->tlb_flushes;
}

static const struct {
	const char *name, *text;
	uint64_t (*count)(const struct cpu *cpu);
} rows[] = {
    {"NMI", "Non-maskable interrupts", nmis},   {"LOC", "Local timer interrupts", timer},
    {"SPU", "Spurious interrupts", spurious},   {"PMI", "Performance monitoring interrupts", pmis},
    {"IWI", "IRQ work interrupts", works},      {"RES", "Rescheduling interrupts", reschedules},
    {"CAL", "Function call interrupts", calls}, {"TLB", "TLB shootdowns", flushes},
};

static void make_interrupts(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "           ");
	for (uint32_t i = 0; i < nr_cpus; i++)
		text_print(out, "CPU%u%s", i, i < 10 ? "       " : "      ");
	text_print(out, "\n");
	for (unsigned row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		text_print(out, "%s: ", rows[row].name);
		for (uint32_t i = 0; i < nr_cpus; i++)
			text_print(out, "%10lu ", rows[row].count(cpus[i]));
		text_print(out, "  %s\n", rows[row].text);
	}
}

static const struct synthetic interrupts = {.path = "/proc/interrupts", .make = make_interrupts};

void proc_interrupts_init(void)
{
	synthetic_add(&interrupts);
}
