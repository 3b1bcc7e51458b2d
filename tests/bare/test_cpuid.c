/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID under the visor. */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define CR4_OSXSAVE (1ull << 18)

/* Leaf 0AH of each personality: version, general and fixed counters, width. */
static const struct {
	const char *name;
	unsigned version, general, fixed, width;
} personalities[] = {
    {"none", 0, 0, 0, 0},
    {"core-duo", 1, 2, 0, 40},
    {"core2", 2, 2, 3, 40},
    {"nehalem", 3, 4, 3, 48},
    {"skylake", 4, 8, 3, 48},
    {"sapphire-rapids", 5, 8, 4, 48},
    {"k10", 0, 0, 0, 0},
    {"zen2", 0, 0, 0, 0},
    {"zen4", 0, 0, 0, 0},
    {"alder-lake", 5, 6, 3, 48},
    {"granite-rapids", 5, 8, 4, 48},
    {"sandy-bridge", 3, 8, 3, 48},
    {"haswell", 3, 8, 3, 48},
    {"ice-lake", 5, 8, 4, 48},
    {"lunar-lake", 6, 8, 3, 48},
    {"gracemont", 5, 6, 3, 48},
    {"zen3", 0, 0, 0, 0},
    {"zen5", 0, 0, 0, 0},
};

static void personality_leaf(void)
{
	for (unsigned i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++) {
		if (!has_word(machine.personality, personalities[i].name))
			continue;
		is(machine.version, personalities[i].version, "leaf 0AH: version");
		is(machine.general, personalities[i].general, "leaf 0AH: general counters");
		is(machine.fixed, personalities[i].fixed, "leaf 0AH: fixed counters");
		is(machine.width, personalities[i].width, "leaf 0AH: width");
		return;
	}
	ok(false, "the personality \"%s\" is a known one", machine.personality);
}

static bool is_vendor(const uint32_t regs[4], const char name[12])
{
	return !memcmp(&regs[1], name, 4) && !memcmp(&regs[3], name + 4, 4) &&
	       !memcmp(&regs[2], name + 8, 4);
}

void test_cpuid(void)
{
	uint32_t regs[4];

	cpuid_words(0x40000000, 0, regs);
	ok(!memcmp(&regs[1], "barepmuVISOR", 12), "leaf 40000000H: signature");
	ok(regs[0] >= 0x40000010, "leaf 40000000H: the highest leaf");
	cpuid_words(0x40000001, 0, regs);
	ok(regs[0] & 1, "leaf 40000001H: the PMU is emulated");
	cpuid_words(0x40000010, 0, regs);
	is(regs[0], 1000000, "leaf 40000010H: the TSC runs at 1 GHz");
	is(regs[1], 1000000, "leaf 40000010H: so does the APIC's timer");
	cpuid_words(1, 0, regs);
	ok(regs[2] >> 31, "leaf 1: there is a hypervisor");
	is(regs[2] >> 27 & 1, 0, "leaf 1: OSXSAVE is the guest's");
	write_cr4(read_cr4() | CR4_OSXSAVE);
	cpuid_words(1, 0, regs);
	is(regs[2] >> 27 & 1, 1, "leaf 1: OSXSAVE follows CR4");
	cpuid_words(0, 0, regs);
	ok(is_vendor(regs, machine.amd ? "AuthenticAMD" : "GenuineIntel"), "leaf 0: the vendor");
	is(in_user(prefixed_cpuid, 0), regs[2], "leaf 0: from ring 3, and with prefixes");
	cpuid_words(0x80000001, 0, regs);
	is(regs[2] >> 2 & 1, 0, "leaf 80000001H: no SVM");
	cpuid_words(1, 0, regs);
	ok(!(regs[2] >> 13 & 1) || !(cpu_flags_of_cmpxchg16b() & 1),
	   "leaf 1: CMPXCHG16B is not offered where it leaves wrong flags");
	personality_leaf();
}
