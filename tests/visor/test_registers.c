/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMSR, WRMSR and RDPMC through the visor: what exists, what faults and how. The host tests try
 * every bit of the model. */
#include "tests/visor/pmu.h"

static void faults(int vector, const char *name)
{
	is((uint32_t)vector, VECTOR_GP, name);
	is(fault_error, 0, "  with error code 0");
	is(fault_rip, attempt_rip, "  at the instruction");
}

static void write_faults(uint32_t msr, uint64_t value, const char *name)
{
	faults(try_wrmsr(msr, value), name);
}

static void read_faults(uint32_t msr, const char *name)
{
	uint64_t value;

	faults(try_rdmsr(msr, &value), name);
}

static void keeps(uint32_t msr, uint64_t value, uint64_t want, const char *name)
{
	wrmsr(msr, value);
	is(rdmsr(msr), want, name);
}

static void test_without_pmu(void)
{
	uint64_t value;

	read_faults(PMC0, "PMC0 does not exist");
	read_faults(PERFEVTSEL0, "PERFEVTSEL0 does not exist");
	read_faults(GLOBAL_STATUS, "GLOBAL_STATUS does not exist");
	read_faults(CAPABILITIES, "PERF_CAPABILITIES does not exist");
	write_faults(GLOBAL_CTRL, 0, "GLOBAL_CTRL does not exist");
	faults(try_rdpmc(0, &value), "RDPMC of counter 0 faults");
	faults(try_rdpmc(FIXED(0), &value), "RDPMC of fixed counter 0 faults");
}

static void test_versions(void)
{
	if (version4()) {
		is(rdmsr(CAPABILITIES), 1 << 13, "PERF_CAPABILITIES: full-width writes");
		keeps(A_PMC0 + 7, 0x7fff12345678, 0x7fff12345678, "A_PMC7 takes all bits");
		write_faults(A_PMC0, 1ull << 48, "A_PMC0 is 48 bits wide");
		keeps(STATUS_SET, 0x80, 0, "STATUS_SET reads 0");
		is(rdmsr(GLOBAL_STATUS), 0x80, "STATUS_SET sets");
		keeps(GLOBAL_OVF_CTRL, 0x80, 0, "STATUS_RESET reads 0");
		is(rdmsr(GLOBAL_STATUS), 0, "STATUS_RESET clears");
		pmu_stop();
		wrmsr(PERFEVTSEL0 + 2, CYCLES);
		is(rdmsr(INUSE), 4, "INUSE shows the selected counter");
		write_faults(INUSE, 0, "INUSE is read-only");
		return;
	}
	read_faults(CAPABILITIES, "PERF_CAPABILITIES does not exist");
	read_faults(A_PMC0, "A_PMC0 does not exist");
	read_faults(INUSE, "INUSE does not exist");
	read_faults(PMC0 + 2, "PMC2 does not exist");
	write_faults(PERFEVTSEL0, 1 << 21, "AnyThread is reserved");
	write_faults(FIXED_CTR_CTRL, 4, "AnyThread of fixed counters is reserved");
}

static void test_rdpmc(void)
{
	uint64_t value = 0;

	wrmsr(PMC0 + 1, 0x80000000);
	is((uint32_t)try_rdpmc(1, &value), (uint32_t)-1, "RDPMC of counter 1 works");
	is(value, (version4() ? 0xffff80000000 : 0xff80000000), "  all of its width");
	wrmsr(FIXED_CTR0 + 2, 0x123456789a);
	is((uint32_t)try_rdpmc(FIXED(2), &value), (uint32_t)-1, "RDPMC of fixed counter 2 works");
	is(value, 0x123456789a, "  all of its width");
	faults(try_rdpmc(version4() ? 8 : 2, &value), "RDPMC behind the last counter faults");
	faults(try_rdpmc(FIXED(3), &value), "RDPMC behind the last fixed counter faults");
	faults(try_rdpmc(1u << 31, &value), "RDPMC's fast read faults");
}

void test_registers(void)
{
	if (option("none")) {
		test_without_pmu();
		return;
	}
	is(rdmsr(GLOBAL_CTRL), version4() ? 0xff : 3,
	   "GLOBAL_CTRL enables the general counters after reset");
	is(rdmsr(GLOBAL_STATUS), 0, "GLOBAL_STATUS is 0 after reset");
	pmu_stop();
	keeps(PERFEVTSEL0, 0xff0703c0, 0xff0703c0, "PERFEVTSEL0 keeps what is written");
	keeps(PERFEVTSEL0, 0, 0, "  and 0");
	keeps(FIXED_CTR_CTRL, 0xbbb, 0xbbb, "FIXED_CTR_CTRL keeps what is written");
	keeps(FIXED_CTR0, 0xffffffffff, 0xffffffffff, "FIXED_CTR0 keeps 40 bits");
	keeps(DEBUGCTL, FREEZE_PERFMON_ON_PMI, FREEZE_PERFMON_ON_PMI, "DEBUGCTL keeps the freeze");
	write_faults(PERFEVTSEL0, 1ull << 32, "PERFEVTSEL0's upper half is reserved");
	write_faults(GLOBAL_CTRL, 1ull << 35, "GLOBAL_CTRL has no fourth fixed counter");
	write_faults(GLOBAL_STATUS, 0, "GLOBAL_STATUS is read-only");
	write_faults(FIXED_CTR0, 1ull << 48, "a fixed counter takes no more than its width");
	read_faults(0xc0010004, "AMD's counters do not exist");
	test_versions();
	test_rdpmc();
	pmu_stop();
}
