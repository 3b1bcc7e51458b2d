/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates the data source of PEBS records to PERF_MEM_*. SDM volume 3, "Data Source Encoding" of
 * load latency, "Precise Store Facility" and "DataLA"; the values are Linux's choice. */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/intel.h"

#define S(field, value) PERF_MEM_S(field, value)
#define LOAD_HIT        (S(OP, LOAD) | S(LVL, HIT))
#define LEVEL(number)   S(LVLNUM, number)
#define REMOTE          S(REMOTE, REMOTE)
#define UNKNOWN         (S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA))
#define WITHOUT(...)    (UNKNOWN & ~(__VA_ARGS__))

#define NONE_OR_MISS (S(SNOOP, NONE) | S(SNOOP, MISS))

/* By bits 3:0 of a load's record: levels up to the last; other caches, by generation; I/O. */
#define NEAR_SOURCES                                                    \
	[0] = S(OP, LOAD) | S(LVL, MISS) | LEVEL(L3) | S(SNOOP, NA),    \
	[1] = LOAD_HIT | S(LVL, L1) | LEVEL(L1) | S(SNOOP, NONE),       \
	[2] = LOAD_HIT | S(LVL, LFB) | LEVEL(LFB) | S(SNOOP, NONE),     \
	[3] = LOAD_HIT | S(LVL, L2) | LEVEL(L2) | S(SNOOP, NONE),       \
	[4] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, NONE),       \
	[10] = LOAD_HIT | S(LVL, LOC_RAM) | LEVEL(RAM) | S(SNOOP, HIT), \
	[14] = LOAD_HIT | S(LVL, IO) | LEVEL(NA) | S(SNOOP, NONE),      \
	[15] = LOAD_HIT | S(LVL, UNC) | LEVEL(NA) | S(SNOOP, NONE)
#define SNOOPED(five, six)                                        \
	[5] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, five), \
	[6] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, six),  \
	[7] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM)
#define OTHER_SOCKET [8] = LOAD_HIT | S(LVL, REM_CCE1) | REMOTE | LEVEL(L3) | S(SNOOP, HIT)
#define SOCKETS                                                                  \
	[9] = LOAD_HIT | S(LVL, REM_CCE1) | REMOTE | LEVEL(L3) | S(SNOOP, HITM), \
	[11] = LOAD_HIT | S(LVL, REM_RAM1) | REMOTE | LEVEL(L3) | S(SNOOP, HIT), \
	[12] = LOAD_HIT | S(LVL, LOC_RAM) | LEVEL(RAM) | NONE_OR_MISS,           \
	[13] = LOAD_HIT | S(LVL, REM_RAM1) | LEVEL(RAM) | REMOTE | NONE_OR_MISS

static const uint64_t nehalem_loads[16] = {NEAR_SOURCES, SNOOPED(HIT, HITM), OTHER_SOCKET, SOCKETS};
static const uint64_t sandy_bridge_loads[16] = {NEAR_SOURCES, SNOOPED(MISS, HIT), OTHER_SOCKET,
						SOCKETS};
static const uint64_t skylake_loads[16] = {
    NEAR_SOURCES,
    SNOOPED(MISS, HIT),
    [8] = LOAD_HIT | LEVEL(L4) | S(SNOOP, HIT),
    [9] = LOAD_HIT | LEVEL(L4) | REMOTE | S(SNOOP, HIT),
    [11] = LOAD_HIT | LEVEL(RAM) | REMOTE | S(SNOOP, NONE),
    [12] = LOAD_HIT | LEVEL(ANY_CACHE) | REMOTE | S(SNOOPX, FWD),
    [13] = LOAD_HIT | LEVEL(ANY_CACHE) | REMOTE | S(SNOOP, HITM),
};

static const uint64_t gracemont_loads[16] = {
    NEAR_SOURCES,
    [5] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HIT),
    [6] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOP, HITM),
    [8] = LOAD_HIT | S(LVL, L3) | LEVEL(L3) | S(SNOOPX, FWD),
    SOCKETS,
};

/* Servers from Skylake on have persistent memory where others have a fourth level. */
#define PERSISTENT_FIRST 8
#define PERSISTENT_LAST  9

static bool has_persistent_memory(void)
{
	switch (cpuid_model()) {
	case 0x55: /* Skylake, Cascade Lake */
	case 0x6a: /* Ice Lake */
	case 0x6c:
	case 0x8f: /* Sapphire Rapids */
		return true;
	default:
		return false;
	}
}

enum kind {
	KIND_OTHER,
	KIND_LATENCY,
	KIND_SAMPLED_STORE,
	KIND_PRECISE_STORE,
	KIND_LOAD,
	KIND_STORE
};

/* Events whose records have an access: by code, or by event select alone. */
struct memory_event {
	uint16_t first, last, mask;
	uint8_t kind;
};

struct intel_memory {
	const uint64_t *loads;
	const struct memory_event *events; /* ended by first == 0 */
	bool no_tlb;                       /* no translations, no locks */
	bool lock_first;                   /* the bits of translation and lock are exchanged */
};

#define AUX_SOURCE        FIELD(3, 0)
#define AUX_TLB_MISS      BIT(4)
#define AUX_LOCKED        BIT(5)
#define AUX_DATA_BLOCK    BIT(6) /* by an earlier store's data */
#define AUX_ADDRESS_BLOCK BIT(7) /* by a store whose address may be the same */
#define AUX_STORE_HIT     BIT(0)

static uint64_t load_source(const struct intel_memory *memory, unsigned number)
{
	uint64_t source = memory->loads[number];

	if (memory->loads == skylake_loads && number >= PERSISTENT_FIRST &&
	    number <= PERSISTENT_LAST && has_persistent_memory())
		return (source & ~LEVEL(L4)) | LEVEL(PMEM);
	return source;
}

static uint64_t access_latency(const struct intel_memory *memory, uint64_t aux)
{
	uint64_t miss = memory->lock_first ? AUX_LOCKED : AUX_TLB_MISS,
		 lock = memory->lock_first ? AUX_TLB_MISS : AUX_LOCKED;
	uint64_t source = load_source(memory, (unsigned)FIELD_GET(AUX_SOURCE, aux)),
		 tlb =
		     aux & miss ? S(TLB, MISS) | S(TLB, L2) : S(TLB, HIT) | S(TLB, L1) | S(TLB, L2);

	if (memory->no_tlb)
		return source | S(TLB, NA) | S(LOCK, NA);
	return source | tlb | (aux & lock ? S(LOCK, LOCKED) : 0);
}

/* Returns the reason why the load waited, which only newer processors report. */
static uint64_t load_blocks(const struct intel_memory *memory, uint64_t aux)
{
	if (memory->no_tlb)
		return 0;
	if (!intel_model(hw_this_kind())->two_latencies ||
	    !(aux & (AUX_DATA_BLOCK | AUX_ADDRESS_BLOCK)))
		return S(BLK, NA);
	return (aux & AUX_DATA_BLOCK ? S(BLK, DATA) : 0) |
	       (aux & AUX_ADDRESS_BLOCK ? S(BLK, ADDR) : 0);
}

/* Stores have the loads' sources. */
static uint64_t store_sample(const struct intel_memory *memory, uint64_t aux)
{
	return (access_latency(memory, aux) & ~S(OP, LOAD)) | S(OP, STORE) | S(BLK, NA);
}

/* Stores report whether they hit the first level. */
static uint64_t store(uint64_t aux)
{
	uint64_t level = S(LVL, L1) | (aux & AUX_STORE_HIT ? S(LVL, HIT) : S(LVL, MISS));

	return WITHOUT(S(OP, NA) | S(LVL, NA)) | S(OP, STORE) | level;
}

/* Sandy Bridge's precise stores. */
static uint64_t precise_store(uint64_t aux)
{
	return S(OP, STORE) | S(SNOOP, NA) | S(LVL, L1) | S(TLB, L2) |
	       (aux & AUX_TLB_MISS ? S(TLB, MISS) : S(TLB, HIT)) |
	       (aux & AUX_STORE_HIT ? S(LVL, HIT) : S(LVL, MISS)) |
	       (aux & AUX_LOCKED ? S(LOCK, LOCKED) : 0);
}

#define EVENT_ROW(code, kind)            \
	{                                \
		code, code, 0xffff, kind \
	}
#define LATENCY_ROW EVENT_ROW(0x01cd, KIND_LATENCY) /* MEM_TRANS_RETIRED.LOAD_LATENCY */
/* MEM_UOPS_RETIRED, later MEM_INST_RETIRED: .STLB_MISS_, .LOCK_, .SPLIT_, .ALL_LOADS and _STORES;
 * then MEM_LOAD_*_RETIRED. */
#define DATALA_ROWS(last)                                                                         \
	EVENT_ROW(0x11d0, KIND_LOAD), EVENT_ROW(0x21d0, KIND_LOAD), EVENT_ROW(0x41d0, KIND_LOAD), \
	    EVENT_ROW(0x81d0, KIND_LOAD), EVENT_ROW(0x12d0, KIND_STORE),                          \
	    EVENT_ROW(0x42d0, KIND_STORE), EVENT_ROW(0x82d0, KIND_STORE),                         \
	{                                                                                         \
		0x00d1, last, 0x00ff, KIND_LOAD                                                   \
	}
#define LAST_ROW EVENT_ROW(0, KIND_OTHER)

static const struct memory_event nehalem_events[] = {
    EVENT_ROW(0x100b, KIND_LATENCY), LAST_ROW}; /* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD */
static const struct memory_event sandy_bridge_events[] = {
    LATENCY_ROW, EVENT_ROW(0x02cd, KIND_PRECISE_STORE), LAST_ROW}; /* .PRECISE_STORE */
static const struct memory_event haswell_events[] = {LATENCY_ROW, DATALA_ROWS(0x00d3), LAST_ROW};
static const struct memory_event skylake_events[] = {
    LATENCY_ROW, EVENT_ROW(0x22d0, KIND_STORE), DATALA_ROWS(0x00d3), LAST_ROW}; /* LOCK_STORES */
static const struct memory_event ice_lake_events[] = {
    LATENCY_ROW, EVENT_ROW(0x02cd, KIND_SAMPLED_STORE), DATALA_ROWS(0x00d4), LAST_ROW};

/* MEM_UOPS_RETIRED.LOAD_LATENCY, .STORE_LATENCY. */
static const struct memory_event gracemont_events[] = {
    EVENT_ROW(0x05d0, KIND_LATENCY), EVENT_ROW(0x06d0, KIND_SAMPLED_STORE), LAST_ROW};

const struct intel_memory intel_memory_nehalem = {
    .loads = nehalem_loads, .events = nehalem_events, .no_tlb = true};
const struct intel_memory intel_memory_sandy_bridge = {.loads = sandy_bridge_loads,
						       .events = sandy_bridge_events};
const struct intel_memory intel_memory_haswell = {.loads = sandy_bridge_loads,
						  .events = haswell_events};
const struct intel_memory intel_memory_skylake = {.loads = skylake_loads, .events = skylake_events};
const struct intel_memory intel_memory_gracemont = {
    .loads = gracemont_loads, .events = gracemont_events, .lock_first = true};
static const struct intel_memory ice_lake = {.loads = skylake_loads, .events = ice_lake_events};

static const struct intel_memory *memory_of(const struct perf_event *event)
{
	const struct intel_memory *memory = intel_model(event->hw.kind)->memory;

	return memory ? memory : &ice_lake;
}

static enum kind find_kind(const struct memory_event *events, uint64_t code)
{
	for (; events->first; events++)
		if ((code & events->mask) >= events->first && (code & events->mask) <= events->last)
			return events->kind;
	return KIND_OTHER;
}

uint64_t intel_data_source(const struct perf_event *event, uint64_t aux)
{
	const struct intel_memory *memory = memory_of(event);

	switch (find_kind(memory->events, event->hw.config)) {
	case KIND_LATENCY:
		return access_latency(memory, aux) | load_blocks(memory, aux);
	case KIND_SAMPLED_STORE:
		return store_sample(memory, aux);
	case KIND_PRECISE_STORE:
		return precise_store(aux);
	case KIND_LOAD:
		return WITHOUT(S(OP, NA)) | S(OP, LOAD);
	case KIND_STORE:
		return store(aux);
	default:
		return UNKNOWN;
	}
}

uint64_t intel_record_enables(const struct perf_event *event)
{
	switch (find_kind(memory_of(event)->events, event->hw.config)) {
	case KIND_LATENCY:
		return PEBS_ENABLE_LATENCY;
	case KIND_PRECISE_STORE:
		return PEBS_ENABLE_STORES;
	default:
		return 0;
	}
}
