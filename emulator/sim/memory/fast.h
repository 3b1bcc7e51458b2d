/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast path: the line and the page are the MRU entries of their sets, so a hit changes no
 * replacement state. Only emulator/sim/memory/memory.h includes this file.
 */
#ifndef CORE_MEM_FAST_H
#define CORE_MEM_FAST_H

enum { FRONT_LINES = 1024, FRONT_PAGES = 128, VIRTUAL_BITS = 26, FRONT_STAMPS = 256 };

/* A page of 4 KiB that is the MRU entry of its set in the first-level TLB. */
struct front_page {
	uint64_t page;
	uint64_t delta; /* from the numbers of its lines by virtual address to front_line() */
};

/* Lines and pages that are known to hit; owned by emulator/sim/memory, which invalidates them at
 * every change. */
struct front {
	uint32_t line_mask, page_mask;
	bool virtual_index;
	uint64_t counts[2]; /* loads (or fetches) and stores that ended here */
	uint64_t stamp;     /* version of the contents: changes with each change of them */
	struct access_result hit;
	/* By set: line * 2, plus 1 if it is modified already. A line in flight is not listed. */
	uint64_t lines[FRONT_LINES];
	struct front_page pages[FRONT_PAGES];
	uint64_t frames[FRONT_PAGES]; /* of each */
};

/* A memory starts with its fronts. */
enum { FRONT_DATA, FRONT_CODE, FRONTS };

static inline struct front *memory_front(struct memory *memory, unsigned which)
{
	return (struct front *)memory + which;
}

static inline bool crosses_line(const struct access *access)
{
	return access->vaddr % CORE_LINE_SIZE + access->size > CORE_LINE_SIZE;
}

/* True if looking up the page changes no replacement state. */
static inline bool front_has_page(const struct front *front, const struct access *access)
{
	uint64_t page = access->vaddr >> CORE_PAGE_SHIFT, place = page & front->page_mask;

	return front->pages[place].page == page &&
	       front->frames[place] == access->paddr >> CORE_PAGE_SHIFT;
}

/*
 * Returns the line as caches know it. Sets are indexed by virtual address, so an equal address of
 * another process is a different line.
 */
static inline uint64_t front_line(const struct front *front, const struct access *access)
{
	uint64_t low = access->vaddr / CORE_LINE_SIZE % (1 << VIRTUAL_BITS);

	return front->virtual_index ? access->paddr >> CORE_PAGE_SHIFT << VIRTUAL_BITS | low
				    : access->paddr / CORE_LINE_SIZE;
}

static inline bool front_hits(const struct front *front, const struct access *access, bool store)
{
	uint64_t line = front_line(front, access);
	uint64_t known = front->lines[line & front->line_mask];

	return front_has_page(front, access) && (known | !store) == (line << 1 | 1) &&
	       !crosses_line(access);
}

/* The known hits changed. */
static inline void front_changed(struct front *front)
{
	front->stamp += FRONT_STAMPS;
}

/* Sets a set's line, as in front->lines. */
static inline void front_set_line(struct front *front, uint64_t line, uint64_t known)
{
	uint64_t *place = &front->lines[line & front->line_mask];

	if (*place == known)
		return;
	*place = known;
	front_changed(front);
}

/* Fetches `lines` lines that hit, if the stamp shows that nothing changed since they last did. */
static inline bool memory_fetches_hit(struct memory *memory, uint64_t stamp, unsigned lines)
{
	struct front *front = memory_front(memory, FRONT_CODE);

	if (front->stamp != stamp)
		return false;
	front->counts[0] += lines;
	return true;
}

static inline uint64_t memory_fetch_stamp(struct memory *memory)
{
	return memory_front(memory, FRONT_CODE)->stamp;
}

/* Slow path of memory_access(). */
void memory_access_slow(struct memory *memory, const struct access *access,
			struct access_result *result);
void memory_fetch_slow(struct memory *memory, const struct access *access,
		       struct access_result *result);

/* Sets the access's physical address from an earlier reply, if pages cannot have changed since;
 * returns whether it did. */
bool memory_use_reply(struct memory *memory, struct access *access);
enum memory_hit { HIT_NONE, HIT_L1D, HIT_IN_FLIGHT };

/* Slow path of memory_plain_hit() for a hit in the first-level TLB and L1D, which is then done;
 * now: the cycle in which the access begins, or an earlier one. HIT_NONE: it is none, and nothing
 * has changed. A line in flight is hit only if the cycle is `exact`. */
enum memory_hit memory_other_hit(struct memory *memory, uint64_t vaddr, unsigned size, bool store,
				 uint64_t now, bool exact);

/* Sets the access's physical address, if the lookup changes no replacement state; returns whether
 * it did. */
static inline bool memory_knows_page(struct memory *memory, struct access *access)
{
	struct front *front = memory_front(memory, FRONT_DATA);
	uint64_t page = access->vaddr >> CORE_PAGE_SHIFT, place = page & front->page_mask;

	if (front->pages[place].page != page)
		return false;
	access->paddr =
	    front->frames[place] << CORE_PAGE_SHIFT | (access->vaddr & (CORE_PAGE_SIZE - 1));
	return true;
}

/* As memory_access_hits(), for an access whose page was not looked up. */
static inline bool memory_plain_hit(struct memory *memory, uint64_t vaddr, unsigned size,
				    bool store)
{
	struct front *front = memory_front(memory, FRONT_DATA);
	const struct front_page *recent =
	    &front->pages[vaddr >> CORE_PAGE_SHIFT & front->page_mask];
	uint64_t line = vaddr / CORE_LINE_SIZE + recent->delta;
	uint64_t known = front->lines[line & front->line_mask];

	if (recent->page != vaddr >> CORE_PAGE_SHIFT ||
	    (store ? known != line * 2 + 1 : known / 2 != line) ||
	    vaddr % CORE_LINE_SIZE + size > CORE_LINE_SIZE)
		return false;
	front->counts[store]++;
	return true;
}

/* Handles an access that is a plain hit; returns whether it was. */
static inline bool memory_access_hits(struct memory *memory, const struct access *access)
{
	struct front *front = memory_front(memory, FRONT_DATA);

	if (!front_hits(front, access, access->store))
		return false;
	front->counts[access->store]++;
	return true;
}

/* As memory_access_hits(), for a fetch. */
static inline bool memory_fetch_hits(struct memory *memory, const struct access *access)
{
	struct front *front = memory_front(memory, FRONT_CODE);

	if (!front_hits(front, access, false))
		return false;
	front->counts[0]++;
	return true;
}

static inline void memory_access(struct memory *memory, const struct access *access,
				 struct access_result *result)
{
	if (memory_access_hits(memory, access))
		*result = memory_front(memory, FRONT_DATA)->hit;
	else
		memory_access_slow(memory, access, result);
}

static inline void memory_fetch(struct memory *memory, const struct access *access,
				struct access_result *result)
{
	if (memory_fetch_hits(memory, access))
		*result = memory_front(memory, FRONT_CODE)->hit;
	else
		memory_fetch_slow(memory, access, result);
}

#endif
