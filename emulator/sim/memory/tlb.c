/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address translation: two levels of TLBs and page walks. The addresses of page tables are unknown:
 * their entries get synthetic addresses, as if each level were a flat table.
 * Source: SDM vol. 3, 4.10 (caching translation information).
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/memory/memory_state.h"

enum { LEVELS = 4, PDPTES = 4, FRAME_UNKNOWN = 0 };

#define KEY_LARGE     (1ULL << 62) /* a page of 2 MiB in the array for 4 KiB */
#define ADDRESS_MASK  0xffffffffffffULL
#define HIGH_HALF_BIT 47 /* of an address: the kernel's */
#define INDEX_BITS    9  /* of an address, that a level of tables looks at */

static const uint8_t page_shift[PAGE_SIZES] = {CORE_PAGE_SHIFT, 21, 30};

static bool tlb_init(struct tlb *t, const struct tlbs_config *config)
{
	const struct tlb_config *sizes[PAGE_SIZES] = {&config->page_4k, &config->page_2m,
						      &config->page_1g};

	t->config = config;
	for (unsigned i = 0; i < PAGE_SIZES; i++) {
		const struct tlb_config *c = sizes[i];

		if (!c->entries)
			continue;
		if (!assoc_init(&t->pages[i], c->entries / c->ways, c->ways, REPLACE_LRU))
			return false;
		t->frames[i] = calloc(c->entries, sizeof(*t->frames[i]));
		if (!t->frames[i])
			return false;
	}
	return true;
}

static void tlb_free(struct tlb *t)
{
	for (unsigned i = 0; i < PAGE_SIZES; i++) {
		assoc_free(&t->pages[i]);
		free(t->frames[i]);
	}
}

bool tlbs_init(struct memory *m)
{
	const struct memory_config *c = m->config;

	return tlb_init(&m->tlb[FRONT_DATA], &c->dtlb) && tlb_init(&m->tlb[FRONT_CODE], &c->itlb) &&
	       tlb_init(&m->stlb[FRONT_DATA], &c->stlb) &&
	       tlb_init(&m->stlb[FRONT_CODE], &c->code_stlb) &&
	       assoc_init(&m->pdes, c->pde_entries ? 1 : 0, c->pde_entries, REPLACE_LRU) &&
	       assoc_init(&m->pdptes, c->pde_entries ? 1 : 0, PDPTES, REPLACE_LRU);
}

void tlbs_free(struct memory *m)
{
	tlb_free(&m->tlb[FRONT_DATA]);
	tlb_free(&m->tlb[FRONT_CODE]);
	tlb_free(&m->stlb[FRONT_DATA]);
	tlb_free(&m->stlb[FRONT_CODE]);
	assoc_free(&m->pdes);
	assoc_free(&m->pdptes);
}

/* The entry of a page in a TLB: the array of a page size, and the size of the key. */
struct place {
	uint8_t array, shift;
	uint64_t key;
};

static struct place place_of(const struct tlb *t, uint64_t vaddr, unsigned page)
{
	unsigned array = page;

	while (array > PAGE_4K && !t->pages[array].ways) {
		array--;
		if (array == PAGE_4K && t->config->unified)
			return (struct place){array, page_shift[PAGE_2M],
					      vaddr >> page_shift[PAGE_2M] | KEY_LARGE};
	}
	return (struct place){array, page_shift[array], vaddr >> page_shift[array]};
}

/* Looks the page up and marks it as used. An entry with another physical address is stale: a
 * miss. */
static bool tlb_use(struct tlb *t, struct place place, uint64_t paddr)
{
	uint32_t index = assoc_use(&t->pages[place.array], place.key);
	uint64_t *frame;

	if (index == ASSOC_NONE)
		return false;
	frame = &t->frames[place.array][index];
	if (*frame == FRAME_UNKNOWN)
		*frame = paddr >> place.shift;
	if (*frame == paddr >> place.shift)
		return true;
	assoc_remove(&t->pages[place.array], index);
	return false;
}

static void tlb_fill(struct tlb *t, struct place place, uint64_t paddr)
{
	struct assoc *pages = &t->pages[place.array];
	uint64_t victim;
	uint8_t state;

	if (pages->ways)
		t->frames[place.array][assoc_insert(pages, place.key, &victim, &state)] =
		    paddr >> place.shift;
}

/* Looks up a cached entry of that table, and caches it. */
static bool cached_entry(struct assoc *entries, uint64_t key)
{
	uint64_t victim;
	uint8_t state;

	if (!entries->ways)
		return false;
	if (assoc_use(entries, key) != ASSOC_NONE)
		return true;
	assoc_insert(entries, key, &victim, &state);
	return false;
}

/* Returns the address of the entry that vaddr's walk reads in a level; level 0 is the page table.
 * These addresses are synthetic, outside of physical memory. */
static uint64_t entry_address(uint64_t vaddr, unsigned level)
{
	uint64_t index = (vaddr & ADDRESS_MASK) >> (CORE_PAGE_SHIFT + INDEX_BITS * level);

	return 1ULL << 51 | (uint64_t)level << 48 | index * sizeof(index);
}

/* Returns the first level of tables that a walk to a page of that size reads. */
static unsigned walk_from(struct memory *m, uint64_t vaddr, unsigned page)
{
	bool pde = page < PAGE_2M && cached_entry(&m->pdes, vaddr >> page_shift[PAGE_2M]);
	bool pdpte = page < PAGE_1G && cached_entry(&m->pdptes, vaddr >> page_shift[PAGE_1G]);

	return pde ? 0 : pdpte ? 1 : LEVELS - 1;
}

/* Returns the cycles of a walk. */
static uint32_t walk(struct memory *m, const struct access *access)
{
	uint32_t cycles = m->config->walk_overhead;

	for (unsigned level = walk_from(m, access->vaddr, access->page) + 1;
	     level-- > access->page;) {
		uint64_t entry = entry_address(access->vaddr, level);
		struct access_result ignored = {0};

		cycles += cache_line(m, FRONT_DATA, entry / CORE_LINE_SIZE, DEMAND_WALK, access,
				     access->now + cycles, &ignored);
	}
	return latency_cut(cycles);
}

/* Returns how many of a walk's cycles count: each walker is busy once in a cycle. */
static uint32_t walker_cycles(struct memory *m, uint64_t now, uint32_t cycles)
{
	uint64_t *first = m->walker, begin;

	for (uint64_t *w = m->walker + 1; w < m->walker + m->config->walkers; w++)
		if (*w < *first)
			first = w;
	begin = *first > now ? *first : now;
	if (now + cycles <= begin)
		return 0;
	*first = now + cycles;
	return (uint32_t)(now + cycles - begin);
}

/* The page is now the MRU entry of its set. */
static void remember(struct front *front, const struct access *access)
{
	uint64_t page = access->vaddr >> page_shift[PAGE_4K];
	uint64_t frame = access->paddr >> page_shift[PAGE_4K], place = page & front->page_mask;

	if (front->pages[place].page == page && front->frames[place] == frame)
		return;
	front->pages[place] =
	    (struct front_page){page, front_line(front, access) - access->vaddr / CORE_LINE_SIZE};
	front->frames[place] = frame;
	front_changed(front);
}

static void forget(struct front *front, const struct access *access)
{
	front_changed(front);
	front->pages[access->vaddr >> page_shift[PAGE_4K] & front->page_mask].page = UINT64_MAX;
}

static void tlb_count(struct memory *m, unsigned which, const struct access *access,
		      const struct access_result *r)
{
	struct memory_counts *c = &m->counts;
	uint32_t busy = r->stlb_miss ? walker_cycles(m, access->now, r->walk_cycles) : 0;

	if (which == FRONT_CODE) {
		c->itlb_misses++;
		c->itlb_walks += r->stlb_miss;
		c->itlb_walk_cycles += busy;
	} else if (access->store) {
		c->dtlb_store_misses++;
		c->dtlb_store_walks += r->stlb_miss;
		c->dtlb_store_walk_cycles += busy;
	} else {
		c->dtlb_load_misses++;
		c->dtlb_load_walks += r->stlb_miss;
		c->dtlb_load_walk_cycles += busy;
	}
}

static struct tlb *stlb_of(struct memory *m, unsigned which)
{
	bool own = which == FRONT_CODE && m->config->code_stlb.page_4k.entries;

	return &m->stlb[own ? FRONT_CODE : FRONT_DATA];
}

/* The page was walked. */
static void notify_prefetchers(struct memory *m, const struct access *access)
{
	const uint64_t page = access->vaddr & ~(uint64_t)(CORE_PAGE_SIZE - 1);
	const struct sim_access walk = {.pc = access->ip,
					.vaddr = access->vaddr,
					.address = page,
					.cycle = access->now,
					.processor = m->number,
					.type = access->store ? SIM_STORE : SIM_LOAD};

	m->cause = access;
	prefetch_call(m, &walk, SIM_TLB);
}

/* Handles a miss in the first level. */
static uint32_t miss(struct memory *m, unsigned which, const struct access *access,
		     struct access_result *result)
{
	struct tlb *stlb = stlb_of(m, which);
	struct place second = place_of(stlb, access->vaddr, access->page);
	struct access_result here = {.dtlb_miss = true};
	uint32_t cycles = m->config->stlb_latency;

	if (!tlb_use(stlb, second, access->paddr)) {
		here.stlb_miss = true;
		here.walk_cycles = walk(m, access);
		cycles += here.walk_cycles;
		tlb_fill(stlb, second, access->paddr);
		if (which == FRONT_DATA && m->prefetch.listen >> SIM_TLB & 1)
			notify_prefetchers(m, access);
	}
	tlb_count(m, which, access, &here);
	result->dtlb_miss = true;
	result->stlb_miss |= here.stlb_miss;
	result->walk_cycles += here.walk_cycles;
	return cycles;
}

/* Returns enum page_size of the access's page. */
static uint8_t page_size(struct memory *m, const struct access *access);

bool tlb_prefetch(struct memory *m, uint64_t vaddr)
{
	struct access access = {.vaddr = vaddr, .ip = m->cause->ip, .now = m->cause->now};
	struct tlb *stlb = stlb_of(m, FRONT_DATA);
	struct place place;

	access.page = page_size(m, &access);
	place = place_of(stlb, vaddr, access.page);
	if (!stlb->pages[place.array].ways ||
	    assoc_find(&stlb->pages[place.array], place.key) != ASSOC_NONE)
		return false;
	walk(m, &access);
	tlb_fill(stlb, place, FRAME_UNKNOWN);
	return true;
}

bool tlb_holds(struct memory *m, uint64_t vaddr)
{
	struct access access = {.vaddr = vaddr};
	struct tlb *tlbs[] = {&m->tlb[FRONT_DATA], stlb_of(m, FRONT_DATA)};

	access.page = page_size(m, &access);
	for (unsigned i = 0; i < 2; i++) {
		struct place place = place_of(tlbs[i], vaddr, access.page);

		if (assoc_find(&tlbs[i]->pages[place.array], place.key) != ASSOC_NONE)
			return true;
	}
	return false;
}

void memory_set_page_query(struct memory *m, memory_page_at *page_at, void *who)
{
	m->page_at = page_at;
	m->page_asker = who;
}

static uint8_t page_size(struct memory *m, const struct access *access)
{
	uint64_t region = (access->vaddr >> page_shift[PAGE_2M]) + 1;
	struct known_size *known = &m->sizes[region % SIZES];

	if (!m->page_at)
		return access->page;
	if (known->region != region)
		*known = (struct known_size){region, m->page_at(m->page_asker, access->vaddr)};
	return known->page;
}

/* Parts of a large page are no longer known as MRU entries. */
static void forget_parts(struct front *front, uint64_t key, unsigned shift)
{
	bool any = false;

	for (unsigned i = 0; i <= front->page_mask; i++)
		if (front->pages[i].page >> (shift - page_shift[PAGE_4K]) == key) {
			front->pages[i].page = UINT64_MAX;
			any = true;
		}
	if (any)
		front_changed(front);
}

/* A large page with an array of its own is about to be used: the most recently used page of its set
 * is no longer that. */
static void change_recent(struct tlb *t, struct front *front, struct place place)
{
	struct assoc *pages = &t->pages[place.array];
	uint32_t set = assoc_set(pages, place.key);
	uint64_t recent = pages->keys[set * pages->ways + pages->each[set].recent];

	if (recent != place.key && recent != ASSOC_EMPTY)
		forget_parts(front, recent, place.shift);
}

/* Returns the page's entry in the first level, which must exist. */
static uint32_t use_place(struct memory *m, unsigned which, struct place place,
			  const struct access *access, struct access_result *result)
{
	struct tlb *first = &m->tlb[which];
	struct front *front = &m->fronts[which];
	bool large = place.array != PAGE_4K;
	uint32_t cycles = 0;

	if (large)
		change_recent(first, front, place);
	if (!tlb_use(first, place, access->paddr)) {
		cycles = miss(m, which, access, result);
		tlb_fill(first, place, access->paddr);
		if (large) /* its parts, where an entry for it was stale */
			forget_parts(front, place.key, place.shift);
	}
	if (large || place.shift == page_shift[PAGE_4K] || first->pages[PAGE_4K].sets == 1)
		remember(front, access);
	else
		forget(front, access);
	return cycles;
}

uint32_t tlb_translate(struct memory *m, unsigned which, const struct access *access,
		       struct access_result *result)
{
	struct access sized = *access;

	if (!m->tlb[which].pages[PAGE_4K].ways) { /* no TLBs at all */
		remember(&m->fronts[which], access);
		return 0;
	}
	sized.page = page_size(m, access);
	return use_place(m, which, place_of(&m->tlb[which], sized.vaddr, sized.page), &sized,
			 result);
}

void tlb_guess(struct memory *m, unsigned which, uint64_t vaddr, uint64_t *paddr)
{
	struct tlb *first = &m->tlb[which];

	for (unsigned page = 0; page < PAGE_SIZES; page++) {
		uint32_t index = assoc_find(&first->pages[page], vaddr >> page_shift[page]);
		uint64_t inside = (1ULL << page_shift[page]) - 1;

		if (index == ASSOC_NONE)
			continue;
		*paddr = first->frames[page][index] << page_shift[page] | (vaddr & inside);
		return;
	}
}

void memory_forget_pages(struct memory *m)
{
	for (unsigned i = 0; i < FRONTS; i++) {
		memset(m->fronts[i].pages, 0xff, sizeof(m->fronts[i].pages));
		front_changed(&m->fronts[i]);
	}
	memset(m->sizes, 0, sizeof(m->sizes));
	m->generation++;
}

bool tlb_has(struct memory *m, uint64_t vaddr, uint64_t frame, uint32_t *index)
{
	struct tlb *first = &m->tlb[FRONT_DATA];
	struct access access = {.vaddr = vaddr};

	if (!first->pages[PAGE_4K].ways || page_size(m, &access) != PAGE_4K)
		return false;
	*index = assoc_find(&first->pages[PAGE_4K], vaddr >> page_shift[PAGE_4K]);
	return *index != ASSOC_NONE && first->frames[PAGE_4K][*index] == frame;
}

void tlb_used(struct memory *m, const struct access *access, uint32_t index)
{
	assoc_used(&m->tlb[FRONT_DATA].pages[PAGE_4K], index);
	remember(&m->fronts[FRONT_DATA], access);
}

void memory_flush_tlbs(struct memory *m)
{
	struct tlb *tlbs[] = {&m->tlb[FRONT_DATA], &m->tlb[FRONT_CODE], &m->stlb[FRONT_DATA],
			      &m->stlb[FRONT_CODE]};

	for (unsigned i = 0; i < 4; i++)
		for (unsigned page = 0; page < PAGE_SIZES; page++)
			assoc_clear(&tlbs[i]->pages[page]);
	assoc_clear(&m->pdes);
	assoc_clear(&m->pdptes);
	memory_forget_pages(m);
}

/* Flushes the pages of the lower half from the array of one page size. */
static void flush_low_half(struct tlb *t, unsigned array)
{
	struct assoc *pages = &t->pages[array];

	for (uint32_t i = 0; i < pages->sets * pages->ways; i++) {
		bool large = array == PAGE_4K && pages->keys[i] >> 62 == KEY_LARGE >> 62;
		unsigned shift = page_shift[large ? PAGE_2M : array];

		if (pages->keys[i] != ASSOC_EMPTY &&
		    !(pages->keys[i] >> (HIGH_HALF_BIT - shift) & 1))
			assoc_remove(pages, i);
	}
}

void memory_flush_space(struct memory *m)
{
	for (unsigned i = 0; i < FRONTS; i++)
		for (unsigned page = 0; page < PAGE_SIZES; page++) {
			flush_low_half(&m->tlb[i], page);
			flush_low_half(&m->stlb[i], page);
		}
	assoc_clear(&m->pdes);
	assoc_clear(&m->pdptes);
	memory_forget_pages(m);
}

static void flush_page_of(struct tlb *t, uint64_t vaddr)
{
	for (unsigned page = 0; page < PAGE_SIZES; page++) {
		struct place place = place_of(t, vaddr, page);
		uint32_t index = assoc_find(&t->pages[place.array], place.key);

		if (index != ASSOC_NONE)
			assoc_remove(&t->pages[place.array], index);
	}
}

void memory_flush_page(struct memory *m, uint64_t vaddr)
{
	for (unsigned i = 0; i < FRONTS; i++) {
		flush_page_of(&m->tlb[i], vaddr);
		flush_page_of(&m->stlb[i], vaddr);
	}
	memory_forget_pages(m);
	assoc_clear(&m->pdes); /* INVLPG flushes them all: SDM vol. 3, 4.10.4.1 */
	assoc_clear(&m->pdptes);
}
