/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the TSC's frequency: as reported by the hypervisor or the processor, else measured
 * against a timer of known frequency. Intel SDM volume 3, "Time-Stamp Counter"; ACPI 6.4, section
 * 4.8.3.3 (PM timer); 8254 data sheet (PIT).
 */
#include <stddef.h>
#include "abi/boot_info.h"
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"

#define PM_TIMER_HZ   3579545ull
#define PM_TIMER_MASK 0xffffffu /* the counter may have only 24 bits */
#define PM_SHORT      896  /* a quarter of a millisecond: enough when a reading takes no time */
#define PM_LONG       3400 /* below one millisecond: the longest window */
#define PM_PRECISION  4000 /* a window is long enough at this many times its uncertainty */

#define EDGES      5      /* of which the one counts that was seen most exactly */
#define EDGE_POLLS 100000 /* a timer that does not move in so many readings is dead */

#define PIT_HZ       1193182ull
#define PIT_COUNT    1100 /* below one millisecond */
#define PIT_CHANNEL2 0x42
#define PIT_COMMAND  0x43
#define PIT_MODE0    0xb0 /* channel 2, both bytes, interrupt on terminal count */
#define PIT_GATE     0x61
#define PIT_GATE_ON  0x01
#define PIT_SPEAKER  0x02
#define PIT_OUT      0x20
#define PIT_POLLS    10000000
#define UNKNOWN_KHZ  1000000 /* a machine without any of these clocks: times are in ticks */

struct tsc_clock tsc_clock;

static uint64_t khz_hypervisor(void)
{
	return cpuid_hypervisor_leaf(HYPERVISOR_CLOCK_LEAF) ? cpuid_read(CPUID_HV_TSC_KHZ) : 0;
}

static uint64_t khz_cpuid(void)
{
	uint64_t numerator = cpuid_read(CPUID_TSC_NUMERATOR),
		 denominator = cpuid_read(CPUID_TSC_DENOMINATOR);
	uint64_t crystal = cpuid_read(CPUID_CRYSTAL_HZ);

	if (!numerator || !denominator)
		return 0;
	/* Without a reported crystal frequency the TSC runs at the base frequency. */
	return crystal ? crystal * numerator / denominator / 1000
		       : 1000ull * cpuid_read(CPUID_BASE_MHZ);
}

bool tsc_find_edge(uint32_t (*read)(void), struct tsc_edge *edge)
{
	uint32_t last = read();
	uint64_t before = rdtsc();
	unsigned found = 0;

	*edge = (struct tsc_edge){.uncertainty = UINT64_MAX};
	for (unsigned i = 0; i < EDGE_POLLS && found < EDGES; i++) {
		uint32_t value = read();
		uint64_t after = rdtsc();

		found += value != last;
		if (value != last && after - before < edge->uncertainty)
			*edge =
			    (struct tsc_edge){value, before + (after - before) / 2, after - before};
		last = value;
		before = after;
	}
	return found != 0;
}

static uint32_t read_pm_timer(void)
{
	return inl(acpi_info.pm_timer) & PM_TIMER_MASK;
}

static uint64_t khz_pm_timer(void)
{
	struct tsc_edge start, end;
	uint64_t ticks, elapsed;

	if (!acpi_info.pm_timer || !tsc_find_edge(read_pm_timer, &start))
		return 0;
	do {
		if (!tsc_find_edge(read_pm_timer, &end))
			return 0;
		ticks = (end.value - start.value) & PM_TIMER_MASK;
		elapsed = end.tsc - start.tsc;
	} while (
	    ticks < PM_SHORT ||
	    (ticks < PM_LONG && elapsed < PM_PRECISION * (start.uncertainty + end.uncertainty)));
	return elapsed * PM_TIMER_HZ / (ticks * 1000);
}

static uint64_t khz_pit(void)
{
	uint8_t gate = inb(PIT_GATE);
	uint64_t start, end;
	unsigned polls = 0;

	outb(PIT_GATE, (gate & ~PIT_SPEAKER) | PIT_GATE_ON);
	outb(PIT_COMMAND, PIT_MODE0);
	outb(PIT_CHANNEL2, PIT_COUNT & 0xff);
	outb(PIT_CHANNEL2, PIT_COUNT >> 8);
	start = rdtsc();
	while (!(inb(PIT_GATE) & PIT_OUT) && polls < PIT_POLLS)
		polls++;
	end = rdtsc();
	outb(PIT_GATE, gate);
	return polls && polls < PIT_POLLS ? (end - start) * PIT_HZ / (PIT_COUNT * 1000ull) : 0;
}

/* Crystals are made in whole MHz: a measurement within 0.1% of one is rounded to it. */
static uint64_t round_to_mhz(uint64_t khz)
{
	uint64_t rounded = (khz + 500) / 1000 * 1000;
	uint64_t distance = rounded > khz ? rounded - khz : khz - rounded;

	return distance * 1000 <= khz ? rounded : khz;
}

/* Sets the largest shift below 32 whose multiplier fits 32 bits: exact if the TSC's period is a
 * whole number of nanoseconds. */
static void set_scale(uint64_t khz)
{
	uint32_t shift = 31;

	while (((1000000ull << shift) + khz / 2) / khz > UINT32_MAX)
		shift--;
	tsc_clock.mult = (uint32_t)(((1000000ull << shift) + khz / 2) / khz);
	tsc_clock.shift = shift;
}

static uint64_t scale(uint64_t tsc)
{
	return (uint64_t)((unsigned __int128)tsc * tsc_clock.mult >> tsc_clock.shift);
}

void tsc_init(void)
{
	static const struct {
		const char *name;
		uint64_t (*khz)(void);
		bool measured;
	} sources[] = {
	    {"CPUID 40000010H", khz_hypervisor, false},
	    {"CPUID 15H", khz_cpuid, false},
	    {"ACPI timer", khz_pm_timer, true},
	    {"PIT", khz_pit, true},
	};

	tsc_clock.khz = UNKNOWN_KHZ;
	tsc_clock.source = "unknown";
	for (unsigned i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		uint64_t khz = sources[i].khz();

		if (khz) {
			tsc_clock.khz = sources[i].measured ? round_to_mhz(khz) : khz;
			tsc_clock.source = sources[i].name;
			break;
		}
	}
	tsc_clock.base = boot_info.entry_tsc;
	set_scale(tsc_clock.khz);
	tsc_clock.zero = scale(tsc_clock.base);
}

uint64_t tsc_to_ns(uint64_t tsc)
{
	return scale(tsc) - tsc_clock.zero;
}

uint64_t clock_ns(void)
{
	return tsc_to_ns(rdtsc());
}
