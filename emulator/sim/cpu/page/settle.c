/* SPDX-License-Identifier: BSD-2-Clause */
/* One table: the quantity of each count of the memory. */
#include "emulator/sim/cpu/page/settle.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROW(quantity, member)                                           \
	{                                                               \
		CORE_##quantity, offsetof(struct memory_counts, member) \
	}

static const struct row {
	uint8_t quantity;
	uint16_t offset;
} rows[] = {
    ROW(LOADS_L1, loads_from[MEM_L1]),
    ROW(LOADS_LFB, loads_from[MEM_LFB]),
    ROW(LOADS_L2, loads_from[MEM_L2]),
    ROW(LOADS_L3, loads_from[MEM_L3]),
    ROW(LOADS_HITM, loads_from[MEM_HITM]),
    ROW(LOADS_DRAM, loads_from[MEM_DRAM]),
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

void settle_memory(struct settled *settled, struct memory *memory, uint64_t *totals)
{
	const struct memory_counts *now = memory_counts(memory), *before = &settled->memory;

	for (const struct row *row = rows; row < rows + COUNT(rows); row++)
		totals[row->quantity] += value(now, row) - value(before, row);
	totals[CORE_L2_LOADS] -= now->l2_code_requests - before->l2_code_requests +
				 now->l2_rfo_requests - before->l2_rfo_requests;
	totals[CORE_L2_LOAD_MISSES] -= now->l2_code_misses - before->l2_code_misses +
				       now->l2_rfo_misses - before->l2_rfo_misses;
	totals[CORE_L2_LOAD_HITS] += now->l2_requests - before->l2_requests -
				     (now->l2_code_requests - before->l2_code_requests) -
				     (now->l2_rfo_requests - before->l2_rfo_requests) -
				     (now->l2_misses - before->l2_misses) +
				     (now->l2_code_misses - before->l2_code_misses) +
				     (now->l2_rfo_misses - before->l2_rfo_misses);
	totals[CORE_L2_STORE_HITS] += now->l2_rfo_requests - before->l2_rfo_requests -
				      (now->l2_rfo_misses - before->l2_rfo_misses);
	totals[CORE_L2_CODE_HITS] += now->l2_code_requests - before->l2_code_requests -
				     (now->l2_code_misses - before->l2_code_misses);
	totals[CORE_ITLB_STLB_HITS] +=
	    now->itlb_misses - before->itlb_misses - (now->itlb_walks - before->itlb_walks);
	totals[CORE_DTLB_LOAD_STLB_HITS] += now->dtlb_load_misses - before->dtlb_load_misses -
					    (now->dtlb_load_walks - before->dtlb_load_walks);
	totals[CORE_DTLB_STORE_STLB_HITS] += now->dtlb_store_misses - before->dtlb_store_misses -
					     (now->dtlb_store_walks - before->dtlb_store_walks);
	settled->memory = *now;
}

/* The quantity of each sum of the pipeline's counts. */
static const struct pipe_row {
	uint8_t quantity, counts[4], nr;
} pipe_rows[] = {
    {CORE_UOPS_ISSUED, {PIPE_UOPS_ISSUED}, 1},
    {CORE_UOPS_EXECUTED, {PIPE_UOPS_EXECUTED}, 1},
    {CORE_UOPS_RETIRED, {PIPE_SLOTS_RETIRING}, 1},
    {CORE_PORT_0, {PIPE_PORT_FIRST + 0}, 1},
    {CORE_PORT_1, {PIPE_PORT_FIRST + 1}, 1},
    {CORE_PORT_2, {PIPE_PORT_FIRST + 2}, 1},
    {CORE_PORT_3, {PIPE_PORT_FIRST + 3}, 1},
    {CORE_PORT_4, {PIPE_PORT_FIRST + 4}, 1},
    {CORE_PORT_5, {PIPE_PORT_FIRST + 5}, 1},
    {CORE_PORT_6, {PIPE_PORT_FIRST + 6}, 1},
    {CORE_PORT_7, {PIPE_PORT_FIRST + 7}, 1},
    {CORE_PORT_8, {PIPE_PORT_FIRST + 8}, 1},
    {CORE_PORT_9, {PIPE_PORT_FIRST + 9}, 1},
    {CORE_PORT_10, {PIPE_PORT_FIRST + 10}, 1},
    {CORE_PORT_11, {PIPE_PORT_FIRST + 11}, 1},
    {CORE_SLOTS_RETIRING, {PIPE_SLOTS_RETIRING}, 1},
    {CORE_SLOTS_BAD_SPECULATION, {PIPE_SLOTS_BAD_SPECULATION}, 1},
    {CORE_SLOTS_FRONTEND, {PIPE_SLOTS_FRONTEND}, 1},
    {CORE_SLOTS_BACKEND, {PIPE_SLOTS_BACKEND}, 1},
    {CORE_SLOTS_HEAVY, {PIPE_SLOTS_HEAVY}, 1},
    {CORE_SLOTS_MISPREDICTED, {PIPE_SLOTS_BAD_SPECULATION}, 1},
    {CORE_SLOTS_FETCH_LATENCY, {PIPE_SLOTS_FETCH_LATENCY}, 1},
    {CORE_SLOTS_MEMORY, {PIPE_SLOTS_MEMORY}, 1},
    {CORE_ISSUE_CYCLES, {PIPE_ISSUE_CYCLES}, 1},
    {CORE_RETIRE_CYCLES, {PIPE_RETIRE_CYCLES}, 1},
    {CORE_PENDING_CYCLES_L1D, {PIPE_PENDING_L1D_MISS}, 1},
    {CORE_PENDING_CYCLES_L2, {PIPE_PENDING_L2_MISS}, 1},
    {CORE_PENDING_CYCLES_L3, {PIPE_PENDING_L3_MISS}, 1},
    {CORE_STALL_CYCLES_MEMORY, {PIPE_STALL_L1D_MISS}, 1},
    {CORE_STALL_CYCLES_L2, {PIPE_STALL_L2_MISS}, 1},
    {CORE_STALL_CYCLES_L3, {PIPE_STALL_L3_MISS}, 1},
    {CORE_STALL_CYCLES_ROB, {PIPE_STALL_ROB}, 1},
    {CORE_STALL_CYCLES_SCHEDULER, {PIPE_STALL_SCHEDULER}, 1},
    {CORE_STALL_CYCLES_STORES, {PIPE_STALL_STORE_BUFFER}, 1},
    {CORE_LOCKED_LOADS, {PIPE_LOCKED_LOADS}, 1},
    {CORE_STALL_CYCLES_FRONTEND, {PIPE_STALL_FETCH, PIPE_STALL_RESTEER}, 2},
    {CORE_STALL_CYCLES_RESOURCES,
     {PIPE_STALL_ROB, PIPE_STALL_SCHEDULER, PIPE_STALL_LOAD_BUFFER, PIPE_STALL_STORE_BUFFER},
     4},
    {CORE_RECOVERY_CYCLES, {PIPE_STALL_RECOVERY}, 1},
    {CORE_DIVIDER_CYCLES, {PIPE_DIVIDER_ACTIVE}, 1},
    {CORE_DIVISIONS, {PIPE_DIVISIONS}, 1},
    {CORE_STORE_FORWARDS, {PIPE_FORWARDS}, 1},
    {CORE_STORE_FORWARDS_BLOCKED, {PIPE_FORWARDS_BLOCKED}, 1},
    {CORE_STORE_FORWARDS_ALIASED, {PIPE_FORWARDS_ALIASED}, 1},
    {CORE_FP_SCALAR_SINGLE, {PIPE_FP_FIRST + FP_SCALAR_SINGLE}, 1},
    {CORE_FP_SCALAR_DOUBLE, {PIPE_FP_FIRST + FP_SCALAR_DOUBLE}, 1},
    {CORE_FP_128_SINGLE, {PIPE_FP_FIRST + FP_128_SINGLE}, 1},
    {CORE_FP_128_DOUBLE, {PIPE_FP_FIRST + FP_128_DOUBLE}, 1},
    {CORE_FP_256_SINGLE, {PIPE_FP_FIRST + FP_256_SINGLE}, 1},
    {CORE_FP_256_DOUBLE, {PIPE_FP_FIRST + FP_256_DOUBLE}, 1},
    {CORE_FP_X87, {PIPE_FP_FIRST + FP_X87}, 1},
    {CORE_FLOPS_ADD, {PIPE_FLOPS_FIRST + FP_ADD - FP_ADD}, 1},
    {CORE_FLOPS_MULTIPLY, {PIPE_FLOPS_FIRST + FP_MULTIPLY - FP_ADD}, 1},
    {CORE_FLOPS_DIVIDE, {PIPE_FLOPS_FIRST + FP_DIVIDE - FP_ADD}, 1},
    {CORE_FLOPS_MULTIPLY_ADD, {PIPE_FLOPS_FIRST + FP_MULTIPLY_ADD - FP_ADD}, 1},
    {CORE_UOPS_MICROCODE, {PIPE_UOPS_MICROCODE}, 1},
    {CORE_FUSED_BRANCHES, {PIPE_FUSED_BRANCHES}, 1},
    {CORE_OUTSTANDING_L1D, {PIPE_OUTSTANDING}, 1},
    {CORE_ROB_ENTRIES, {PIPE_ROB_ENTRIES}, 1},
    {CORE_LOAD_ENTRIES, {PIPE_LOAD_ENTRIES}, 1},
    {CORE_STORE_ENTRIES, {PIPE_STORE_ENTRIES}, 1},
};

void settle_forget_pipeline(struct settled *settled, struct pipeline *pipeline)
{
	memcpy(settled->pipeline, pipeline_counts(pipeline), sizeof(settled->pipeline));
}

void settle_pipeline(struct settled *settled, struct pipeline *pipeline, uint64_t *totals)
{
	const uint64_t *now = pipeline_counts(pipeline);

	for (const struct pipe_row *row = pipe_rows; row < pipe_rows + COUNT(pipe_rows); row++)
		for (unsigned i = 0; i < row->nr; i++)
			totals[row->quantity] +=
			    now[row->counts[i]] - settled->pipeline[row->counts[i]];
	memcpy(settled->pipeline, now, sizeof(settled->pipeline));
}

#define MOST_OF_A_MISS   64   /* requests of walks, prefetched lines, two lines of a split */
#define MOST_WALK_CYCLES 8192 /* of a page walk or two */

unsigned settles_most(unsigned quantity)
{
	return quantity == CORE_DTLB_LOAD_WALK_CYCLES || quantity == CORE_DTLB_STORE_WALK_CYCLES ||
		       quantity == CORE_ITLB_WALK_CYCLES
		   ? MOST_WALK_CYCLES
		   : MOST_OF_A_MISS;
}

bool settles_memory(unsigned quantity)
{
	for (const struct row *row = rows; row < rows + COUNT(rows); row++)
		if (row->quantity == quantity)
			return true;
	return false;
}
