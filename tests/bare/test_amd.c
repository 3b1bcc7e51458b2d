/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's performance counters: each counts exactly, and samples on the instruction, or as late as
 * the personality says. AMD APM vol. 2, "Performance Monitoring Counters". */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define LEGACY_CTL    0xc0010000u
#define LEGACY_CTR    0xc0010004u
#define CORE_CTL      0xc0010200u /* and the counter after it */
#define GLOBAL_STATUS 0xc0000300u
#define GLOBAL_CTRL   0xc0000301u
#define STATUS_CLEAR  0xc0000302u
#define INSTRUCTIONS  0xc0u
#define CTL_RINGS(r)  ((uint64_t)(r) << 16)
#define CTL_INT       (1ull << 20)
#define CTL_EN        (1ull << 22)
#define CTL_RESERVED  (1ull << 19)
#define WIDTH         48
#define LEGACY        4
#define LVTPC         0xfee00340ull
#define LVT_MASKED    0x10000u
#define DEC_BYTES     3
#define SPIN_AROUND   3 /* switched_spin's own instructions, */
#define CALL_AROUND   5 /* switched_call's */
#define USER_EXTRA    3 /* RET, and in_user()'s CALL and INT 80H */

static const struct kind {
	const char *name;
	unsigned counters;
	bool core, global;
	unsigned late; /* instructions from the overflow to its PMI */
} kinds[] = {
    {"k10", 4, false, false, 0}, {"zen2", 6, true, false, 32}, {"zen3", 6, true, false, 0},
    {"zen4", 6, true, true, 0},  {"zen5", 6, true, true, 0},
};

static const struct kind *kind;

static uint32_t control_of(unsigned counter)
{
	return kind->core ? CORE_CTL + 2 * counter : LEGACY_CTL + counter;
}

static uint32_t counter_of(unsigned counter)
{
	return kind->core ? CORE_CTL + 1 + 2 * counter : LEGACY_CTR + counter;
}

static void reset(void)
{
	for (unsigned i = 0; i < kind->counters; i++) {
		wrmsr(control_of(i), 0);
		wrmsr(counter_of(i), 0);
	}
	if (!kind->global)
		return;
	wrmsr(GLOBAL_CTRL, (1u << kind->counters) - 1);
	wrmsr(STATUS_CLEAR, rdmsr(GLOBAL_STATUS));
}

static uint64_t instructions(unsigned rings)
{
	return INSTRUCTIONS | CTL_RINGS(rings) | CTL_EN;
}

static uint64_t before(uint64_t period)
{
	return -period & ((1ull << WIDTH) - 1);
}

static uint64_t run_user(uint64_t n)
{
	return in_user(spin, n);
}

static void counts(void)
{
	unsigned kernel = 0, user = 0, neither = 0;

	for (unsigned i = 0; i < kind->counters; i++) {
		reset();
		switched_spin(control_of(i), instructions(OS | USR), 500);
		kernel += rdmsr(counter_of(i)) == 2 * 500 + SPIN_AROUND;
		wrmsr(counter_of(i), 0);
		switched_spin(control_of(i), instructions(USR), 500);
		neither += rdmsr(counter_of(i)) == 0;
		switched_call(control_of(i), instructions(USR), run_user, 500);
		user += rdmsr(counter_of(i)) == 2 * 500 + USER_EXTRA;
	}
	is(kernel, kind->counters, "each counter counts a loop in ring 0 exactly");
	is(neither, kind->counters, "a counter for ring 3 counts nothing in ring 0");
	is(user, kind->counters, "where it counts exactly");
}

/* Two counters, one started by each switch. */
static void rings(void)
{
	uint64_t all, user;

	reset();
	wrmsr(control_of(1), instructions(USR));
	switched_call(control_of(0), instructions(OS | USR), run_user, 500);
	all = rdmsr(counter_of(0));
	user = rdmsr(counter_of(1));
	reset();
	switched_call(control_of(0), instructions(OS), run_user, 500);
	is(all, user + rdmsr(counter_of(0)), "the rings' counts add up");
	ok(rdmsr(counter_of(0)) > CALL_AROUND, "both rings have counts");
}

static struct {
	unsigned hits, masked;
	uint64_t place, status;
} pmi;

static unsigned sampling; /* the counter */

static void on_pmi(struct trap_frame *frame)
{
	pmi.hits++;
	pmi.place = frame->rip;
	pmi.masked += !!(cpu_read_device(LVTPC) & LVT_MASKED);
	wrmsr(control_of(sampling), 0);
	if (!kind->global)
		return;
	pmi.status = rdmsr(GLOBAL_STATUS);
	wrmsr(STATUS_CLEAR, pmi.status);
}

/* In switched_spin the instruction after the Nth is DEC for even N, JNZ for odd. */
static bool stops_after(uint64_t period)
{
	uint64_t n = period + kind->late;

	reset();
	pmi.hits = pmi.masked = 0;
	pmi.status = 0;
	wrmsr(counter_of(sampling), before(period));
	switched_spin(control_of(sampling), instructions(OS) | CTL_INT, n);
	return pmi.hits == 1 && !pmi.masked &&
	       pmi.place == (uint64_t)switched_spin_loop + (n % 2 ? DEC_BYTES : 0) &&
	       pmi.status == (kind->global ? 1u << sampling : 0);
}

static void samples(void)
{
	unsigned right = 0, tried = 0, next = machine.stepped ? 149 : 37;

	on_nmi(on_pmi);
	pmi_by_nmi();
	for (sampling = 0; sampling < kind->counters; sampling++)
		for (uint64_t period = 1; period <= 1000; period += next, tried++)
			right += stops_after(period);
	is(right, tried, "each PMI comes once, in its place, and leaves LVTPC unmasked");
	is(rdmsr(counter_of(0)) >> WIDTH, 0, "counters have 48 bits");
	reset();
	on_nmi(0);
}

static void registers(void)
{
	uint64_t value;

	reset();
	is(try_wrmsr(control_of(0), INSTRUCTIONS | CTL_RESERVED), 0,
	   "a reserved bit of the event select is taken");
	is(rdmsr(control_of(0)), INSTRUCTIONS, "reserved bits of an event select are ignored");
	is(try_rdmsr(CORE_CTL, &value), kind->core ? 0 : GP_FAULT, "the six core counters");
	is(try_rdmsr(GLOBAL_CTRL, &value), kind->global ? 0 : GP_FAULT, "the global control");
	for (unsigned i = 0; i < LEGACY; i++)
		wrmsr(counter_of(i), 1000 + i);
	is(rdmsr(LEGACY_CTR + 3), 1003, "the first four have their old names too");
	is(try_rdpmc(3, &value), 0, "RDPMC reads them");
	is(value, 1003, "RDPMC reads the counters' values");
	is(try_rdpmc(kind->counters, &value), GP_FAULT, "RDPMC after the last counter");
	reset();
}

/* The enables of all counters in one register; an overflow without PMI shows in the status. */
static void global_control(void)
{
	reset();
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(control_of(0), instructions(OS));
	wrmsr(control_of(5), instructions(OS));
	wrmsr(counter_of(5), before(100));
	switched_spin(GLOBAL_CTRL, 1u | 1u << 5, 500);
	is(rdmsr(counter_of(0)), 2 * 500 + SPIN_AROUND,
	   "a write of GLOBAL_CTRL starts and stops two counters");
	is(rdmsr(counter_of(5)), 2 * 500 + SPIN_AROUND - 100,
	   "a counter that wraps continues from 0");
	is(rdmsr(GLOBAL_STATUS), 1u << 5, "the status shows an overflow");
	wrmsr(GLOBAL_STATUS, 0);
	is(rdmsr(GLOBAL_STATUS), 1u << 5, "the status is read-only");
	wrmsr(STATUS_CLEAR, 1u << 5);
	is(rdmsr(GLOBAL_STATUS), 0, "a cleared status is 0");
	reset();
}

void test_amd(void)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (has_word(machine.personality, kinds[i].name))
			kind = &kinds[i];
	ok(kind, "AMD's personality is a known one");
	if (!kind)
		return;
	registers();
	counts();
	rings();
	samples();
	if (kind->global)
		global_control();
}
