/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS: records of exactly the instruction after the overflow, with its registers, and debug
 * stores that are no memory. Intel SDM vol. 3, "Adaptive PEBS". */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define GLOBAL_CTRL     0x38f
#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define PEBS_ENABLE     0x3f1
#define PEBS_DATA_CFG   0x3f2
#define DS_AREA         0x600
#define FIXED_CTRL      0x38d
#define FIXED0_ADAPTIVE (1ull << 32)
#define BUFFER_PMI      (1ull << 62)
#define GPRS            2
#define DEC_BYTES       3
#define RECORD_WORDS    (4 + 18)
#define RSI_WORD        (4 + 2 + 6)
#define HPET            0xfed00000ull
#define NOT_CANONICAL   0x0000900000000000ull

static struct {
	uint64_t bts[4];
	uint64_t base, index, maximum, threshold;
	uint64_t reset[8], fixed_reset[4];
} store __attribute__((aligned(4096)));

static uint64_t buffer[2 * RECORD_WORDS] __attribute__((aligned(4096)));

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
	wrmsr(PEBS_DATA_CFG, GPRS);
	wrmsr(PEBS_ENABLE, fixed_control(0));
	on_nmi(on_pmi);
	pmi_by_nmi();
}

static void sample(uint64_t period, uint64_t rounds)
{
	fixed_start(0, OS, false, minus(period));
	wrmsr(FIXED_CTRL, rdmsr(FIXED_CTRL) | FIXED0_ADAPTIVE);
	counted_spin(fixed_control(0), rounds);
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
	       store.index == store.base + RECORD_WORDS * 8 &&
	       buffer[0] == ((uint64_t)RECORD_WORDS * 8 << 48 | GPRS) &&
	       buffer[1] == in_loop(period) && buffer[2] == fixed_control(0) &&
	       buffer[5] == in_loop(period + 1) && buffer[RSI_WORD] == period - (period + 2) / 2;
}

static void exactly(void)
{
	unsigned exact = 0;

	for (unsigned period = 2; period <= 51; period++)
		exact += records_next(period);
	is(exact, 50, "PEBS, periods 2 to 51: a record of the next instruction, then the PMI");
	ok(records_next(machine.stepped ? 5001 : 1000001), "and a long period");
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
	is(try_wrmsr(DS_AREA, NOT_CANONICAL), GP_FAULT, "PEBS: the debug store must be canonical");
}

void test_pebs(void)
{
	exactly();
	nowhere();
	pmu_reset();
}
