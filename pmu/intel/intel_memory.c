/* SPDX-License-Identifier: BSD-2-Clause */
/* The data source of a PEBS record's memory access, in Linux's terms. SDM volume 3, "Data Source
 * Encoding" of load latency and "DataLA"; Linux's encoding from Ice Lake on. */
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/intel.h"

#define S(field, value) PERF_MEM_S(field, value)
#define LOAD_HIT        (S(OP, LOAD) | S(LVL, HIT))
#define LEVEL(number)   S(LVLNUM, number)
#define REMOTE          S(REMOTE, REMOTE)
#define UNKNOWN         (S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA))
#define WITHOUT(...)    (UNKNOWN & ~(__VA_ARGS__))

/* Data sources by bits 3:0 of a load's record. */
static const uint64_t load_sources[16] = {
    S(OP, LOAD) | S(LVL, MISS) | LEVEL(L3) | S(SNOOP, NA),
    LOAD_HIT | S(LVL, L1) | LEVEL(L1) | S(SNOOP, NONE),
    LOAD_HIT | S(LVL, LFB) | LEVEL(LFB) | S(SNOOP, NONE),
    LOAD_HIT | S(LVL, L2) | LEVEL(L2) | S(SNOOP, NONE),
    LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, NONE),
    LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, MISS),
    LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HIT),
    LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM),
    LOAD_HIT | LEVEL(L4) | S(SNOOP, HIT),
    LOAD_HIT | LEVEL(L4) | REMOTE | S(SNOOP, HIT),
    LOAD_HIT | S(LVL, LOC_RAM) | LEVEL(RAM) | S(SNOOP, HIT),
    LOAD_HIT | LEVEL(RAM) | REMOTE | S(SNOOP, NONE),
    LOAD_HIT | LEVEL(ANY_CACHE) | REMOTE | S(SNOOPX, FWD),
    LOAD_HIT | LEVEL(ANY_CACHE) | REMOTE | S(SNOOP, HITM),
    LOAD_HIT | S(LVL, IO) | LEVEL(NA) | S(SNOOP, NONE),
    LOAD_HIT | S(LVL, UNC) | LEVEL(NA) | S(SNOOP, NONE),
};

#define AUX_SOURCE        FIELD(3, 0)
#define AUX_TLB_MISS      BIT(4)
#define AUX_LOCKED        BIT(5)
#define AUX_DATA_BLOCK    BIT(6) /* by an earlier store's data */
#define AUX_ADDRESS_BLOCK BIT(7) /* by a store whose address may be the same */
#define AUX_STORE_HIT     BIT(0)

static uint64_t access_latency(uint64_t aux)
{
	uint64_t tlb =
	    aux & AUX_TLB_MISS ? S(TLB, MISS) | S(TLB, L2) : S(TLB, HIT) | S(TLB, L1) | S(TLB, L2);

	return load_sources[FIELD_GET(AUX_SOURCE, aux)] | tlb |
	       (aux & AUX_LOCKED ? S(LOCK, LOCKED) : 0);
}

/* Returns the cause that blocked the load; only newer processors report it. */
static uint64_t load_blocks(uint64_t aux)
{
	if (!intel_model(hw_this_kind())->two_latencies ||
	    !(aux & (AUX_DATA_BLOCK | AUX_ADDRESS_BLOCK)))
		return S(BLK, NA);
	return (aux & AUX_DATA_BLOCK ? S(BLK, DATA) : 0) |
	       (aux & AUX_ADDRESS_BLOCK ? S(BLK, ADDR) : 0);
}

/* Decodes a store, which has the loads' sources. */
static uint64_t store_sample(uint64_t aux)
{
	return (access_latency(aux) & ~S(OP, LOAD)) | S(OP, STORE) | S(BLK, NA);
}

/* Stores also report whether they hit the first level. */
static uint64_t store(uint64_t aux)
{
	uint64_t level = S(LVL, L1) | (aux & AUX_STORE_HIT ? S(LVL, HIT) : S(LVL, MISS));

	return WITHOUT(S(OP, NA) | S(LVL, NA)) | S(OP, STORE) | level;
}

enum kind { KIND_OTHER, KIND_LATENCY, KIND_SAMPLED_STORE, KIND_LOAD, KIND_STORE };

/* The events whose records describe memory accesses, by code, or by event select alone. */
static const struct {
	uint16_t first, last, mask;
	uint8_t kind;
} events[] = {
    {0x01cd, 0x01cd, 0xffff, KIND_LATENCY},       /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    {0x02cd, 0x02cd, 0xffff, KIND_SAMPLED_STORE}, /* .STORE_SAMPLE */
    {0x11d0, 0x11d0, 0xffff, KIND_LOAD},          /* MEM_INST_RETIRED.STLB_MISS_LOADS */
    {0x21d0, 0x21d0, 0xffff, KIND_LOAD},          /* .LOCK_LOADS */
    {0x41d0, 0x41d0, 0xffff, KIND_LOAD},          /* .SPLIT_LOADS */
    {0x81d0, 0x81d0, 0xffff, KIND_LOAD},          /* .ALL_LOADS */
    {0x12d0, 0x12d0, 0xffff, KIND_STORE},         /* .STLB_MISS_STORES */
    {0x42d0, 0x42d0, 0xffff, KIND_STORE},         /* .SPLIT_STORES */
    {0x82d0, 0x82d0, 0xffff, KIND_STORE},         /* .ALL_STORES */
    {0x00d1, 0x00d4, 0x00ff, KIND_LOAD},          /* MEM_LOAD_*_RETIRED */
};

static enum kind find_kind(uint64_t code)
{
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if ((code & events[i].mask) >= events[i].first &&
		    (code & events[i].mask) <= events[i].last)
			return events[i].kind;
	return KIND_OTHER;
}

uint64_t intel_data_source(const struct perf_event *event, uint64_t aux)
{
	switch (find_kind(event->hw.config)) {
	case KIND_LATENCY:
		return access_latency(aux) | load_blocks(aux);
	case KIND_SAMPLED_STORE:
		return store_sample(aux);
	case KIND_LOAD:
		return WITHOUT(S(OP, NA)) | S(OP, LOAD);
	case KIND_STORE:
		return store(aux);
	default:
		return UNKNOWN;
	}
}
