/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC without the visor's time, and HLT. */
#include "tests/bare/machine/guest.h"

#define RUNS         200
#define TIMER_VECTOR 0x40
#define APIC(reg)    (0xfee00000ull + (reg))
#define SVR          APIC(0x0f0)
#define SVR_ENABLE   0x1ffu
#define LVT_TIMER    APIC(0x320)
#define INITIAL      APIC(0x380)
#define DIVIDE       APIC(0x3e0)
#define DIVIDE_BY_1  0xb
#define EOI          APIC(0x0b0)
#define TIMER_TICKS  100000

static unsigned ticks;
static uint64_t woken_at;

static void on_timer(struct trap_frame *frame)
{
	ticks++;
	woken_at = frame->rip;
	cpu_write_device(EOI, 0);
}

static void halt_until_timer(void)
{
	uint64_t before = rdtsc(), took;

	on_interrupt(TIMER_VECTOR, on_timer);
	cpu_write_device(SVR, SVR_ENABLE);
	cpu_write_device(DIVIDE, DIVIDE_BY_1);
	cpu_write_device(LVT_TIMER, TIMER_VECTOR);
	cpu_write_device(INITIAL, TIMER_TICKS);
	sti_hlt();
	took = rdtsc() - before;
	is(ticks, 1, "HLT ends with the timer's interrupt");
	is(woken_at, (uint64_t)sti_hlt_after, "a timer finds RIP after the HLT");
	ok(took > TIMER_TICKS / 2 && took < 100 * TIMER_TICKS, "the TSC went on meanwhile");
	on_interrupt(TIMER_VECTOR, 0);
}

#define DIVIDE_BY_128 0xa
#define LONG_WAIT     (5000000000ull / 128) /* 2^32 of the HPET's ticks end during it (run.sh) */

static unsigned nmis;

static void count_nmi(struct trap_frame *frame)
{
	(void)frame;
	nmis++;
}

void test_idle(void)
{
	on_nmi(count_nmi);
	on_interrupt(TIMER_VECTOR, on_timer);
	cpu_write_device(SVR, SVR_ENABLE);
	cpu_write_device(DIVIDE, DIVIDE_BY_128);
	cpu_write_device(LVT_TIMER, TIMER_VECTOR);
	cpu_write_device(INITIAL, (uint32_t)LONG_WAIT);
	while (!ticks)
		sti_hlt();
	is(nmis, 0, "a machine that idles gets no NMI");
	on_interrupt(TIMER_VECTOR, 0);
	on_nmi(0);
}

void test_time(void)
{
	uint32_t tick = 1u << machine.shift;
	unsigned equal = 0, hidden = 0;

	for (unsigned i = 0; i < RUNS; i++)
		equal += tsc_distance(100) == 204 * tick;
	is(equal, RUNS, "200 times the TSC advances by the guest's own instructions");
	for (unsigned i = 0; i < RUNS; i++)
		hidden += cpuid_distance() == 4 * tick;
	is(hidden, RUNS, "200 times CPUID takes one instruction's time");
	wrmsr(0x10, 1ull << 40);
	ok(rdtsc() - (1ull << 40) < 100 * tick, "the TSC can be set");
	halt_until_timer();
}
