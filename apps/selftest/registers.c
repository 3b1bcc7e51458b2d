/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU's registers, by CPUID and /dev/cpu/N/msr: Intel SDM volume 3, "Performance Monitoring";
 * AMD APM volume 2, section 13.2. */
#define _GNU_SOURCE
#include "apps/selftest/selftest.h"

#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum {
	MSR_DEBUGCTL = 0x1d9,
	MSR_PMC = 0xc1,
	MSR_FULL_PMC = 0x4c1,
	MSR_FIXED = 0x309,
	MSR_AMD_LEGACY = (int)0xc0010004,
	MSR_AMD_CORE = (int)0xc0010201
};

#define FULL_WRITES   (1ull << 13) /* of PERF_CAPABILITIES */
#define FREEZE_ON_PMI (1ull << 12) /* of DEBUGCTL */

#define LEAF_PERFMON   0x0a
#define LEAF_AMD_EXTRA 0x80000001u
#define LEAF_AMD_V2    0x80000022u
#define AMD_CORE_EXTRA (1u << 23) /* ECX */
#define AMD_BITS       48
#define AMD_LEGACY_NR  4
#define AMD_CORE_NR    6

static int open_msrs(int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", sched_getcpu());
	return open(path, flags | O_CLOEXEC);
}

bool msr_get(uint32_t msr, uint64_t *value)
{
	int file = open_msrs(O_RDONLY);
	bool good = file >= 0 && pread(file, value, sizeof(*value), msr) == sizeof(*value);

	if (file >= 0)
		close(file);
	return good;
}

bool msr_set(uint32_t msr, uint64_t value)
{
	int file = open_msrs(O_WRONLY);
	bool good = file >= 0 && pwrite(file, &value, sizeof(value), msr) == sizeof(value);

	if (file >= 0)
		close(file);
	return good;
}

static bool query_intel(struct pmu *pmu)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(LEAF_PERFMON, 0, &a, &b, &c, &d) || !(a & 0xff))
		return false;
	pmu->version = a & 0xff;
	pmu->general = a >> 8 & 0xff;
	pmu->general_bits = a >> 16 & 0xff;
	if (pmu->version > 1) {
		pmu->fixed = d & 0x1f;
		pmu->fixed_bits = d >> 5 & 0xff;
	}
	return true;
}

static bool query_amd(struct pmu *pmu)
{
	unsigned a, b, c = 0, d;

	__get_cpuid(LEAF_AMD_EXTRA, &a, &b, &c, &d);
	pmu->amd = true;
	pmu->core_counters = c & AMD_CORE_EXTRA;
	pmu->version = 1;
	pmu->general = pmu->core_counters ? AMD_CORE_NR : AMD_LEGACY_NR;
	pmu->general_bits = AMD_BITS;
	if (__get_cpuid(LEAF_AMD_V2, &a, &b, &c, &d) && (a & 1)) {
		pmu->version = 2;
		pmu->general = b & 0xf;
	}
	return true;
}

bool pmu_query(struct pmu *pmu)
{
	unsigned a, vendor[3];

	__cpuid(0, a, vendor[0], vendor[2], vendor[1]);
	if (!memcmp(vendor, "GenuineIntel", 12))
		return query_intel(pmu);
	return !memcmp(vendor, "AuthenticAMD", 12) || !memcmp(vendor, "HygonGenuine", 12)
		   ? query_amd(pmu)
		   : false;
}

/* Returns the number of lowest bits up to the first clear one. */
static unsigned ones(uint64_t value)
{
	return ~value ? (unsigned)__builtin_ctzll(~value) : 64;
}

/* Returns how many bits of `pattern` an unused counter keeps; 0: it cannot be written. */
static unsigned width_of(uint32_t write, uint32_t read, uint64_t pattern)
{
	uint64_t value = 0;

	if (!msr_set(write, pattern) || !msr_get(read, &value))
		return 0;
	msr_set(write, 0);
	return ones(value);
}

/* Returns the width of counter i, from the highest value that it keeps. Legacy writes extend 32
 * bits by their sign; full writes and AMD's take all bits. */
static unsigned general_width(const struct pmu *pmu, unsigned i)
{
	uint64_t capabilities = 0, all = (1ull << pmu->general_bits) - 1;
	unsigned width;

	if (pmu->amd) {
		uint32_t msr = pmu->core_counters ? (uint32_t)MSR_AMD_CORE + 2 * i
						  : (uint32_t)MSR_AMD_LEGACY + i;

		return width_of(msr, msr, all);
	}
	width = width_of(MSR_PMC + i, MSR_PMC + i, 0xffffffff);
	if (msr_get(MSR_PERF_CAPABILITIES, &capabilities) && capabilities & FULL_WRITES &&
	    width_of(MSR_FULL_PMC + i, MSR_PMC + i, all) != width)
		return 0;
	return width;
}

static void check_widths(const struct pmu *pmu, bool fixed)
{
	unsigned nr = fixed ? pmu->fixed : pmu->general;
	unsigned announced = fixed ? pmu->fixed_bits : pmu->general_bits;
	const char *check = fixed ? "fixed widths" : "general widths";

	for (unsigned i = 0; i < nr; i++) {
		unsigned width =
		    fixed ? width_of(MSR_FIXED + i, MSR_FIXED + i, (1ull << announced) - 1)
			  : general_width(pmu, i);

		if (width == announced)
			continue;
		report_check(pmu->name, check, REPORT_WRONG,
			     "%u bits announced, counter %u keeps %u of ones written to it",
			     announced, i, width);
		return;
	}
	if (nr)
		report_check(pmu->name, check, REPORT_OK, "%u bits, as ones written are read back",
			     announced);
}

/* Checks that the processor stops all counters when one interrupts. */
static void check_freeze(const struct pmu *pmu)
{
	uint64_t before, after = 0;
	bool kept;

	if (pmu->amd || pmu->version < 2) {
		report_check(pmu->name, "freeze on PMI", REPORT_NOT_HERE,
			     "from Intel's version 2 on");
		return;
	}
	kept = msr_get(MSR_DEBUGCTL, &before) && msr_set(MSR_DEBUGCTL, before | FREEZE_ON_PMI) &&
	       msr_get(MSR_DEBUGCTL, &after) && after & FREEZE_ON_PMI;
	msr_set(MSR_DEBUGCTL, before);
	report_check(pmu->name, "freeze on PMI", kept ? REPORT_OK : REPORT_WRONG,
		     kept ? "DEBUGCTL keeps bit 12" : "DEBUGCTL does not keep bit 12");
}

void registers_check(const struct pmu *pmu)
{
	uint64_t any;

	if (!msr_get(pmu->amd ? (uint32_t)MSR_AMD_LEGACY : MSR_PMC, &any)) {
		report_check(pmu->name, "registers", REPORT_NOT_HERE,
			     "/dev/cpu/N/msr cannot be read");
		return;
	}
	check_widths(pmu, false);
	check_widths(pmu, true);
	check_freeze(pmu);
}
