/* SPDX-License-Identifier: BSD-2-Clause */
/* The tests' PMU driver: an architectural PMU from version 2, and the xAPIC's LVTPC. Intel SDM vol.
 * 3, "Performance Monitoring". */
#include "tests/bare/machine/guest.h"

#define PMC             0x0c1
#define PMC_WIDE        0x4c1
#define EVTSEL          0x186
#define FIXED           0x309
#define FIXED_CTRL      0x38d
#define GLOBAL_STATUS   0x38e
#define GLOBAL_CTRL     0x38f
#define GLOBAL_OVF_CTRL 0x390
#define EVTSEL_RINGS(r) ((uint64_t)(r) << 16)
#define EVTSEL_INT      (1ull << 20)
#define EVTSEL_EN       (1ull << 22)
#define FIXED_OS        1u
#define FIXED_USR       2u
#define FIXED_PMI       8u
#define LVTPC           0xfee00340ull
#define SVR             0xfee000f0ull
#define SVR_ENABLE      0x1ffu
#define LVT_NMI         0x400u

uint64_t fixed_control(unsigned counter)
{
	return 1ull << (32 + counter);
}

uint64_t general_control(unsigned counter)
{
	return 1ull << counter;
}

uint64_t minus(uint64_t period)
{
	return -period & ((1ull << machine.width) - 1);
}

void fixed_start(unsigned counter, unsigned rings, bool pmi, uint64_t value)
{
	uint64_t field =
	    (rings & OS ? FIXED_OS : 0) | (rings & USR ? FIXED_USR : 0) | (pmi ? FIXED_PMI : 0);
	uint64_t control = rdmsr(FIXED_CTRL) & ~(0xfull << counter * 4);

	wrmsr(FIXED_CTRL, control | field << counter * 4);
	wrmsr(FIXED + counter, value);
}

/* Without full-width writes a value is sign-extended from 32 bits. */
void general_start(unsigned counter, unsigned event, unsigned rings, bool pmi, uint64_t value)
{
	wrmsr(EVTSEL + counter, event | EVTSEL_RINGS(rings) | EVTSEL_EN | (pmi ? EVTSEL_INT : 0));
	if (machine.full_width)
		wrmsr(PMC_WIDE + counter, value);
	else
		wrmsr(PMC + counter, (uint32_t)value);
}

uint64_t fixed_read(unsigned counter)
{
	return rdmsr(FIXED + counter);
}

uint64_t general_read(unsigned counter)
{
	return rdmsr(PMC + counter);
}

void pmu_reset(void)
{
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(FIXED_CTRL, 0);
	for (unsigned i = 0; i < machine.general; i++) {
		wrmsr(EVTSEL + i, 0);
		wrmsr(PMC + i, 0);
	}
	for (unsigned i = 0; i < machine.fixed; i++)
		wrmsr(FIXED + i, 0);
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
}

static void enable_apic(void)
{
	cpu_write_device(SVR, SVR_ENABLE);
}

void pmi_by_nmi(void)
{
	enable_apic();
	cpu_write_device(LVTPC, LVT_NMI);
}

void pmi_by_vector(unsigned vector)
{
	enable_apic();
	cpu_write_device(LVTPC, vector);
}
