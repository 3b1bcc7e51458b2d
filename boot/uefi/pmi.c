/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter of cycles while the firmware runs, whose PMI is an NMI: nothing that the firmware masks
 * delays it. Intel SDM volume 3, 20.2 (architectural events), 11.5.1 (local vector table), 6.10
 * (IDT); AMD APM volume 2, 13.2 (PERF_CTL), and event 76H.
 */
#include <cpuid.h>

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "boot/uefi/sampling.h"

#define INTEL_CYCLES   0x3c
#define AMD_CYCLES     0x76
#define NMI_VECTOR     2
#define GATE_INTERRUPT 0x8e /* present, of 64 bits */
#define APIC_SPURIOUS  0xf0
#define APIC_COUNTERS  0x340
#define APIC_ENABLED   0x100
#define DELIVER_NMI    0x400
#define BASE_X2        0x400
#define BASE_ENABLED   0x800
#define AMD_V2_LEAF    0x80000022

struct gate {
	UINT16 offset0, selector;
	UINT8 stack, type;
	UINT16 offset16;
	UINT32 offset32, zero;
};

/* A vendor's first counter. global: the register that starts it, 0: there is none. */
struct counter {
	UINT32 select, count, global, status, clear;
	UINT64 event;
};

static const struct counter intel = {MSR_PERFEVTSEL0,          MSR_PMC0,
				     MSR_PERF_GLOBAL_CTRL,     MSR_PERF_GLOBAL_STATUS,
				     MSR_PERF_GLOBAL_OVF_CTRL, INTEL_CYCLES};
static const struct counter amd = {
    .select = MSR_K7_EVTSEL0, .count = MSR_K7_PERFCTR0, .event = AMD_CYCLES};
static const struct counter amd_2 = {MSR_K7_EVTSEL0,
				     MSR_K7_PERFCTR0,
				     MSR_AMD_PERF_GLOBAL_CTL,
				     MSR_AMD_PERF_GLOBAL_STATUS,
				     MSR_AMD_PERF_GLOBAL_STATUS_CLEAR,
				     AMD_CYCLES};

static struct {
	const struct counter *counter;
	struct samples *samples;
	UINT64 period, apic;
	struct gate *gate, before;
	UINT32 spurious, counters; /* of the APIC, before */
	UINT64 global;
} sampling;

/* Returns the vendor's counter, or NULL: the processor has none that can interrupt. */
static const struct counter *find_counter(void)
{
	UINT32 a, b, c, d, top;

	__cpuid(0, top, b, c, d);
	if (b == 0x756e6547) { /* Genu */
		if (top < 0xa)
			return NULL;
		__cpuid(0xa, a, b, c, d);
		return (a & 0xff) >= 2 && (a >> 8 & 0xff) && !(b & 1) ? &intel : NULL;
	}
	if (b != 0x68747541 && b != 0x6f677948) /* Auth, Hygo */
		return NULL;
	__cpuid(0x80000000, top, b, c, d);
	if (top < AMD_V2_LEAF)
		return &amd;
	__cpuid(AMD_V2_LEAF, a, b, c, d);
	return a & 1 ? &amd_2 : &amd;
}

/* ---- the APIC ---- */

static UINT32 apic_get(UINT32 reg)
{
	if (sampling.apic & BASE_X2)
		return (UINT32)rdmsr(MSR_X2APIC_FIRST + reg / 16);
	return *(volatile UINT32 *)((sampling.apic & ~0xfffull) + reg);
}

static void apic_set(UINT32 reg, UINT32 value)
{
	if (sampling.apic & BASE_X2)
		wrmsr(MSR_X2APIC_FIRST + reg / 16, value);
	else
		*(volatile UINT32 *)((sampling.apic & ~0xfffull) + reg) = value;
}

/* ---- the IDT ---- */

static UINT64 gate_address(const struct gate *gate)
{
	return gate->offset0 | (UINT64)gate->offset16 << 16 | (UINT64)gate->offset32 << 32;
}

/* Firmware may protect its IDT from writes. */
static void set_gate(struct gate value)
{
	UINT64 cr0 = read_cr0();

	write_cr0(cr0 & ~CR0_WP);
	*sampling.gate = value;
	write_cr0(cr0);
}

static const char *take_gate(void)
{
	struct idt_register idt;
	UINT64 entry = (UINT64)uefi_pmi_entry;

	uefi_store_idt(&idt);
	if (idt.limit < (NMI_VECTOR + 1) * sizeof(struct gate) - 1)
		return "the firmware's IDT has no entry for the NMI";
	sampling.gate = (struct gate *)idt.base + NMI_VECTOR;
	sampling.before = *sampling.gate;
	uefi_pmi_old = gate_address(sampling.gate);
	set_gate((struct gate){.offset0 = (UINT16)entry,
			       .selector = sampling.before.selector,
			       .type = GATE_INTERRUPT,
			       .offset16 = (UINT16)(entry >> 16),
			       .offset32 = (UINT32)(entry >> 32)});
	return NULL;
}

/* ---- the counter ---- */

/* Intel's takes 32 bits, of which the highest is extended. */
static void load_counter(void)
{
	wrmsr(sampling.counter->count, (UINT64)-sampling.period & 0xffffffffffff);
}

static BOOLEAN overflowed(void)
{
	const struct counter *c = sampling.counter;

	return c->status ? rdmsr(c->status) & 1 : !(rdmsr(c->count) >> 47 & 1);
}

static void start_counter(void)
{
	const struct counter *c = sampling.counter;

	sampling.global = c->global ? rdmsr(c->global) : 0;
	wrmsr(c->select, 0);
	load_counter();
	wrmsr(c->select, c->event | EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_ENABLE);
	if (c->global)
		wrmsr(c->global, sampling.global | 1);
}

static void stop_counter(void)
{
	const struct counter *c = sampling.counter;

	wrmsr(c->select, 0);
	if (c->global)
		wrmsr(c->global, sampling.global);
	if (c->clear)
		wrmsr(c->clear, 1);
}

__attribute__((sysv_abi, target("general-regs-only"))) UINT64 uefi_pmi_take(UINT64 rip)
{
	struct samples *s = sampling.samples;

	if (!overflowed()) {
		s->others++;
		return 0;
	}
	if (s->nr < SAMPLES_MAX)
		s->address[s->nr++] = rip;
	else
		s->lost++;
	load_counter();
	if (sampling.counter->clear)
		wrmsr(sampling.counter->clear, 1);
	apic_set(APIC_COUNTERS, DELIVER_NMI); /* the delivery has masked it */
	return 1;
}

const char *sampling_start(struct samples *samples, UINT64 period)
{
	const char *wrong;

	sampling.counter = find_counter();
	sampling.samples = samples;
	sampling.period = period;
	sampling.apic = rdmsr(MSR_APIC_BASE) & ((1ull << 52) - 1);
	samples->nr = samples->lost = samples->others = 0;
	if (!sampling.counter)
		return "the processor has no performance counter that interrupts";
	if (!(sampling.apic & BASE_ENABLED))
		return "the firmware has switched the local APIC off";
	wrong = take_gate();
	if (wrong)
		return wrong;
	sampling.spurious = apic_get(APIC_SPURIOUS);
	sampling.counters = apic_get(APIC_COUNTERS);
	apic_set(APIC_SPURIOUS, sampling.spurious | APIC_ENABLED);
	apic_set(APIC_COUNTERS, DELIVER_NMI);
	start_counter();
	return NULL;
}

void sampling_stop(void)
{
	stop_counter();
	apic_set(APIC_COUNTERS, sampling.counters);
	apic_set(APIC_SPURIOUS, sampling.spurious);
	set_gate(sampling.before);
}
