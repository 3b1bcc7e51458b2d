/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch trace store: the records of a loop, the interrupt at the threshold, a buffer that is a
 * ring without it, rings that are off, and debug stores that are no memory. Intel SDM vol. 3,
 * "Branch Trace Store (BTS)", "DS Save Area". */
#include "emulator/visor/base/lib.h"
#include "tests/bare/machine/guest.h"

#define DEBUGCTL      0x1d9
#define DS_AREA       0x600
#define GLOBAL_STATUS 0x38e
#define GLOBAL_RESET  0x390
#define BUFFER_PMI    (1ull << 62)
#define STORE         (1ull << 6 | 1ull << 7)
#define INTERRUPT     (1ull << 8)
#define OFF_OS        (1ull << 9)
#define OFF_USR       (1ull << 10)
#define RESERVED      (1ull << 16)
#define RECORDS       16
#define NO_MEMORY     0x0000700000000000ull

struct record {
	uint64_t from, to, flags;
};

static struct {
	uint64_t base, index, maximum, threshold;
	uint64_t pebs[4], resets[12];
} area __attribute__((aligned(64)));
static struct record records[RECORDS];
static unsigned interrupts;
static uint64_t status;

static void on_pmi(struct trap_frame *frame)
{
	(void)frame;
	status = rdmsr(GLOBAL_STATUS);
	wrmsr(GLOBAL_RESET, status);
	interrupts++;
}

/* Stores the branches of a loop of `rounds` rounds in ring 3. Returns the records in the buffer. */
static uint64_t store(uint64_t control, uint64_t rounds)
{
	pmu_reset();
	memset(&area, 0, sizeof(area));
	memset(records, 0, sizeof(records));
	interrupts = 0;
	area.base = area.index = (uint64_t)records;
	area.maximum = area.base + sizeof(records);
	area.threshold = area.base + 8 * sizeof(records[0]);
	on_nmi(on_pmi);
	pmi_by_nmi();
	wrmsr(DS_AREA, (uint64_t)&area);
	wrmsr(DEBUGCTL, STORE | control);
	in_user(spin, rounds);
	wrmsr(DEBUGCTL, 0);
	return (area.index - area.base) / sizeof(records[0]);
}

/* The loop's branch leads back to its start, at a lower address than its own. */
static unsigned loop_branches(uint64_t nr)
{
	unsigned found = 0;

	for (uint64_t i = 0; i < nr; i++)
		found += records[i].to == (uint64_t)spin_body && records[i].from > records[i].to &&
			 records[i].from - records[i].to < 16;
	return found;
}

static void a_loop(void)
{
	uint64_t nr = store(OFF_OS, 5);

	ok(nr >= 4 && nr < RECORDS, "the store has %lx records", nr);
	is(loop_branches(nr), 4, "a loop of 5 rounds has 4 taken branches");
	is(interrupts, 0, "no interrupt without the enable bit");
	is(store(OFF_OS | OFF_USR, 5), 0, "nothing is stored with both rings off");
	store(OFF_USR, 3);
	is(loop_branches(RECORDS), 0, "nothing of ring 3 is stored while that is off");
}

static void a_threshold(void)
{
	store(OFF_OS | INTERRUPT, 8);
	is(interrupts, 1, "an interrupt at the threshold");
	is(status & BUFFER_PMI, BUFFER_PMI, "GLOBAL_STATUS shows the full buffer");
	is(store(OFF_OS | INTERRUPT, 1000), RECORDS, "a full buffer keeps its records");
	ok(loop_branches(RECORDS) >= RECORDS - 4 && loop_branches(RECORDS) < RECORDS,
	   "they are the oldest: the way to the loop is among them");
	ok(store(OFF_OS, 1000) <= RECORDS && !interrupts,
	   "without interrupts the buffer is a ring");
	ok(loop_branches(RECORDS) >= RECORDS - 4, "the ring has the newest records");
}

static void no_memory(void)
{
	pmu_reset();
	wrmsr(DS_AREA, NO_MEMORY);
	wrmsr(DEBUGCTL, STORE | INTERRUPT);
	in_user(spin, 100);
	wrmsr(DEBUGCTL, 0);
	ok(1, "a debug store that is no memory is ignored");
	memset(&area, 0, sizeof(area));
	area.base = area.index = NO_MEMORY;
	area.maximum = area.threshold = NO_MEMORY + 4096;
	wrmsr(DS_AREA, (uint64_t)&area);
	wrmsr(DEBUGCTL, STORE);
	in_user(spin, 100);
	wrmsr(DEBUGCTL, 0);
	is(area.index, NO_MEMORY, "a buffer that is no memory takes nothing");
}

void test_store(void)
{
	if (machine.amd || !machine.pebs) {
		is(try_wrmsr(DEBUGCTL, STORE), GP_FAULT, "no debug store: DEBUGCTL refuses BTS");
		return;
	}
	is(try_wrmsr(DEBUGCTL, RESERVED), GP_FAULT, "DEBUGCTL: a bit above the store's");
	a_loop();
	a_threshold();
	no_memory();
	pmu_reset();
}
