/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model's events as data: what each is named in Intel's event lists, and how often it happens.
 *
 * The numbers are invented, plausible and constant (docs/emulated-pmu.md): they describe a
 * processor that retires 4 instructions in 3 cycles. They agree with each other: misses are among
 * the accesses, reads and writes add up.
 */
#include "visor/model/events.h"

#include <stdbool.h>
#include <stddef.h>

#include "visor/model/personality.h"
#include "visor/model/registers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Per EVENT_SCALE (16384) instructions. */
#define CYCLES_RATE   12288
#define SLOTS_RATE    (5 * CYCLES_RATE) /* Ice Lake is 5 wide */
#define BRANCH_RATE   3072
#define MISPRED_RATE  64
#define LLC_READ_RATE 192
#define LLC_RFO_RATE  64
#define LLC_READ_MISS 12
#define LLC_RFO_MISS  4

/* What a row's rate refers to. */
enum unit {
	PER_INSTRUCTION, /* EVENT_SCALE instructions */
	PER_TSC_TICK,    /* EVENT_SCALE ticks of the time-stamp counter */
	PER_BRANCH,      /* as PER_INSTRUCTION, but the branches seen where they are known */
	PER_MISPREDICT,  /* likewise, mispredicted ones */
	PER_OFFCORE,     /* OFFCORE_RSP_0 or _1 (`rate` is its number) says what */
};

struct event {
	uint8_t select, umask;
	uint8_t sets; /* enum event_set: processors that have it */
	uint8_t unit; /* enum unit */
	uint8_t
	    burst; /* how many of them happen in one cycle, when any do: what CMASK compares with */
	uint16_t rate;
	char name[36];
};

static const struct event events[] = {
    {0x3c, 0x00, EVENTS_ARCH, PER_INSTRUCTION, 1, CYCLES_RATE, "CPU_CLK_UNHALTED.THREAD_P"},
    {0xc0, 0x00, EVENTS_ARCH, PER_INSTRUCTION, 4, EVENT_SCALE, "INST_RETIRED.ANY_P"},
    {0x3c, 0x01, EVENTS_ARCH, PER_TSC_TICK, 1, EVENT_SCALE / 4, "CPU_CLK_UNHALTED.REF_XCLK"},
    {0x2e, 0x4f, EVENTS_ARCH, PER_INSTRUCTION, 1, LLC_READ_RATE + LLC_RFO_RATE,
     "LONGEST_LAT_CACHE.REFERENCE"},
    {0x2e, 0x41, EVENTS_ARCH, PER_INSTRUCTION, 1, LLC_READ_MISS + LLC_RFO_MISS,
     "LONGEST_LAT_CACHE.MISS"},
    {0xc4, 0x00, EVENTS_ARCH, PER_BRANCH, 1, BRANCH_RATE, "BR_INST_RETIRED.ALL_BRANCHES"},
    {0xc5, 0x00, EVENTS_ARCH, PER_MISPREDICT, 1, MISPRED_RATE, "BR_MISP_RETIRED.ALL_BRANCHES"},

    {0xa4, 0x01, EVENTS_ICELAKE, PER_INSTRUCTION, 5, SLOTS_RATE, "TOPDOWN.SLOTS_P"},

    {0x08, 0x02, EVENTS_CORE2, PER_INSTRUCTION, 1, 8, "DTLB_MISSES.MISS_LD"},
    {0x08, 0x08, EVENTS_CORE2, PER_INSTRUCTION, 1, 2, "DTLB_MISSES.MISS_ST"},
    {0x29, 0x41, EVENTS_CORE2, PER_INSTRUCTION, 1, LLC_READ_MISS, "L2_LD.SELF.I_STATE"},
    {0x29, 0x4f, EVENTS_CORE2, PER_INSTRUCTION, 1, LLC_READ_RATE, "L2_LD.SELF.MESI"},
    {0x2a, 0x41, EVENTS_CORE2, PER_INSTRUCTION, 1, LLC_RFO_MISS, "L2_ST.SELF.I_STATE"},
    {0x2a, 0x4f, EVENTS_CORE2, PER_INSTRUCTION, 1, LLC_RFO_RATE, "L2_ST.SELF.MESI"},
    {0x40, 0x01, EVENTS_CORE2, PER_INSTRUCTION, 1, 512, "L1D_CACHE_LD.I_STATE"},
    {0x40, 0x0f, EVENTS_CORE2, PER_INSTRUCTION, 1, 4096, "L1D_CACHE_LD.MESI"},
    {0x41, 0x01, EVENTS_CORE2, PER_INSTRUCTION, 1, 128, "L1D_CACHE_ST.I_STATE"},
    {0x41, 0x0f, EVENTS_CORE2, PER_INSTRUCTION, 1, 2048, "L1D_CACHE_ST.MESI"},
    {0x4e, 0x10, EVENTS_CORE2, PER_INSTRUCTION, 1, 256, "L1D_PREFETCH.REQUESTS"},
    {0x80, 0x00, EVENTS_CORE2, PER_INSTRUCTION, 1, 4096, "L1I_READS"},
    {0x81, 0x00, EVENTS_CORE2, PER_INSTRUCTION, 1, 32, "L1I_MISSES"},
    {0x82, 0x12, EVENTS_CORE2, PER_INSTRUCTION, 1, 1, "ITLB.MISSES"},

    {0x08, 0x0e, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 8, "DTLB_LOAD_MISSES.WALK_COMPLETED"},
    {0x0d, 0x01, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 512, "INT_MISC.RECOVERY_CYCLES"},
    {0x0e, 0x01, EVENTS_SKYLAKE, PER_INSTRUCTION, 4, 19456, "UOPS_ISSUED.ANY"},
    {0x49, 0x0e, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 2, "DTLB_STORE_MISSES.WALK_COMPLETED"},
    {0x51, 0x01, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 512, "L1D.REPLACEMENT"},
    {0x83, 0x02, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 32, "ICACHE_64B.IFTAG_MISS"},
    {0x85, 0x0e, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 1, "ITLB_MISSES.WALK_COMPLETED"},
    {0x85, 0x20, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 4, "ITLB_MISSES.STLB_HIT"},
    {0x9c, 0x01, EVENTS_SKYLAKE, PER_INSTRUCTION, 4, 12288, "IDQ_UOPS_NOT_DELIVERED.CORE"},
    {0xb7, 0x01, EVENTS_SKYLAKE, PER_OFFCORE, 1, 0, "OFFCORE_RESPONSE_0"},
    {0xbb, 0x01, EVENTS_SKYLAKE, PER_OFFCORE, 1, 1, "OFFCORE_RESPONSE_1"},
    {0xc0, 0x01, EVENTS_SKYLAKE, PER_INSTRUCTION, 4, EVENT_SCALE, "INST_RETIRED.PREC_DIST"},
    {0xc2, 0x02, EVENTS_SKYLAKE, PER_INSTRUCTION, 4, 18432, "UOPS_RETIRED.RETIRE_SLOTS"},
    {0xd0, 0x81, EVENTS_SKYLAKE, PER_INSTRUCTION, 2, 4096, "MEM_INST_RETIRED.ALL_LOADS"},
    {0xd0, 0x82, EVENTS_SKYLAKE, PER_INSTRUCTION, 1, 2048, "MEM_INST_RETIRED.ALL_STORES"},
};

/* Bits of OFFCORE_RSP_x (SDM vol. 3, "Off-core Response Performance Monitoring", Skylake). */
#define OFFCORE_READ         REG_BIT(0)
#define OFFCORE_RFO          REG_BIT(1)
#define OFFCORE_ANY_RESPONSE REG_BIT(16)
#define OFFCORE_L3_HIT       REG_BITS(18, 20)
#define OFFCORE_L3_MISS      REG_BIT(26) /* local memory; 27 to 29: remote */
#define OFFCORE_SNOOP        REG_BITS(30, 37)

/* How many of `all` requests, `misses` of which miss the last-level cache, get a response that was
 * asked for. */
static uint64_t offcore_responses(uint64_t rsp, uint64_t all, uint64_t misses)
{
	uint64_t count = 0;

	if (rsp & OFFCORE_ANY_RESPONSE)
		return all;
	if (!(rsp & OFFCORE_SNOOP))
		return 0;
	if (rsp & OFFCORE_L3_HIT)
		count += all - misses;
	if (rsp & OFFCORE_L3_MISS)
		count += misses;
	return count;
}

static uint64_t offcore_rate(uint64_t rsp)
{
	uint64_t rate = 0;

	if (rsp & OFFCORE_READ)
		rate += offcore_responses(rsp, LLC_READ_RATE, LLC_READ_MISS);
	if (rsp & OFFCORE_RFO)
		rate += offcore_responses(rsp, LLC_RFO_RATE, LLC_RFO_MISS);
	return rate;
}

static const struct event *event_find(const struct personality *p, uint64_t select)
{
	for (size_t i = 0; i < COUNT(events); i++) {
		const struct event *e = &events[i];

		if ((e->sets & p->events) && (select & (EVTSEL_EVENT | EVTSEL_UMASK)) ==
						 (e->select | (unsigned)e->umask << 8))
			return e;
	}
	return NULL;
}

static struct event_rate plain_rate(const struct event *e, const uint64_t offcore[2],
				    unsigned clock_shift)
{
	struct event_rate rate = {.per_scale = e->rate, .basis = BASIS_RATE};

	switch (e->unit) {
	case PER_TSC_TICK:
		rate.per_scale <<= clock_shift;
		break;
	case PER_BRANCH:
		rate.basis = BASIS_BRANCHES;
		break;
	case PER_MISPREDICT:
		rate.basis = BASIS_MISPREDICTS;
		break;
	case PER_OFFCORE:
		rate.per_scale = offcore_rate(offcore[e->rate]);
		break;
	}
	return rate;
}

/*
 * CMASK counts cycles instead of events: those with at least CMASK events, with INV those with
 * fewer; E counts how often that begins. The model's events come in bursts: `burst` of them in one
 * cycle, and quiet cycles between bursts as long as there are any.
 */
static struct event_rate masked_rate(struct event_rate rate, const struct event *e, uint64_t select)
{
	unsigned cmask = (select & EVTSEL_CMASK) >> 24;
	bool edge = select & EVTSEL_EDGE, inverted = cmask && (select & EVTSEL_INV);
	uint64_t active = cmask > e->burst ? 0 : rate.per_scale / e->burst;

	if (!cmask && !edge)
		return rate;
	if (active > CYCLES_RATE)
		active = CYCLES_RATE;
	if (edge || inverted)
		rate.basis = BASIS_RATE;
	if (edge)
		rate.per_scale = active < CYCLES_RATE - active ? active : CYCLES_RATE - active;
	else
		rate.per_scale = inverted ? CYCLES_RATE - active : active;
	return rate;
}

struct event_rate event_rate(const struct personality *personality, uint64_t select,
			     const uint64_t offcore[2], unsigned clock_shift)
{
	const struct event *e = event_find(personality, select);

	if (!e)
		return (struct event_rate){0};
	return masked_rate(plain_rate(e, offcore, clock_shift), e, select);
}

struct event_rate event_rate_fixed(unsigned index, unsigned clock_shift)
{
	static const uint16_t rates[] = {EVENT_SCALE, CYCLES_RATE, EVENT_SCALE, SLOTS_RATE};
	struct event_rate rate = {.basis = BASIS_RATE};

	if (index < COUNT(rates))
		rate.per_scale = (uint64_t)rates[index] << (index == 2 ? clock_shift : 0);
	return rate;
}
