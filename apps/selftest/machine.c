/* SPDX-License-Identifier: BSD-2-Clause */
/* The identity of the machine. */
#include "apps/selftest/selftest.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "apps/lib/event/pmu_id.h"

enum { MSR_APIC_BASE = 0x1b, MSR_SMI_COUNT = 0x34, MSR_MICROCODE = 0x8b };

#define X2APIC_ON      (1ull << 10)
#define LEAF_POWER     0x80000007u
#define TSC_INVARIANT  (1u << 8)  /* EDX */
#define X2APIC_OFFERED (1u << 21) /* leaf 1, ECX */
#define SECOND_NS      1000000000ll

/* Reports the microcode revision. CPUID leaf 1 puts it in the upper half of the MSR on Intel; AMD
 * has it in the lower half. */
static void report_microcode(bool intel)
{
	uint64_t value = 0;
	unsigned a, b, c, d;

	if (intel)
		msr_set(MSR_MICROCODE, 0);
	__get_cpuid(1, &a, &b, &c, &d);
	if (msr_get(MSR_MICROCODE, &value) && value)
		report_fact("microcode", "%llx",
			    (unsigned long long)(intel ? value >> 32 : value & 0xffffffff));
	else
		report_fact("microcode", "not known");
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Sleeps a second, and reports the rate of the TSC and the number of SMIs. */
static void watch_a_second(void)
{
	struct timespec second = {.tv_sec = 1};
	uint64_t smis = 0, later = 0;
	bool counted = msr_get(MSR_SMI_COUNT, &smis);
	long long from = now_ns();
	uint64_t tsc = __builtin_ia32_rdtsc();
	unsigned a, b, c, d = 0;

	nanosleep(&second, NULL);
	tsc = __builtin_ia32_rdtsc() - tsc;
	from = now_ns() - from;
	__get_cpuid(LEAF_POWER, &a, &b, &c, &d);
	report_fact("TSC", "%.3f MHz, %s", (double)tsc * 1e3 / (double)from,
		    d & TSC_INVARIANT ? "invariant" : "not said to be invariant");
	if (!counted || !msr_get(MSR_SMI_COUNT, &later))
		report_check("", "SMIs", REPORT_NOT_HERE, "MSR 34H counts none");
	else
		report_check("", "SMIs", REPORT_OK, "%llu in a second, %llu since the start",
			     (unsigned long long)(later - smis), (unsigned long long)later);
}

static void report_apic(void)
{
	unsigned a, b, c = 0, d;
	uint64_t base;

	__get_cpuid(1, &a, &b, &c, &d);
	if (!msr_get(MSR_APIC_BASE, &base))
		report_fact("APIC", "x2APIC %soffered", c & X2APIC_OFFERED ? "" : "not ");
	else
		report_fact("APIC", "x2APIC %soffered, %s", c & X2APIC_OFFERED ? "" : "not ",
			    base & X2APIC_ON ? "on" : "off");
}

static void report_kernel(void)
{
	struct utsname name;

	if (!uname(&name))
		report_fact(FACT_KERNEL, "%s %s %s", name.sysname, name.release, name.version);
}

void machine_identify(void)
{
	const char *board = getenv(REPORT_BOARD_VARIABLE);
	char line[PMU_DESCRIPTION_SIZE];
	struct pmu_id id;

	pmu_identify(&id);
	pmu_describe(&id, line);
	report_fact(FACT_PROCESSOR, "%s", id.brand);
	report_fact(FACT_CPUID, "%s", id.cpuid);
	report_microcode(!strncmp(id.cpuid, "GenuineIntel", 12));
	report_fact(FACT_PMU, "%s", line);
	report_fact(FACT_BOARD, "%s", board ? board : "not known");
	report_fact("processors", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	report_fact("memory", "%ld MiB",
		    sysconf(_SC_PHYS_PAGES) / (1048576 / sysconf(_SC_PAGESIZE)));
	report_apic();
	report_kernel();
	watch_a_second();
}
