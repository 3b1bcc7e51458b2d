/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that fault or ignore writes, CPUID with missing leaves, short memory: the drivers
 * start with the remaining hardware, and count with it exactly. */
#include "pmu/base/cpu.h"
#include "pmu/hw/hw.h"
#include "pmu/intel/intel.h"
#include "tests/host/fake/fake_kernel.h"
#include "tests/host/pmu/intel_test.h"
#include "pmu/base/hardware.h"

#define ACCESSES_MAX 1000 /* of a start */

static unsigned accesses, bad_access, faults;
static enum fake_access how;

static enum fake_access one_is_bad(uint32_t msr, bool write)
{
	(void)msr;
	if (++accesses != bad_access || (how == FAKE_FORGETS && !write))
		return FAKE_WORKS;
	faults++;
	return how;
}

/* One event alone, since one counter may be all there is. */
static void count_exactly(const struct perf_event_attr *asked)
{
	struct perf_event_attr attr = *asked;
	int fd = open_ok(&attr, -1);

	fake_run(1050, MODEL_USER);
	assert_int_equal(value_of(fd), 1050);
	fake_close(fd);
}

/* Counts, and samples, if the machine can; then it ends. */
static void count_and_end(void)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	if (hardware_pmu) {
		count_exactly(&attr);
		attr.sample_period = 100;
		count_exactly(&attr);
		if (intel_kinds[HW_FIRST].pebs) {
			attr.precise_ip = 1;
			count_exactly(&attr);
		}
	} else {
		assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -ENOENT);
	}
	end();
}

/* Every access of every start, one after the other. */
static void any_may_fail(void **state)
{
	(void)state;
	for (how = FAKE_FAULTS; how <= FAKE_FORGETS; how++)
		for_each_punctual(p, false) {
			bad_access = 0;
			do {
				accesses = 0;
				bad_access++;
				fake_access = one_is_bad;
				fake_boot(p.name);
				fake_access = NULL;
				count_and_end();
			} while (bad_access < accesses);
			assert_in_range(bad_access, 1, ACCESSES_MAX);
		}
	assert_true(faults > 0);
}

static uint32_t gone;

static enum fake_access one_is_gone(uint32_t msr, bool write)
{
	(void)write;
	return msr == gone ? how : FAKE_WORKS;
}

/* Boots a machine that lacks one register. */
static void boot_without(const char *personality, uint32_t msr, enum fake_access access)
{
	gone = msr;
	how = access;
	fake_access = one_is_gone;
	fake_boot(personality);
	fake_access = NULL;
}

static void one_counter_is_gone(void **state)
{
	(void)state;
	for (how = FAKE_FAULTS; how <= FAKE_FORGETS; how++) {
		boot_without("intel-v4", 0xc2, how); /* IA32_PMC1 */
		assert_int_equal(hw_kinds[HW_FIRST].general, 0xfd);
		count_and_end();
		boot_without("intel-v4", 0x30a, how); /* IA32_FIXED_CTR1 */
		assert_int_equal(hw_kinds[HW_FIRST].fixed >> 32, 5);
		count_and_end();
		boot_without("amd-v2", 0xc0010202, how); /* PERF_CTL1 */
		assert_int_equal(hw_kinds[HW_FIRST].general, 0x3d);
		count_and_end();
	}
}

static void global_control_is_gone(void **state)
{
	(void)state;
	boot_without("intel-v2", 0x38f, FAKE_FAULTS);
	assert_null(hardware_pmu);
	assert_non_null(strstr(fake_log, "whose global registers are not there"));
	count_and_end();
}

static void branch_records_are_gone(void **state)
{
	/* intel-v4's LBR_TOS, FROM and TO of the first and last records. */
	static const uint32_t registers[] = {0x1c9, 0x680, 0x6c0, 0x69f, 0x6df};

	(void)state;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		for (how = FAKE_FAULTS; how <= FAKE_FORGETS; how++) {
			boot_without("intel-v4", registers[i], how);
			assert_null(lbr_format);
			count_and_end();
		}
}

/* ---- CPUID ---- */

static struct {
	uint32_t leaf, and, or ;
	unsigned reg;
} change;

static void change_leaf(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == change.leaf)
		regs[change.reg] = (regs[change.reg] & change.and) | change.or ;
}

enum { EAX, EBX, ECX, EDX };

static void boot_changed(const char *personality, uint32_t leaf, unsigned reg, uint32_t and,
			 uint32_t or)
{
	change.leaf = leaf, change.reg = reg, change.and = and, change.or = or ;
	fake_cpuid = change_leaf;
	fake_boot(personality);
}

static void end_changed(void)
{
	count_and_end();
	fake_cpuid = NULL;
}

static bool opens(uint64_t id)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, id);
	int fd = fake_open(&attr, 0, -1, -1, 0);

	if (fd < 0) {
		assert_int_equal(fd, -ENOENT);
		return false;
	}
	fake_close(fd);
	return true;
}

/* Leaf 0AH: EBX names events that are absent; above the length of its vector none is there. */
static void absent_events(void **state)
{
	(void)state;
	boot_changed("intel-v3", 0xa, EBX, ~0u, 1u << 3);
	assert_false(opens(PERF_COUNT_HW_CACHE_REFERENCES));
	assert_true(opens(PERF_COUNT_HW_CACHE_MISSES));
	end_changed();
	boot_changed("intel-v3", 0xa, EAX, 0x00ffffff, 4u << 24);
	assert_true(opens(PERF_COUNT_HW_CACHE_REFERENCES));
	assert_false(opens(PERF_COUNT_HW_CACHE_MISSES));
	assert_false(opens(PERF_COUNT_HW_BRANCH_INSTRUCTIONS));
	end_changed();
}

/* A real processor of versions 2 to 4 may report too few fixed counters: it has three. A
 * hypervisor's number is intended. */
static void fixed_counters(void **state)
{
	(void)state;
	boot_changed("intel-v4", 0xa, EDX, ~0x1fu, 1);
	assert_int_equal(hw_kinds[HW_FIRST].fixed >> 32, cpuid(1, 0).ecx >> 31 ? 1 : 7);
	end_changed();
	boot_changed("intel-v5", 0xa, ECX, 0, 8); /* in place of the number */
	assert_true(hw_kinds[HW_FIRST].fixed >> 32 & 8);
	end_changed();
}

/* PEBS needs each of these. */
static void no_precise(void **state)
{
	static const struct {
		uint32_t leaf, bit;
		unsigned reg;
	} needs[] = {{1, 21, EDX}, {1, 2, ECX}, {1, 15, ECX}};

	(void)state;
	fake_boot("intel-v5");
	assert_true(intel_kinds[HW_FIRST].pebs != 0);
	end();
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		boot_changed("intel-v5", needs[i].leaf, needs[i].reg, ~(1u << needs[i].bit), 0);
		assert_true(hardware_pmu && !intel_kinds[HW_FIRST].pebs);
		end_changed();
	}
}

/* Architectural records need every filter, and a depth. */
static void no_branches(void **state)
{
	(void)state;
	fake_boot("intel-v5");
	assert_non_null(lbr_format);
	end();
	boot_changed("intel-v5", 0x1c, EBX, ~4u, 0);
	assert_null(lbr_format);
	end_changed();
	boot_changed("intel-v5", 0x1c, EAX, ~0xffu, 0);
	assert_null(lbr_format);
	end_changed();
	boot_changed("amd-v2", 0x80000022, EAX, ~2u, 0);
	assert_null(lbr_format);
	end_changed();
}

/* ---- memory ---- */

/* Without memory for the debug store nothing is precise. */
static void short_memory(void **state)
{
	(void)state;
	fake_fails_after =
	    4; /* the processor's own, and the table and the first of call chains, come first */
	fake_boot("intel-v5");
	assert_int_equal(intel_kinds[HW_FIRST].pebs, 0);
	assert_non_null(strstr(fake_log, "no memory for the debug store"));
	count_and_end();
}

/* Leaf 0AH: widths that no counter has, and ones that the model's counters of 48 bits do not have.
 * Fixed ones are not used then, and without general ones there is no PMU. */
static void impossible_widths(void **state)
{
	static const uint8_t widths[] = {0, 1, 8, 16, 31, 32, 40, 47, 49, 62, 63, 64, 65, 127, 255};

	(void)state;
	for (unsigned i = 0; i < sizeof(widths); i++) {
		boot_changed("intel-v4", 0xa, EDX, ~(0xffu << 5), (uint32_t)widths[i] << 5);
		assert_non_null(hardware_pmu);
		assert_non_null(strstr(fake_log, "announces fixed counters"));
		end_changed();
		boot_changed("intel-v4", 0xa, EAX, ~(0xffu << 16), (uint32_t)widths[i] << 16);
		assert_null(hardware_pmu);
		assert_non_null(strstr(fake_log, "announces general counters"));
		end_changed();
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_may_fail),
    cmocka_unit_test(one_counter_is_gone),
    cmocka_unit_test(global_control_is_gone),
    cmocka_unit_test(branch_records_are_gone),
    cmocka_unit_test(absent_events),
    cmocka_unit_test(fixed_counters),
    cmocka_unit_test(no_precise),
    cmocka_unit_test(no_branches),
    cmocka_unit_test(short_memory),
    cmocka_unit_test(impossible_widths),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
