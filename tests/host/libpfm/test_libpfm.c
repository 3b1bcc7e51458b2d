/* SPDX-License-Identifier: BSD-2-Clause */
/* Event codes of the drivers against an independent table: libpfm4's, by the vendors' names. */
#include "tests/host/names.h"
#include "tests/host/pmu/intel_test.h"
#include "tests/host/libpfm/libpfm.h"

#define HW(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define CACHE(name, op, result)                                                             \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##name | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
				PERF_COUNT_HW_CACHE_RESULT_##result << 16

struct row {
	uint32_t type;
	uint64_t config;
	const char *event; /* as libpfm names it */
};

static const struct row fam10h[] = {
    {HW(CPU_CYCLES), "CPU_CLK_UNHALTED"},
    {HW(INSTRUCTIONS), "RETIRED_INSTRUCTIONS"},
    {HW(CACHE_REFERENCES), "REQUESTS_TO_L2:INSTRUCTIONS:DATA:TLB_WALK"},
    {HW(CACHE_MISSES), "L2_CACHE_MISS:INSTRUCTIONS:DATA:TLB_WALK"},
    {HW(BRANCH_INSTRUCTIONS), "RETIRED_BRANCH_INSTRUCTIONS"},
    {HW(BRANCH_MISSES), "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS"},
    {HW(STALLED_CYCLES_FRONTEND), "DECODER_EMPTY"},
    {HW(STALLED_CYCLES_BACKEND), "DISPATCH_STALLS"},
    {CACHE(L1D, READ, ACCESS), "DATA_CACHE_ACCESSES"},
    {CACHE(L1D, PREFETCH, ACCESS), "DATA_PREFETCHES:ATTEMPTED"},
    {CACHE(L1D, PREFETCH, MISS), "DATA_PREFETCHES:CANCELLED"},
    {CACHE(L1I, READ, ACCESS), "INSTRUCTION_CACHE_FETCHES"},
    {CACHE(L1I, READ, MISS), "INSTRUCTION_CACHE_MISSES"},
    {CACHE(L1I, PREFETCH, ACCESS), "PREFETCH_INSTRUCTIONS_DISPATCHED:LOAD"},
    {CACHE(LL, READ, ACCESS), "REQUESTS_TO_L2:INSTRUCTIONS:DATA"},
    {CACHE(LL, READ, MISS), "L2_CACHE_MISS:INSTRUCTIONS:DATA"},
    {CACHE(LL, WRITE, ACCESS), "L2_FILL_WRITEBACK:L2_FILLS"},
    {CACHE(DTLB, READ, ACCESS), "DATA_CACHE_ACCESSES"},
    {CACHE(DTLB, READ, MISS), "L1_DTLB_AND_L2_DTLB_MISS:ALL"},
    {CACHE(ITLB, READ, ACCESS), "INSTRUCTION_CACHE_FETCHES"},
    {CACHE(ITLB, READ, MISS), "L1_ITLB_MISS_AND_L2_ITLB_MISS:ALL"},
    {CACHE(BPU, READ, ACCESS), "RETIRED_BRANCH_INSTRUCTIONS"},
    {CACHE(BPU, READ, MISS), "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS"},
    {CACHE(NODE, READ, ACCESS),
     "CPU_IO_REQUESTS_TO_MEMORY_IO:CPU_TO_MEM:TO_LOCAL_NODE:TO_REMOTE_NODE:FROM_LOCAL_NODE"},
    {CACHE(NODE, READ, MISS),
     "CPU_IO_REQUESTS_TO_MEMORY_IO:CPU_TO_MEM:TO_REMOTE_NODE:FROM_LOCAL_NODE"},
};

#define ZEN                                                                                       \
	{HW(CPU_CYCLES), "CYCLES_NOT_IN_HALT"}, {HW(INSTRUCTIONS), "RETIRED_INSTRUCTIONS"},       \
	    {HW(CACHE_MISSES),                                                                    \
	     "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C:IC_FILL_MISS"},              \
	    {HW(BRANCH_INSTRUCTIONS), "RETIRED_BRANCH_INSTRUCTIONS"},                             \
	    {HW(BRANCH_MISSES), "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"},                      \
	    {CACHE(L1D, READ, MISS), "REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:CHANGE_TO_X"},      \
	    {CACHE(DTLB, READ, MISS), "L1_DTLB_MISS:TLB_RELOAD_1G_L2_MISS:TLB_RELOAD_2M_L2_MISS:" \
				      "TLB_RELOAD_COALESCED_PAGE_MISS:TLB_RELOAD_4K_L2_MISS"},    \
	    {CACHE(ITLB, READ, ACCESS), "L1_ITLB_MISS_L2_ITLB_HIT"},                              \
	    {CACHE(BPU, READ, ACCESS), "RETIRED_BRANCH_INSTRUCTIONS"},                            \
	{                                                                                         \
		CACHE(BPU, READ, MISS), "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"                \
	}

static const struct row zen2[] = {
    ZEN,
    {HW(CACHE_REFERENCES),
     "REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:LS_RD_BLK_C_S:CACHEABLE_IC_READ:CHANGE_TO_X:"
     "PREFETCH_L2:L2_HW_PF:GROUP2"},
    {HW(STALLED_CYCLES_FRONTEND), "UOPS_QUEUE_EMPTY"},
};

/* Linux counts event 60H with all unit masks; Zen 3's list has no name for bit 0. */
static const struct row zen3[] = {
    ZEN,
    {HW(STALLED_CYCLES_FRONTEND), "UOPS_QUEUE_EMPTY"},
};

static const struct row zen4[] = {
    ZEN,
    {HW(CACHE_REFERENCES),
     "REQUESTS_TO_L2_GROUP1:RD_BLK_L:RD_BLK_X:LS_RD_BLK_C_S:CACHEABLE_IC_READ:CHANGE_TO_X:"
     "PREFETCH_L2_CMD:L2_HW_PF:MISC"},
    {HW(STALLED_CYCLES_FRONTEND), "OPS_QUEUE_EMPTY"},
    {PERF_TYPE_RAW, 0x100000120, "P0_FREQ_CYCLES_NOT_IN_HALT:P0_FREQ_CYCLES"},
};

#define ROWS(array) array, sizeof(array) / sizeof((array)[0])

static const struct {
	const char *personality;
	const struct row *rows;
	size_t count;
} tables[] = {
    {"amd-k7", ROWS(fam10h)}, {"amd-core", ROWS(zen2)}, {"zen3", ROWS(zen3)},
    {"amd-v2", ROWS(zen4)},   {"zen5", ROWS(zen4)},
};

/* Returns the value that the driver writes into the counter's event select. */
static uint64_t ours(const struct row *row)
{
	struct perf_event_attr attr = user_attr(row->type, row->config);
	int fd = open_ok(&attr, -1);
	uint64_t code = fake_model.select[0] & CODE;

	fake_close(fd);
	return code;
}

static void codes_agree(void **state)
{
	(void)state;
	assert_names_all(tables, &vendor_amd);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct personality *p = personality_find(tables[t].personality);
		/* A library may not know the newest processors yet. */
		const char *pmu = p->library_instead ? p->library_instead : p->library;

		fake_boot(tables[t].personality);
		for (size_t i = 0; i < tables[t].count; i++) {
			const struct row *row = &tables[t].rows[i];

			if (ours(row) != theirs(pmu, row->event))
				fail_msg("%s: %s: %llx, libpfm says %llx", tables[t].personality,
					 row->event, (unsigned long long)ours(row),
					 (unsigned long long)theirs(pmu, row->event));
		}
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(codes_agree)};

	if (!libpfm_start())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
