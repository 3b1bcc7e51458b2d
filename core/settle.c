/* SPDX-License-Identifier: BSD-2-Clause */
/* One table: which count of the memory's is which quantity. */
#include "core/settle.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROW(quantity, member)                                           \
	{                                                               \
		CORE_##quantity, offsetof(struct memory_counts, member) \
	}

static const struct row {
	uint8_t quantity;
	uint16_t offset;
} rows[] = {
    ROW(L1D_LOADS, l1d_loads),
    ROW(L1D_STORES, l1d_stores),
    ROW(L1D_LOAD_MISSES, l1d_load_misses),
    ROW(L1D_STORE_MISSES, l1d_store_misses),
    ROW(L1D_REPLACED, l1d_replaced),
    ROW(L1D_WRITTEN_BACK, l1d_written_back),
    ROW(L1I_FETCHES, l1i_fetches),
    ROW(L1I_MISSES, l1i_misses),
    ROW(L2_LOADS, l2_requests), /* of which code and stores are taken away below */
    ROW(L2_LOAD_MISSES, l2_misses),
    ROW(L2_CODE, l2_code_requests),
    ROW(L2_CODE_MISSES, l2_code_misses),
    ROW(L2_STORES, l2_rfo_requests),
    ROW(L2_STORE_MISSES, l2_rfo_misses),
    ROW(L2_FILLED, l2_filled),
    ROW(L2_WRITTEN_BACK, l2_written_back),
    ROW(LAST_REQUESTS, last_requests),
    ROW(LAST_MISSES, last_misses),
    ROW(LAST_LOADS, last_load_requests),
    ROW(LAST_LOAD_MISSES, last_load_misses),
    ROW(LAST_STORES, last_store_requests),
    ROW(LAST_STORE_MISSES, last_store_misses),
    ROW(PREFETCHES_L2, prefetched[0]),
    ROW(PREFETCHES_L2, prefetched[1]),
    ROW(PREFETCHES_L1D, prefetched[2]),
    ROW(PREFETCHES_L1D, prefetched[3]),
    ROW(HITM, hitm),
    ROW(INVALIDATED, invalidated),
    ROW(SPLIT_LOADS, splits_load),
    ROW(SPLIT_STORES, splits_store),
    ROW(DTLB_LOAD_MISSES, dtlb_load_misses),
    ROW(DTLB_LOAD_WALKS, dtlb_load_walks),
    ROW(DTLB_LOAD_WALK_CYCLES, dtlb_load_walk_cycles),
    ROW(DTLB_STORE_MISSES, dtlb_store_misses),
    ROW(DTLB_STORE_WALKS, dtlb_store_walks),
    ROW(DTLB_STORE_WALK_CYCLES, dtlb_store_walk_cycles),
    ROW(ITLB_MISSES, itlb_misses),
    ROW(ITLB_WALKS, itlb_walks),
    ROW(ITLB_WALK_CYCLES, itlb_walk_cycles),
};

static uint64_t value(const struct memory_counts *counts, const struct row *row)
{
	return *(const uint64_t *)((const char *)counts + row->offset);
}

void settle(struct settled *settled, struct memory *memory, uint64_t *totals)
{
	const struct memory_counts *now = memory_counts(memory), *before = &settled->memory;

	for (const struct row *row = rows; row < rows + COUNT(rows); row++)
		totals[row->quantity] += value(now, row) - value(before, row);
	totals[CORE_L2_LOADS] -= now->l2_code_requests - before->l2_code_requests +
				 now->l2_rfo_requests - before->l2_rfo_requests;
	totals[CORE_L2_LOAD_MISSES] -= now->l2_code_misses - before->l2_code_misses +
				       now->l2_rfo_misses - before->l2_rfo_misses;
	settled->memory = *now;
}

bool settles(unsigned quantity)
{
	for (const struct row *row = rows; row < rows + COUNT(rows); row++)
		if (row->quantity == quantity)
			return true;
	return false;
}
