/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner state of a processor's memory, shared by the files of emulator/sim/memory. */
#ifndef CORE_MEM_MEMORY_STATE_H
#define CORE_MEM_MEMORY_STATE_H

#include "emulator/sim/memory/assoc.h"
#include "emulator/sim/memory/dram.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/memory/moves.h"
#include "emulator/sim/memory/prefetch.h"

enum {
	PROCESSORS_MAX = 256,
	FILLS_MAX = 64,
	FLIGHTS = 64,
	PAGE_SIZES = 3,
	CHANNEL = 256,
	SIZES = 64,
	KNOWN_PAGES = 1024,
	WALKERS_MAX = 8
};

/* State of a line in a cache. Neither changed nor shared: this processor may write it without a
 * snoop. */
enum line_state {
	LINE_CHANGED = 1 << 0, /* memory, or the level below, has an older value */
	/* other processors may have a copy: a store invalidates it first */
	LINE_SHARED = 1 << 1,
	LINE_PREFETCHED = 1 << 2, /* not used since it was prefetched */
	LINE_FILLING = 1 << 3,    /* of L1D: a fill buffer may still have it */
};

/* The reason for a lookup. */
enum demand { DEMAND_LOAD, DEMAND_STORE, DEMAND_CODE, DEMAND_WALK, DEMAND_PREFETCH };

/* A line in flight: ready is the cycle of its arrival. */
struct flight {
	uint64_t line, ready;
};

/* A bandwidth: time is divided into intervals of one line each; accesses are not in order of time.
 * After a pause of CHANNEL intervals the next line begins one, so that a program's time does not
 * depend on when it starts. */
struct channel {
	uint64_t origin;         /* where the first interval begins, in cycles */
	uint64_t last;           /* when the latest line came, in cycles */
	uint64_t taken[CHANNEL]; /* numbers of intervals, from 1 on, by their low bits */
};

/* The result of a lookup below L1: level, latency in cycles, and state. */
struct found {
	uint8_t level; /* enum mem_level */
	uint8_t state; /* enum line_state */
	bool snooped;
	uint32_t latency;
};

struct tlb {
	const struct tlbs_config *config;
	struct assoc pages[PAGE_SIZES];
	uint64_t *frames[PAGE_SIZES]; /* of each entry, in pages of that size */
};

/* The page size of 2 MiB of addresses, from the page directory's entry. */
struct known_size {
	uint64_t region; /* address / 2 MiB, plus 1; 0: nothing is known */
	uint8_t page;    /* enum page_size */
};

/* The last reply for a page of 4 KiB. */
struct known_page {
	uint64_t page, frame;
	uint64_t generation; /* struct memory's then */
};

struct shared_cache {
	struct assoc lines;
	const struct cache_config *config;
	uint8_t level;        /* enum mem_level: MEM_L2 or MEM_L3 */
	unsigned count, made; /* memories that use it; that were ever made */
	struct memory *processors[PROCESSORS_MAX];
	struct moves moves;
	struct dram *dram; /* NULL: it has no parts */
};

struct memory {
	struct front fronts[FRONTS]; /* first: memory_front() */
	const struct memory_config *config;
	struct shared_cache *shared;
	struct assoc l1[FRONTS];              /* L1D, L1I */
	struct assoc l2;                      /* without ways: the processor has none of its own */
	struct tlb tlb[FRONTS], stlb[FRONTS]; /* code without an STLB of its own uses the data's */
	struct assoc pdes, pdptes; /* cached entries of page directories and their pointers */
	struct flight fills[FILLS_MAX];
	uint8_t *filled_by;                           /* the fill buffer of each entry of L1D */
	uint64_t fills_until;                         /* from here on no fill buffer is in use */
	struct flight flights[FLIGHTS];               /* prefetched into L2, by line */
	struct channel from_memory, from_l3, from_l2; /* lines to this processor; to its L1 */
	uint64_t walker[WALKERS_MAX];                 /* until when each one's cycles are counted */
	unsigned prefetchers;                         /* enum prefetcher: the enabled ones */
	unsigned number;                              /* of the processor */
	struct prefetch_state prefetch;
	const struct access *cause; /* the present access, which causes all further ones */
	bool observed;              /* a policy of the user's sees the accesses: `seen` is kept */
	bool every[FRONTS];         /* components see every hit of this L1: no fast path */
	struct sim_access seen;
	uint64_t polled;  /* the line that the processor looks at while it waits, or has so last */
	bool polling;     /* it waits */
	bool polls_store; /* it looks by an exchange or its kind */
	int64_t clock_start; /* the processors' common clock at this one's cycle 0 */
	uint64_t streamed;   /* the line of the last store that passed the caches by */
	struct memory_counts counts;
	struct dram_counts dram;
	memory_page_at *page_at; /* NULL: the access says how large its page is */
	void *page_asker;
	struct known_size sizes[SIZES];
	struct known_page known[KNOWN_PAGES]; /* by page */
	uint64_t generation; /* of replies about pages: earlier ones are unknown; begins with 1 */
};

static inline uint32_t latency_cut(uint32_t cycles)
{
	return cycles < LATENCY_MAX ? cycles : LATENCY_MAX;
}

/* Returns the cycles of address translation before the cache lookup (tlb.c). */
uint32_t tlb_translate(struct memory *m, unsigned which, const struct access *access,
		       struct access_result *result);
/* Sets *paddr to vaddr's physical address, if the first level has it. */
void tlb_guess(struct memory *m, unsigned which, uint64_t vaddr, uint64_t *paddr);
/* True if the first-level data TLB maps the page of 4 KiB to that frame; *index: its entry. */
bool tlb_has(struct memory *m, uint64_t vaddr, uint64_t frame, uint32_t *index);
/* Marks that entry as used by the access. */
void tlb_used(struct memory *m, const struct access *access, uint32_t index);
bool tlbs_init(struct memory *m);
void tlbs_free(struct memory *m);

/* Accesses one line through L1D or L1I and the levels below (cache.c). Returns the cycles. */
uint32_t cache_line(struct memory *m, unsigned which, uint64_t line, enum demand demand,
		    const struct access *access, uint64_t now, struct access_result *result);
/* Handles a hit in L1D that needs nothing else: as memory_other_hit(). */
enum memory_hit cache_hit(struct memory *m, uint64_t line, bool store, uint64_t now, bool exact);
/* Looks the line up below L1, and fills the levels there. */
struct found cache_below(struct memory *m, uint64_t line, enum demand demand, uint64_t now);
/* As cache_below(), in other processors, the last level and memory. */
struct found cache_beyond(struct memory *m, uint64_t line, enum demand demand, uint64_t now);
/* Fills L1 with a line that was found below. Returns its entry there. */
uint32_t cache_fill_l1(struct memory *m, unsigned which, uint64_t line, uint8_t state);
/* The line of L1D's entry is in the fill buffer until it arrives. */
void cache_in_flight(struct memory *m, struct flight *buffer, uint32_t index, uint64_t ready);
void cache_fill_l2(struct memory *m, uint64_t line, uint8_t state);
/* Returns the fill buffer to use: of the free ones the last one used, else the first to become
 * free. NULL: lines are never in flight. */
struct flight *cache_fill_buffer(struct memory *m, uint64_t now);

/* Sets m->seen for the policies. */
void cache_observe(struct memory *m, uint64_t line, enum sim_type type, uint64_t now);
/* True if one of the processor's own caches has the line. */
bool memory_has_line(struct memory *m, uint64_t line);
/* True if another processor's caches have the line (shared.c). */
bool shared_has_elsewhere(struct memory *m, uint64_t line);
/* Walks to the page for a prefetcher, and fills the second-level TLB. Returns false if that has it,
 * or there is none. */
bool tlb_prefetch(struct memory *m, uint64_t vaddr);
/* True if a data TLB has the page. */
bool tlb_holds(struct memory *m, uint64_t vaddr);

/* Returns in how many cycles from now memory can send one more line. take: it does. */
uint32_t cache_channel(struct memory *m, uint64_t now, bool take);
/* Reads a line from memory. Returns the cycles. */
uint32_t cache_read_memory(struct memory *m, uint64_t line, uint64_t now);
/* Writes a line to memory. Returns in how many cycles memory takes it. */
uint32_t cache_write_memory(struct memory *m, uint64_t line, uint64_t now);

/*
 * Returns how many moves of the line come before the processor's own: after a change all waiting
 * processors load it again, and exchanges of waiting processors take it at any time (Boyd-Wickizer
 * and others, Non-scalable locks are dangerous, 2012).
 */
uint32_t shared_pollers(const struct memory *m, uint64_t line, bool store);

/* Snoops other processors' copies of a line (shared.c): a store invalidates them, a load shares
 * them. Returns enum line_state of the copies, LINE_SHARED if there was any. */
uint8_t shared_snoop(struct memory *m, uint64_t line, bool store);
/* A line is evicted from the levels above the last. */
void shared_write_back(struct memory *m, uint64_t line, uint8_t state);
/* Fills the last level with a line from memory. */
void shared_fill(struct memory *m, uint64_t line, uint8_t state);
/* Evicts the line from a processor's own caches. Returns its state there; 0: not cached. */
uint8_t memory_drop_line(struct memory *m, uint64_t line);

/* Calls the level's prefetchers, if there are any, for an access to the line. */
static inline void prefetch_on(struct memory *m, enum sim_level level, uint64_t line,
			       enum sim_type type, uint64_t now, bool hit, bool first)
{
	if (m->prefetch.listen >> level & 1)
		prefetch_call(m,
			      &(struct sim_access){.pc = m->cause->ip,
						   .vaddr = m->cause->vaddr,
						   .address = line * CORE_LINE_SIZE,
						   .cycle = now,
						   .processor = m->number,
						   .type = (uint8_t)type,
						   .hit = hit,
						   .prefetched = first},
			      level);
}

/* A line was filled into the level. */
static inline void prefetch_filled(struct memory *m, enum sim_level level, uint64_t line,
				   uint8_t state)
{
	if (m->prefetch.fills >> level & 1)
		prefetch_notify_fill(m, level, line, state & LINE_PREFETCHED);
}

/* A prefetched line is accessed for the first time, or leaves without. */
static inline void prefetch_used(struct memory *m, enum sim_level level, bool late)
{
	m->prefetch.counts[level].useful++;
	m->prefetch.counts[level].late += late;
}

static inline void prefetch_wasted(struct memory *m, enum sim_level level, uint8_t state)
{
	m->prefetch.counts[level].useless += (state & LINE_PREFETCHED) != 0;
}

/* Forgets the known hits of a line. */
static inline void front_forget_line(struct memory *m, uint64_t line)
{
	for (unsigned i = 0; i < FRONTS; i++)
		if (m->fronts[i].lines[line & m->fronts[i].line_mask] >> 1 == line)
			front_set_line(&m->fronts[i], line, UINT64_MAX);
}

#endif
