/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC's frequency on simulated machines: every source, slow timers, stalls of the host, and the
 * scale to nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The simulated machine's instructions, in place of the ones that other host tests have. */
static uint8_t inb(uint16_t port);
static uint32_t inl(uint16_t port);
static void outb(uint16_t port, uint8_t value);

#include "arch/x86/apic/tsc.c"

#define PM_PORT    0x608
#define MAX_LEAVES 8

struct acpi_info acpi_info;
struct boot_info boot_info;

static struct {
	double mhz;
	uint64_t tsc;
	uint64_t instruction, port_read; /* ticks that RDTSC and a port access take */
	uint64_t stall_at, stall;        /* at this TSC the host pauses for `stall` ticks */
	uint32_t pm_offset;
	uint64_t pit_start;
	uint32_t pit_count, pit_bytes;
	struct {
		uint32_t leaf;
		struct cpuid_regs regs;
	} leaves[MAX_LEAVES];
	unsigned nr_leaves;
} machine;

static void pass(uint64_t ticks)
{
	machine.tsc += ticks;
	if (machine.stall && machine.tsc >= machine.stall_at) {
		machine.tsc += machine.stall;
		machine.stall = 0;
	}
}

uint64_t rdtsc(void)
{
	pass(machine.instruction);
	return machine.tsc;
}

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	const struct cpuid_regs none = {0};

	(void)subleaf;
	for (unsigned i = 0; i < machine.nr_leaves; i++)
		if (machine.leaves[i].leaf == leaf)
			return machine.leaves[i].regs;
	return none;
}

static void add_leaf(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx)
{
	assert_true(machine.nr_leaves < MAX_LEAVES);
	machine.leaves[machine.nr_leaves].leaf = leaf;
	machine.leaves[machine.nr_leaves++].regs = (struct cpuid_regs){eax, ebx, ecx, 0};
}

static double seconds(uint64_t ticks)
{
	return (double)ticks / (machine.mhz * 1e6);
}

static uint32_t inl(uint16_t port)
{
	assert_int_equal(port, PM_PORT);
	pass(machine.port_read);
	return machine.pm_offset + (uint32_t)(seconds(machine.tsc) * 3579545.0);
}

static void outb(uint16_t port, uint8_t value)
{
	pass(machine.port_read);
	if (port == 0x42) {
		machine.pit_count |= (uint32_t)value << 8 * machine.pit_bytes++;
		machine.pit_start = machine.tsc;
	}
}

static uint8_t inb(uint16_t port)
{
	bool out = machine.pit_bytes == 2 &&
		   seconds(machine.tsc - machine.pit_start) * 1193182.0 >= machine.pit_count;

	assert_int_equal(port, 0x61);
	pass(machine.port_read);
	return out ? 0x20 : 0;
}

/* A machine with a PM timer and no CPUID leaf with the frequency. */
static void new_machine(double mhz)
{
	memset(&machine, 0, sizeof(machine));
	machine.mhz = mhz;
	machine.tsc = 123456789;
	machine.instruction = 5;
	machine.port_read = 5;
	acpi_info.pm_timer = PM_PORT;
	boot_info.entry_tsc = machine.tsc;
}

static void hypervisor_is_asked_first(void **state)
{
	(void)state;
	new_machine(1000);
	add_leaf(0, 0x16, 0, 0);
	add_leaf(1, 0, 0, 1u << 31);
	add_leaf(0x15, 2, 250, 24000000);
	add_leaf(0x40000000, 0x40000010, 0, 0);
	add_leaf(0x40000010, 1234567, 0, 0);
	tsc_init();
	assert_int_equal(tsc_clock.khz, 1234567);
	assert_string_equal(tsc_clock.source, "CPUID 40000010H");
}

static void crystal(void **state)
{
	(void)state;
	new_machine(3000);
	add_leaf(0, 0x16, 0, 0);
	add_leaf(0x15, 2, 250, 24000000);
	tsc_init();
	assert_int_equal(tsc_clock.khz, 3000000);
	assert_string_equal(tsc_clock.source, "CPUID 15H");
}

static void base_frequency_stands_in_for_the_crystal(void **state)
{
	(void)state;
	new_machine(2600);
	add_leaf(0, 0x16, 0, 0);
	add_leaf(0x15, 2, 216, 0);
	add_leaf(0x16, 2600, 0, 0);
	tsc_init();
	assert_int_equal(tsc_clock.khz, 2600000);
}

static void pm_timer(void **state)
{
	static const double clocks[] = {133, 800, 1000, 2000, 2496, 2500, 3600, 5100};
	static const double read_ns[] = {5, 300, 1000};

	(void)state;
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		for (unsigned j = 0; j < sizeof(read_ns) / sizeof(read_ns[0]); j++) {
			uint64_t start;

			new_machine(clocks[i]);
			machine.port_read = (uint64_t)(read_ns[j] * clocks[i] / 1000) + 1;
			machine.pm_offset =
			    0xffffff80 - (uint32_t)(seconds(machine.tsc) * 3579545.0); /* wraps */
			start = machine.tsc;
			tsc_init();
			assert_string_equal(tsc_clock.source, "ACPI timer");
			/* Readings of a microsecond in a window of one millisecond: one in a
			 * thousand. */
			if (read_ns[j] < 100)
				assert_int_equal(tsc_clock.khz, (uint64_t)clocks[i] * 1000);
			else
				assert_in_range(tsc_clock.khz, (uint64_t)(clocks[i] * 999),
						(uint64_t)(clocks[i] * 1001));
			assert_true(seconds(machine.tsc - start) < 0.00101);
		}
	}
}

/* Wherever the host takes its break, the figure stays right. */
static void stalls(void **state)
{
	(void)state;
	for (unsigned at = 0; at < 1000; at++) {
		new_machine(2500);
		machine.port_read = 1500;
		machine.stall_at = machine.tsc + at * 3000;
		machine.stall = 500000; /* 0.2 ms */
		tsc_init();
		assert_in_range(tsc_clock.khz, 2495000, 2505000);
	}
}

static void odd_frequencies_are_not_rounded(void **state)
{
	(void)state;
	new_machine(133.333);
	tsc_init();
	assert_in_range(tsc_clock.khz, 133300, 133366);
	assert_int_not_equal(tsc_clock.khz % 1000, 0);
}

static void pit(void **state)
{
	uint64_t start;

	(void)state;
	new_machine(2000);
	acpi_info.pm_timer = 0;
	start = machine.tsc;
	tsc_init();
	assert_string_equal(tsc_clock.source, "PIT");
	assert_int_equal(tsc_clock.khz, 2000000);
	assert_true(seconds(machine.tsc - start) < 0.001);
}

static void nanoseconds(void **state)
{
	static const uint64_t exact[] = {1000000, 2000000, 500000, 250000};

	(void)state;
	for (unsigned i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		set_scale(exact[i]);
		assert_true(tsc_clock.shift < 32);
		for (uint64_t ticks = 0; ticks < 1ul << 50; ticks = ticks * 3 + 1)
			assert_int_equal(scale(ticks),
					 (uint64_t)((unsigned __int128)ticks * 1000000 / exact[i]));
	}
	/* Others within two nanoseconds a second. */
	for (uint64_t khz = 50000; khz < 6000000; khz += 7919) {
		uint64_t ns;

		set_scale(khz);
		ns = scale(khz * 1000);
		assert_in_range(ns, 999999998, 1000000002);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hypervisor_is_asked_first),
	    cmocka_unit_test(crystal),
	    cmocka_unit_test(base_frequency_stands_in_for_the_crystal),
	    cmocka_unit_test(pm_timer),
	    cmocka_unit_test(stalls),
	    cmocka_unit_test(odd_frequencies_are_not_rounded),
	    cmocka_unit_test(pit),
	    cmocka_unit_test(nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
