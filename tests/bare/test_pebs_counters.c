/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive PEBS of each counter with each list of groups, as kvm-unit-tests' pmu_pebs asks: without
 * an overflow there is no record; each record has the size and the list of its groups, or the basic
 * group alone where the counter's adaptive bit is clear, and names its counter. Intel SDM vol. 3,
 * "Adaptive PEBS".
 */
#include "tests/bare/machine/guest.h"
#include "emulator/visor/base/lib.h"

#define GLOBAL_STATUS   0x38e
#define GLOBAL_OVF_CTRL 0x390
#define EVTSEL0         0x186
#define FIXED_CTRL      0x38d
#define PEBS_ENABLE     0x3f1
#define PEBS_DATA_CFG   0x3f2
#define DS_AREA         0x600
#define BUFFER_PMI      (1ull << 62)
#define ADAPTIVE        4 /* format */
#define EVTSEL_ADAPTIVE (1ull << 34)
#define FIXED_ADAPTIVE  (1ull << 32) /* of counter 0; 4 bits a counter */
#define FIXED0          32           /* first bit of fixed counters */
#define LISTS           (sizeof(lists) / sizeof(lists[0]))
#define BRANCHES        8  /* the list's bit, */
#define ALL_BRANCHES    31 /* and how many, less one, */
#define BRANCHES_SHIFT  24 /* at this bit */

static struct {
	uint64_t bts[4];
	uint64_t base, index, maximum, threshold, reset[64];
} store __attribute__((aligned(4096)));

static uint64_t buffer[2048] __attribute__((aligned(4096)));

static const unsigned events[] = {0x00c4, 0x00c5, 0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c0};

/* No group, each one, all: bits of MSR_PEBS_DATA_CFG. */
static const uint64_t lists[] = {0, 1, 2, 4, 8, 15};

struct row {
	uint64_t counters; /* as bits of PEBS_ENABLE */
	uint64_t list, start;
	bool adaptive;
};

static uint64_t bytes_of(const struct row *row)
{
	static const uint64_t group_bytes[] = {32, 144, 256, 24 * (ALL_BRANCHES + 1)};
	uint64_t bytes = 32;

	for (unsigned i = 0; row->adaptive && i < 4; i++)
		bytes += row->list >> i & 1 ? group_bytes[i] : 0;
	return bytes;
}

static void ignore(struct trap_frame *frame)
{
	(void)frame;
}

static void set_up(const struct row *row)
{
	pmu_reset();
	memset(&store, 0, sizeof(store));
	memset(buffer, 0, sizeof(buffer));
	store.base = store.index = (uint64_t)buffer;
	store.maximum = store.base + sizeof(buffer);
	store.threshold = store.base + bytes_of(row);
	for (unsigned i = 0; i < 64; i++)
		store.reset[i] = minus(1000000);
	wrmsr(DS_AREA, (uint64_t)&store);
	wrmsr(PEBS_DATA_CFG, row->list);
	on_nmi(ignore);
	pmi_by_nmi();
	for (unsigned i = 0; i < machine.general; i++) {
		if (!(row->counters >> i & 1))
			continue;
		general_start(i, events[i], OS | USR, false, row->start);
		wrmsr(EVTSEL0 + i, rdmsr(EVTSEL0 + i) | (row->adaptive ? EVTSEL_ADAPTIVE : 0));
	}
	for (unsigned i = 0; i < machine.fixed; i++) {
		if (!(row->counters >> (FIXED0 + i) & 1))
			continue;
		fixed_start(i, OS | USR, false, row->start);
		wrmsr(FIXED_CTRL,
		      rdmsr(FIXED_CTRL) | (row->adaptive ? FIXED_ADAPTIVE << 4 * i : 0));
	}
	wrmsr(PEBS_ENABLE, row->counters);
}

/* Returns the number of records; false in *right: one is not as it should be. */
static unsigned check(const struct row *row, bool *right)
{
	uint64_t head = bytes_of(row) << 48 | (row->adaptive ? row->list : 0);
	unsigned nr = 0;

	*right = (store.index >= store.threshold) == !!(rdmsr(GLOBAL_STATUS) & BUFFER_PMI);
	for (uint64_t at = store.base; at < store.index; at += bytes_of(row), nr++) {
		const uint64_t *record = (const uint64_t *)at;

		*right &= record[0] == head && (record[2] & row->counters) &&
			  !(record[2] & ~row->counters);
	}
	*right &= nr || !buffer[0];
	return nr;
}

static struct {
	unsigned wrong, early, recorded;
} sums;

static void run(const struct row *row)
{
	unsigned nr;
	bool right;

	set_up(row);
	counted_call(row->counters, branchy, 12);
	nr = check(row, &right);
	sums.wrong += !right;
	sums.early += !row->start && nr;
	sums.recorded += nr;
	wrmsr(PEBS_ENABLE, 0);
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
}

static void each_list(uint64_t counters)
{
	const uint64_t starts[] = {0, minus(16), minus(2), minus(1)};

	for (unsigned i = 0; i < 4 * LISTS * 2; i++) {
		struct row row = {.counters = counters,
				  .start = starts[i % 4],
				  .list = lists[i / 4 % LISTS],
				  .adaptive = i / 4 / LISTS};

		if (row.list & BRANCHES)
			row.list |= (uint64_t)ALL_BRANCHES << BRANCHES_SHIFT;
		run(&row);
	}
}

void test_pebs_counters(void)
{
	uint64_t all = 0;

	if (machine.pebs_format != ADAPTIVE)
		return;
	memset(&sums, 0, sizeof(sums));
	for (unsigned i = 0; i < machine.general; i++)
		each_list(1ull << i);
	for (unsigned i = 0; i < machine.fixed; i++)
		each_list(1ull << (FIXED0 + i));
	for (unsigned i = 0; i < machine.general; i += 2)
		all |= 1ull << i;
	each_list(all | ((1ull << machine.fixed) - 1) << FIXED0);
	is(sums.wrong, 0, "each record has its groups' size and list, and names its counter");
	is(sums.early, 0, "no record without an overflow");
	ok(sums.recorded > 200, "counters of every kind make records (%lu)",
	   (unsigned long)sums.recorded);
	wrmsr(PEBS_DATA_CFG, 0);
	wrmsr(DS_AREA, 0);
	pmu_reset();
}
