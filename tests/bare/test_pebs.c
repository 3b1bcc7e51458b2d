/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS of every format: its registers, records of exactly the instruction after the overflow, with
 * its registers, and debug stores that are no memory. Intel SDM vol. 3, "Processor Event Based
 * Sampling (PEBS) Facility", "Adaptive PEBS". */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define GLOBAL_CTRL     0x38f
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define PEBS_ENABLE     0x3f1
#define PEBS_DATA_CFG   0x3f2
#define PEBS_LD_LAT     0x3f6
#define PEBS_FRONTEND   0x3f7
#define DS_AREA         0x600
#define FIXED_CTRL      0x38d
#define FIXED0_ADAPTIVE (1ull << 32)
#define BUFFER_PMI      (1ull << 62)
#define GPRS            2
#define DEC_BYTES       3
#define ADAPTIVE        4

/* Where things are in a record of each format, in words; 0: nowhere. */
static const struct {
	unsigned words, next_ip, rsi, counters, ip;
} formats[] = {
    {18, 1, 6, 0, 0},   {22, 1, 6, 18, 0}, {24, 1, 6, 18, 22},
    {25, 1, 6, 18, 22}, {22, 5, 12, 2, 1}, /* basic and general registers' groups */
};
#define HERE      formats[machine.pebs_format]
#define WORDS_MAX 25
#define HPET      0xfed00000ull

static struct {
	uint64_t bts[4];
	uint64_t base, index, maximum, threshold;
	uint64_t reset[8], fixed_reset[4];
} store __attribute__((aligned(4096)));

static uint64_t buffer[2 * WORDS_MAX] __attribute__((aligned(4096)));

static struct {
	unsigned hits;
	uint64_t status, rip;
} pmi;

static void on_pmi(struct trap_frame *frame)
{
	pmi.status = rdmsr(GLOBAL_STATUS);
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(GLOBAL_OVF_CTRL, pmi.status);
	pmi.rip = frame->rip;
	pmi.hits++;
}

/* Instructions in fixed counter 0, where that makes records, else in general counter 0. */
static uint64_t sampled(void)
{
	return machine.pebs_format == ADAPTIVE ? fixed_control(0) : general_control(0);
}

static void start_over(uint64_t area)
{
	pmu_reset();
	memset(&store, 0, sizeof(store));
	memset(buffer, 0, sizeof(buffer));
	memset(&pmi, 0, sizeof(pmi));
	store.base = store.index = (uint64_t)buffer;
	store.maximum = store.base + sizeof(buffer);
	store.threshold = store.base + 1;
	wrmsr(DS_AREA, area);
	if (machine.pebs_format == ADAPTIVE)
		wrmsr(PEBS_DATA_CFG, GPRS);
	wrmsr(PEBS_ENABLE, sampled());
	on_nmi(on_pmi);
	pmi_by_nmi();
}

static void sample(uint64_t period, uint64_t rounds)
{
	if (machine.pebs_format == ADAPTIVE) {
		fixed_start(0, OS, false, minus(period));
		wrmsr(FIXED_CTRL, rdmsr(FIXED_CTRL) | FIXED0_ADAPTIVE);
	} else {
		general_start(0, EVENT_INSTRUCTIONS, OS, false, minus(period));
	}
	counted_spin(sampled(), rounds);
	wrmsr(PEBS_ENABLE, 0);
}

/* In counted_spin the instruction after the Nth is DEC for even N, JNZ for odd. */
static uint64_t in_loop(uint64_t n)
{
	return (uint64_t)counted_spin_loop + (n % 2 ? DEC_BYTES : 0);
}

/* The record is of the instruction after the one that overflows, with the registers after it. */
static bool records_next(uint64_t period)
{
	start_over((uint64_t)&store);
	sample(period, period);
	return pmi.hits == 1 && pmi.status == BUFFER_PMI && pmi.rip == in_loop(period + 1) &&
	       store.index == store.base + HERE.words * 8 &&
	       buffer[HERE.next_ip] == in_loop(period + 1) &&
	       buffer[HERE.rsi] == period - (period + 2) / 2 &&
	       (!HERE.ip || buffer[HERE.ip] == in_loop(period)) &&
	       (!HERE.counters || buffer[HERE.counters] == sampled()) &&
	       (machine.pebs_format < ADAPTIVE ||
		buffer[0] == ((uint64_t)HERE.words * 8 << 48 | GPRS));
}

static void exactly(void)
{
	unsigned exact = 0;

	for (unsigned period = 2; period <= 51; period++)
		exact += records_next(period);
	is(exact, 50, "PEBS, periods 2 to 51: a record of the next instruction, then the PMI");
	ok(records_next(machine.stepped ? 5001 : 1000001), "PEBS records a long period");
}

/* Addresses where no record can be: nothing happens, and nothing breaks. */
static void nowhere(void)
{
	start_over(HPET);
	sample(10, 100);
	is(pmi.hits, 0, "PEBS: a debug store over the visor's timer takes nothing");
	start_over(0x7fffffff0000);
	sample(10, 100);
	is(pmi.hits, 0, "PEBS: nor one that is not mapped");
	start_over((uint64_t)&store);
	store.index = store.base = HPET;
	store.maximum = ~0ull;
	sample(10, 100);
	is(store.index, HPET, "PEBS: nor a buffer over the timer");
	start_over((uint64_t)&store);
	store.maximum = store.base;
	sample(10, 100);
	is(buffer[1], 0, "PEBS: a full buffer takes no record");
}

static bool is_gracemont(void)
{
	return has_word(machine.personality, "gracemont");
}

static void registers(void)
{
	static const uint64_t enables[] = {1, 0xf0000000f, 0xf0000000f, 0xf0000000f};
	uint64_t all =
	    ((1ull << machine.own_fixed) - 1) << 32 | ((1ull << machine.own_general) - 1);

	takes(PEBS_ENABLE, machine.pebs_format == ADAPTIVE ? all : enables[machine.pebs_format],
	      "PEBS_ENABLE has a bit for each counter, and for latencies in formats 1 to 3");
	takes(PEBS_DATA_CFG, machine.pebs_format == ADAPTIVE ? 0xff00000f : 0,
	      "PEBS_DATA_CFG is of format 4");
	takes(PEBS_LD_LAT, machine.pebs_format ? 0xffff : 0, "PEBS_LD_LAT is from format 1 on");
	takes(PEBS_FRONTEND,
	      is_gracemont()         ? 0
	      : machine.version >= 5 ? 0x7fff1f
	      : machine.version == 4 ? 0x7fff17
				     : 0,
	      "PEBS_FRONTEND is from version 4 on, not on efficient cores");
	takes(DS_AREA, (1ull << 47) - 1, "DS_AREA takes canonical addresses");
	is(try_wrmsr(DS_AREA, ~0ull << 47), 0, "DS_AREA takes the upper half");
	is(try_wrmsr(DS_AREA, ~0ull << 48), GP_FAULT, "DS_AREA: bit 47 extends to the top");
}

/* An event that is not precise makes no record. */
static void imprecise(void)
{
	if (machine.pebs_format == ADAPTIVE)
		return;
	start_over((uint64_t)&store);
	general_start(0, EVENT_CYCLES, OS, false, minus(100));
	counted_spin(general_control(0), 1000);
	wrmsr(PEBS_ENABLE, 0);
	is(store.index, store.base, "cycles make no record");
	is(rdmsr(GLOBAL_STATUS), general_control(0), "imprecise events: their counter has wrapped");
}

/* A counter continues from its reset value, and records interrupt at the threshold. */
static void several(void)
{
	unsigned slot = machine.pebs_format == ADAPTIVE ? 8 : 0; /* of the reset value */
	uint64_t *reset = &store.reset[0] + slot;

	start_over((uint64_t)&store);
	store.threshold = store.base + 2 * HERE.words * 8;
	*reset = minus(40);
	sample(20, 200);
	is(pmi.hits, 1, "two records, one PMI");
	is(store.index, store.base + 2 * HERE.words * 8,
	   "several records interrupt at the threshold");
	is(buffer[HERE.rsi] - buffer[HERE.words + HERE.rsi], 20,
	   "a reset value later is 40 instructions, 20 rounds");
}

void test_pebs(void)
{
	registers();
	exactly();
	several();
	imprecise();
	nowhere();
	pmu_reset();
}
