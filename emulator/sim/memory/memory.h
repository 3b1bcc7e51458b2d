/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A processor's caches and TLBs: the result of an access, its latency, and its effects. Portable;
 * only one thread at a time may use the memories that share a cache.
 */
#ifndef CORE_MEM_MEMORY_H
#define CORE_MEM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

struct memory;
struct shared_cache;

enum mem_level {
	MEM_L1,
	MEM_LFB, /* in L1D's fill buffer: the line is on its way */
	MEM_L2,
	MEM_L3,
	MEM_HITM, /* in another processor's cache, changed there */
	MEM_DRAM,
	MEM_LEVELS,
};

enum page_size { PAGE_4K, PAGE_2M, PAGE_1G };

struct access {
	uint64_t vaddr;
	uint64_t paddr; /* of vaddr; the second page of an access over two is taken from the TLB */
	uint64_t ip;    /* of the instruction: the stride prefetcher's key */
	uint64_t now; /* the cycle in which it begins: what it does not wait for may begin before */
	uint64_t room; /* the cycle from which on a fill buffer is free for it; 0: at once */
	uint32_t size; /* bytes, 1 to 4096. A fetch: up to the end of its line */
	bool store;
	uint8_t page; /* enum page_size; ignored if page sizes are looked up */
};

#define LATENCY_MAX 8191 /* cycles: what the pipeline can wait for */

struct access_result {
	uint8_t level;  /* enum mem_level; of an access over two lines the farther one's */
	bool dtlb_miss; /* of the first level; of a fetch: the ITLB's */
	bool stlb_miss; /* of the second level: the page was walked */
	bool split;     /* over two lines */
	bool split_page;
	bool modifies_code; /* a store to a line that L1I had */
	bool late;          /* the first use of a prefetched line, which was still in flight */
	bool snooped; /* another processor had the line; level says whether it was changed there */
	/* cycles from issue to data, TLB, walk and split included; at most LATENCY_MAX */
	uint32_t latency;
	uint32_t walk_cycles; /* of them, the page walk's */
};

/* Events since memory_new(). */
struct memory_counts {
	uint64_t l1d_loads, l1d_stores, l1d_load_misses, l1d_store_misses; /* accesses, not lines */
	uint64_t l1i_fetches, l1i_misses;                                  /* lines */
	uint64_t lfb_hits;                                                 /* loads and stores */
	uint64_t loads_from[MEM_LEVELS];                                   /* loads, by level */
	uint64_t l1d_replaced, l1d_written_back;                           /* lines */
	uint64_t l2_requests, l2_misses;           /* demand: loads, stores, walks, fetches */
	uint64_t l2_code_requests, l2_code_misses; /* of them, fetches */
	uint64_t l2_rfo_requests, l2_rfo_misses;   /* of them, stores */
	uint64_t l2_filled, l2_written_back;       /* lines, prefetches included */
	uint64_t last_requests, last_misses;       /* of the last level, prefetches included */
	uint64_t last_load_requests, last_load_misses, last_store_requests, last_store_misses;
	uint64_t prefetched[4];              /* lines fetched, by bit of enum prefetcher */
	uint64_t hitm, snooped, invalidated; /* invalidated: lines lost to others' stores */
	uint64_t splits_load, splits_store;
	uint64_t dtlb_load_misses, dtlb_store_misses, itlb_misses; /* of the first level */
	uint64_t dtlb_load_walks, dtlb_store_walks, itlb_walks;    /* misses of the second level */
	uint64_t dtlb_load_walk_cycles, dtlb_store_walk_cycles, itlb_walk_cycles;
};

/* The last level of all processors of a machine. Returns NULL if there is no memory. */
struct shared_cache *shared_cache_new(const struct core_config *config);
/* Returns how its lines move between the processors. */
struct moves *shared_cache_moves(struct shared_cache *shared);
/* Frees it; all memories that use it must be freed first. */
void shared_cache_free(struct shared_cache *shared);

/*
 * One processor's memory. The caller keeps config, which must live as long; processors of one
 * machine may have different ones, but the last level is the shared one's. Returns NULL if there is
 * no memory.
 */
struct memory *memory_new(const struct core_config *config, struct shared_cache *shared);
/* Returns the number of the processor, in the order of memory_new(). */
unsigned memory_number(const struct memory *memory);
void memory_free(struct memory *memory);
/* True if no other processor shares its last level. */
bool memory_is_alone(const struct memory *memory);

/* Makes a load or a store. Fills in all of result. */
static inline void memory_access(struct memory *memory, const struct access *access,
				 struct access_result *result);
/* Fetches instructions within one line. Fills in all of result. */
static inline void memory_fetch(struct memory *memory, const struct access *access,
				struct access_result *result);

/* Returns the size of the page at vaddr in the guest's page tables: enum page_size. */
typedef uint8_t memory_page_at(void *who, uint64_t vaddr);
/* Sets the function that is called for a page missing in the first-level TLBs; by default the size
 * is the access's. */
void memory_set_page_query(struct memory *memory, memory_page_at *page_at, void *who);

/* Pages may have moved: forgets their physical addresses. */
void memory_forget_pages(struct memory *memory);
/* Flushes all entries of the TLBs (MOV CR3), or one page's (INVLPG). */
void memory_flush_tlbs(struct memory *memory);
/* Flushes the entries of the lower half of the address space. */
void memory_flush_space(struct memory *memory);
void memory_flush_page(struct memory *memory, uint64_t vaddr);

/* WBINVD; CLFLUSH (all processors lose the line, modifications go to memory). */
void memory_flush_caches(struct memory *memory);
void memory_flush_line(struct memory *memory, uint64_t vaddr, uint64_t paddr);
/* CLWB: writes modifications to memory, but keeps the line. */
void memory_clean_line(struct memory *memory, uint64_t vaddr, uint64_t paddr);
/* A non-temporal store: its line leaves the caches; memory takes as long for it as for a line that
 * it sends. Fills in all of result. */
void memory_stream(struct memory *memory, const struct access *access,
		   struct access_result *result);
/* PREFETCHh: fetches a line into L1D, unless its page needs a walk. */
void memory_prefetch(struct memory *memory, const struct access *access);

/* MSR 1A4H: disabled has a bit of enum prefetcher for each disabled one. */
void memory_prefetchers(struct memory *memory, uint64_t disabled);

const struct memory_counts *memory_counts(struct memory *memory);

/* observe.c: statistics beyond the counts. */
struct component_instance;
struct prefetch_counts;
struct dram_counts;
/* Returns the processor's transfers, zeros where memory has no parts. */
const struct dram_counts *memory_dram_counts(const struct memory *memory);
/* Returns the counts of each level, by enum sim_level. */
const struct prefetch_counts *memory_prefetch_counts(const struct memory *memory);
/* Sets instances to the components of caches and prefetchers, and places to the place of each.
 * Returns how many there are, at most 4 + 2 for each of five levels. */
unsigned memory_components(struct memory *memory, struct component_instance **instances,
			   const char **places);
/* Counts lines filled into each set from now on. Returns false if there is no memory. */
bool memory_count_fills(struct memory *memory);
void memory_forget_fills(struct memory *memory);
/* Returns them, and how many sets the cache (SIM_L1I to SIM_L3) has. NULL: there is no such
 * cache. */
const uint64_t *memory_fills(const struct memory *memory, enum sim_level level, uint32_t *sets);

#include "emulator/sim/memory/fast.h"

/* The processor waits for a change of memory, by PAUSE; or does not. */
void memory_polls(struct memory *m, bool polls);
/* Returns the cycles in which others that wait by exchanges take the line once each. */
uint32_t memory_contends(struct memory *m, uint64_t vaddr);
/* While it waits: it looks there, by a load or by a store. */
void memory_polls_at(struct memory *m, uint64_t vaddr, bool store);

/* The clock that all processors have in common, at this one's cycle 0. */
void memory_start_clock(struct memory *m, int64_t at);

#endif
