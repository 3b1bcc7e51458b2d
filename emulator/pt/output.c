/* SPDX-License-Identifier: BSD-2-Clause */
/* The output: a single range, or regions in tables of physical addresses (ToPA). SDM
 * vol. 3, "Trace Output". */
#include <stddef.h>

#include "abi/page.h"
#include "emulator/pt/packets.h"

#define PAGE_MASK (PAGE - 1ull)
#define ENTRY     8 /* bytes of an entry */
/* links from table to table without a region between; more are a loop
 */
#define MAX_LINKS 64

static uint64_t offset_of(const struct pt_state *state)
{
	return state->mask >> PT_MASK_OFFSET;
}

static uint64_t index_of(const struct pt_state *state)
{
	return (uint32_t)state->mask >> PT_MASK_INDEX;
}

static void set_position(struct pt_state *state, uint64_t index, uint64_t offset)
{
	state->mask = offset << PT_MASK_OFFSET | (uint32_t)(index << PT_MASK_INDEX) | PT_MASK_ONES;
}

/* Ends the trace with an operational error; the output registers keep the offending position. */
static void fail(struct pt *pt)
{
	pt->state->status |= PT_STATUS_ERROR;
	pt->state->status &= ~PT_STATUS_TRIGGER;
	pt->state->on = false;
	pt->page = NULL;
}

/* Reads entry `index` of the current table. Returns false if no memory is there. */
static bool read_entry(struct pt *pt, uint64_t index, uint64_t *entry)
{
	uint64_t at = (pt->state->base & ~PAGE_MASK) + index * ENTRY;
	const uint8_t *memory = pt->at(pt->context, at);

	if (!memory)
		return false;
	__builtin_memcpy(entry, memory, ENTRY);
	return true;
}

/* Finds the current entry's region; follows links to other tables. False: an invalid entry. */
static bool find_region(struct pt *pt)
{
	struct pt_state *state = pt->state;
	uint64_t entry;

	for (unsigned links = 0; links < MAX_LINKS; links++) {
		if (!read_entry(pt, index_of(state), &entry) || (entry & PT_TOPA_RESERVED))
			return false;
		if (!(entry & PT_TOPA_END)) {
			pt->flags = entry & (PT_TOPA_INT | PT_TOPA_STOP);
			pt->size_shift = 12 + (entry >> PT_TOPA_SIZE & 15);
			pt->region = entry & PT_TOPA_ADDRESS;
			return !(pt->region & ((1ull << pt->size_shift) - 1));
		}
		if (entry & (PT_TOPA_INT | PT_TOPA_STOP))
			return false;
		state->base = entry & PT_TOPA_ADDRESS;
		set_position(state, 0, offset_of(state));
	}
	return false;
}

/* Finds the single range. False: its size is no power of two, or its address not aligned to it. */
static bool find_range(struct pt *pt)
{
	uint64_t size = (uint32_t)pt->state->mask + 1ull;

	pt->flags = 0;
	pt->region = pt->state->base;
	pt->size_shift = (uint32_t)__builtin_ctzll(size);
	return !(size & (size - 1)) && !(pt->region & (size - 1));
}

/* Maps the page of the next byte. */
static bool find_page(struct pt *pt)
{
	uint64_t offset = offset_of(pt->state), left = (1ull << pt->size_shift) - offset,
		 at = pt->region + offset;

	pt->page = pt->at(pt->context, at);
	pt->page_left = PAGE - (at & PAGE_MASK);
	if (pt->page_left > left)
		pt->page_left = left;
	return pt->page;
}

/* Finds region and page by the output registers. False: they are invalid, which is an operational
 * error. */
static bool locate(struct pt *pt)
{
	bool found = pt->state->ctl & PT_CTL_TOPA ? find_region(pt) : find_range(pt);

	pt->generation = pt->state->generation;
	pt->position = pt->state->mask;
	if (found && offset_of(pt->state) < 1ull << pt->size_shift && find_page(pt))
		return true;
	fail(pt);
	return false;
}

static void output_stop(struct pt *pt)
{
	pt->state->status |= PT_STATUS_STOPPED;
	pt->state->status &= ~PT_STATUS_TRIGGER;
	pt->state->on = false;
}

/* Handles a full region. With STOP the offset remains at its end; a single range wraps. */
static void next_region(struct pt *pt)
{
	struct pt_state *state = pt->state;

	pt->generation = ++state->generation;
	pt->page = NULL;
	if (!(state->ctl & PT_CTL_TOPA)) {
		state->mask = (uint32_t)state->mask;
		locate(pt);
		return;
	}
	if (pt->flags & PT_TOPA_INT)
		state->interrupt = PT_INTERRUPT_DUE;
	if (pt->flags & PT_TOPA_STOP) {
		output_stop(pt);
		return;
	}
	set_position(state, index_of(state) + 1, 0);
	locate(pt);
}

/* Handles the end of a page, which may be the region's end. */
static void page_full(struct pt *pt)
{
	if (offset_of(pt->state) == 1ull << pt->size_shift)
		next_region(pt);
	else if (!find_page(pt))
		fail(pt);
}

/* False if the other writer has written since, or registers were. */
static bool is_current(const struct pt *pt)
{
	return pt->page && pt->generation == pt->state->generation &&
	       pt->position == pt->state->mask;
}

/* The count of bytes since the last PSB stays at its largest. */
static void count_bytes(struct pt_state *state, unsigned nr)
{
	const uint64_t most = PT_STATUS_BYTES_MASK;
	uint64_t bytes = (state->status >> PT_STATUS_BYTES & most) + nr;

	state->status &= ~(most << PT_STATUS_BYTES);
	state->status |= (bytes < most ? bytes : most) << PT_STATUS_BYTES;
}

void pt_put(struct pt *pt, const uint8_t *bytes, unsigned nr)
{
	struct pt_state *state = pt->state;

	if (state->status & PT_STATUS_HALTED)
		return;
	if (!is_current(pt) && !locate(pt))
		return;
	count_bytes(state, nr);
	while (nr) {
		unsigned part = nr < pt->page_left ? nr : (unsigned)pt->page_left;

		__builtin_memcpy(pt->page, bytes, part);
		pt->position = state->mask += (uint64_t)part << PT_MASK_OFFSET;
		pt->page += part;
		pt->page_left -= part;
		bytes += part;
		nr -= part;
		if (!pt->page_left)
			page_full(pt);
		if (state->status & PT_STATUS_HALTED)
			return;
	}
}

void pt_output_start(struct pt *pt)
{
	pt->state->generation++;
	locate(pt);
}
