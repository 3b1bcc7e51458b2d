/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's instructions: the modelled PMU answers CPUID, RDPMC and accesses to registers. */
#include "arch/x86/cpu/cpu.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "arch/x86/apic/tsc.h"
#include "emulator/visor/model/model.h"
#include "tests/host/fake/fake_machine.h"

void (*fake_after_wrmsr)(void);
enum fake_access (*fake_access)(uint32_t msr, bool write);
void (*fake_cpuid)(uint32_t leaf, uint32_t regs[4]);
uint64_t (*fake_lie)(uint32_t msr, uint64_t value);

static uint64_t cr4;

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	uint32_t regs[4] = {0};

	if (leaf == 0x80000000)
		regs[0] = 0x80000008;
	model_cpuid(&fake_model, leaf, subleaf, regs);
	if (fake_cpuid)
		fake_cpuid(leaf, regs);
	return (struct cpuid_regs){regs[0], regs[1], regs[2], regs[3]};
}

uint64_t rdtsc(void)
{
	return tsc_clock.base + clock_ns();
}

uint64_t tsc_to_ns(uint64_t tsc)
{
	return tsc - tsc_clock.base;
}

uint64_t rdpmc(uint32_t index)
{
	uint64_t value = 0;

	assert_int_equal(model_rdpmc(&fake_model, index, &value), MODEL_OK);
	quirks_read(&fake_quirks);
	fake_interrupt();
	return value;
}

#define THERM_STATUS 0x19c

uint64_t fake_thermal;

static bool read_works(uint32_t msr, uint64_t *value)
{
	static const uint64_t none[MODEL_ENERGY_DOMAINS];

	if (msr == THERM_STATUS && fake_thermal) {
		*value = fake_thermal;
		return true;
	}
	model_notice_read(&fake_model, msr, rdtsc(), none);
	if (model_rdmsr(&fake_model, msr, value) != MODEL_OK)
		return false;
	if (fake_lie)
		*value = fake_lie(msr, *value);
	return true;
}

static bool write_works(uint32_t msr, uint64_t value)
{
	return quirks_wrmsr(&fake_quirks, &fake_model, msr, value) == MODEL_OK;
}

static enum fake_access access_of(uint32_t msr, bool write)
{
	return fake_access ? fake_access(msr, write) : FAKE_WORKS;
}

bool rdmsr_safe(uint32_t msr, uint64_t *value)
{
	return access_of(msr, false) != FAKE_FAULTS && read_works(msr, value);
}

bool wrmsr_safe(uint32_t msr, uint64_t value)
{
	enum fake_access access = access_of(msr, true);

	return access != FAKE_FAULTS && (access == FAKE_FORGETS || write_works(msr, value));
}

uint64_t rdmsr(uint32_t msr)
{
	uint64_t value = 0;

	if (!read_works(msr, &value))
		fail_msg("RDMSR of register %x: #GP", msr);
	return value;
}

void wrmsr(uint32_t msr, uint64_t value)
{
	if (!write_works(msr, value))
		fail_msg("WRMSR of %lx to register %x: #GP", value, msr);
	if (fake_after_wrmsr)
		fake_after_wrmsr();
	fake_interrupt();
}

uint64_t irq_save(void)
{
	return RFLAGS_IF;
}

void irq_restore(uint64_t flags)
{
	(void)flags;
}

void irq_disable(void)
{
}

void irq_enable(void)
{
}

uint64_t read_cr4(void)
{
	return cr4;
}

void write_cr4(uint64_t value)
{
	cr4 = value;
}
