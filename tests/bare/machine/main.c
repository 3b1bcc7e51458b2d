/* SPDX-License-Identifier: BSD-2-Clause */
/* The test guest: what the machine is, then the tests that apply to it. */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"
#include "abi/pvh.h"

#define LEAF_PERFMON      0xa
#define LEAF_FLAGS        0x40000001
#define LEAF_NAME         0x40000002
#define FLAG_EXACT        2u
#define FLAG_STEPPED      4u
#define PERF_CAPABILITIES 0x345
#define CPUID_ARCH_LBR    (1u << 19) /* leaf 7, EDX */
#define CAP_FULL_WIDTH    (1u << 13)
#define CPUID_PDCM        (1u << 15)
#define CPUID_HYBRID      (1u << 15) /* leaf 7 EDX */

/* Golden Cove's; leaf 0AH of a hybrid machine has the counters that cores of both kinds have. */
#define PERFORMANCE_GENERAL 8
#define PERFORMANCE_FIXED   4

struct machine machine;

void guest_main(const struct pvh_start_info *start);

static void learn_tsc(void)
{
	uint32_t ticks = (tsc_distance(600) - tsc_distance(88)) / 1024;

	while (1u << machine.shift < ticks)
		machine.shift++;
}

static void learn(void)
{
	uint32_t regs[4];
	uint64_t capabilities = 0;

	cpuid_words(0, 0, regs);
	machine.amd = !memcmp(&regs[1], "Auth", 4);
	cpuid_words(LEAF_NAME, 0, regs);
	memcpy(machine.personality, regs, sizeof(regs));
	cpuid_words(LEAF_FLAGS, 0, regs);
	machine.exact = regs[0] & FLAG_EXACT;
	machine.stepped = regs[0] & FLAG_STEPPED;
	cpuid_words(LEAF_PERFMON, 0, regs);
	machine.version = regs[0] & 0xff;
	machine.general = regs[0] >> 8 & 0xff;
	machine.width = regs[0] >> 16 & 0xff;
	machine.fixed = machine.version >= 2 ? regs[3] & 0x1f : 0;
	cpuid_words(7, 0, regs);
	machine.arch_lbr = regs[3] & CPUID_ARCH_LBR;
	machine.own_general = regs[3] & CPUID_HYBRID ? PERFORMANCE_GENERAL : machine.general;
	machine.own_fixed = regs[3] & CPUID_HYBRID ? PERFORMANCE_FIXED : machine.fixed;
	cpuid_words(1, 0, regs);
	if (regs[2] & CPUID_PDCM)
		capabilities = rdmsr(PERF_CAPABILITIES);
	machine.pebs = regs[3] >> 21 & 1; /* the debug store, which here is for PEBS only */
	machine.full_width = capabilities & CAP_FULL_WIDTH;
	machine.pebs_format = capabilities >> 8 & 0xf;
	machine.lbr_format = capabilities & 0x3f;
	learn_tsc();
}

void guest_main(const struct pvh_start_info *start)
{
	const char *cmdline = (const char *)start->command_line;

	traps_setup();
	learn();
	tap_print("# pmu %s, version %u, %u + %u counters, TSC shift %u%s\n", machine.personality,
		  machine.version, machine.general, machine.fixed, machine.shift,
		  machine.stepped ? ", exact" : "");
	ok(start->magic == PVH_MAGIC && start->nr_modules == 1, "started by PVH with an initrd");
	is(start->modules ? ((const struct pvh_module *)start->modules)->base % 4096 : 1, 0,
	   "the initrd begins on a page");
	if (has_word(cmdline, "idle")) {
		test_idle();
		done();
	}
	if (has_word(cmdline, "processors=4")) {
		test_processors(4, has_word(cmdline, "x2apic"));
		done();
	}
	test_cpuid();
	test_registers();
	if (has_word(cmdline, "storm"))
		test_storm(has_word(cmdline, "x2apic"));
	test_time();
	test_machine();
	if (machine.version >= 2) {
		test_counting();
		test_sampling();
		test_versions();
		test_special();
		test_stress();
	}
	if (machine.amd) {
		test_amd();
		test_ibs();
	}
	if (machine.pebs) {
		test_pebs();
		test_pebs_counters();
	}
	if (!machine.amd)
		test_trace();
	test_store();
	if (machine.version >= 2 && machine.stepped)
		test_exact();
	test_x2apic(has_word(cmdline, "x2apic"));
	done();
}
