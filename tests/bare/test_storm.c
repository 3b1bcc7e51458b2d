/* SPDX-License-Identifier: BSD-2-Clause */
/* Every model-specific register read and written with whatever fits in it: each access works or
 * raises #GP, and the machine is as good as before. */
#include "tests/bare/machine/guest.h"

#define MSR_APIC_BASE 0x1b
#define MSR_EFER      0xc0000080
#define X2APIC_FIRST  0x800u
#define X2APIC_LAST   0x8ffu
#define LVTPC         0xfee00340ull
#define LVT_NMI       0x400u
#define LVT_MASKED    0x10000u
#define RANGE         0x2000u
#define SCATTERED     1000u

/* True for registers that a kernel must not write at random: the processor or this test would
 * stop. */
static bool vital(uint32_t msr)
{
	return msr == MSR_EFER || msr == MSR_APIC_BASE;
}

static unsigned accesses, odd, unmasked;

static void note_result(uint32_t msr, uint64_t vector)
{
	accesses++;
	unmasked += !vector && msr >= X2APIC_FIRST && msr <= X2APIC_LAST;
	if (!vector || vector == GP_FAULT)
		return;
	odd++;
	tap_print("# MSR %lx: exception %lu\n", (uint64_t)msr, vector);
}

static uint64_t scatter(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void storm(uint32_t msr)
{
	const uint64_t values[] = {~0ull, scatter(), 0};
	uint64_t before = 0, vector = try_rdmsr(msr, &before);

	note_result(msr, vector);
	if (vital(msr))
		return;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		note_result(msr, try_wrmsr(msr, values[i]));
	if (!vector)
		try_wrmsr(msr, before);
}

static void on_any_nmi(struct trap_frame *frame)
{
	(void)frame;
	cpu_write_device(LVTPC, LVT_NMI);
}

void test_storm(bool beyond)
{
	/* Three that a processor's bitmap of MSRs knows, and two beyond. */
	static const uint32_t ranges[] = {0, 0xc0000000, 0xc0010000, 0x40000000, 0x80000000};
	const unsigned count = beyond ? 5 : 3;

	on_nmi(on_any_nmi);
	pmi_by_nmi();
	for (unsigned i = 0; i < count; i++)
		for (uint32_t msr = ranges[i]; msr < ranges[i] + RANGE; msr++)
			storm(msr);
	for (unsigned i = 0; i < SCATTERED; i++)
		storm((uint32_t)scatter());
	ok(accesses > 3 * count * RANGE, "every MSR was read and written");
	is(odd, 0, "each access worked or raised #GP");
	is(unmasked, 0, "x2APIC's raise #GP while it is off");
	on_nmi(0);
	cpu_write_device(LVTPC, LVT_MASKED);
}
