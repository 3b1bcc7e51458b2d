/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Areas where probed instructions of ring 3 are executed: each in a slot, followed by a jump to the
 * next instruction, so that a probe traps once. A slot is written once and stays as long as its
 * area, so a task may stop inside it. An area is near the code, for RIP-relative operands; a child
 * of fork shares its parent's.
 */
#include <linux/errno.h>
#include <linux/mman.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vma.h"
#include "trace/probe/user/area.h"

#define AREA_PAGES 8
#define AREA_BYTES (AREA_PAGES * PAGE_SIZE)
#define SLOTS_EACH ((unsigned)(PAGE_SIZE / PROBE_SLOT_BYTES))
#define AREA_SLOTS (AREA_PAGES * SLOTS_EACH)
#define REACH      (1ul << 30) /* from the code to its area */
#define TRAMPOLINE 0           /* its slot */
#define HASH_BITS  8

struct area {
	uint32_t refs; /* address spaces and pieces of them */
	uint32_t used; /* slots */
	uint8_t *pages[AREA_PAGES];
	uint16_t first[1 << HASH_BITS]; /* slots by the hash of their origins; 0: none */
	uint16_t others[AREA_SLOTS];
	uint64_t origins[AREA_SLOTS];
	struct probe_insn insns[AREA_SLOTS]; /* the original instruction of each slot */
};

static void *area_fault(struct vma *vma, uint64_t index, bool write)
{
	struct area *area = vma->priv;

	if (write || index >= AREA_PAGES || !area->pages[index])
		return NULL;
	page_get(area->pages[index]);
	return area->pages[index];
}

static void area_open(struct vma *vma)
{
	((struct area *)vma->priv)->refs++;
}

static void area_close(struct vma *vma)
{
	struct area *area = vma->priv;

	KASSERT(area->refs > 0);
	if (--area->refs)
		return;
	for (unsigned i = 0; i < AREA_PAGES; i++)
		if (area->pages[i])
			page_put(area->pages[i]);
	kfree(area);
}

static const struct vma_ops area_ops = {.fault = area_fault,
					.open = area_open,
					.close = area_close,
					.no_split = true,
					.name = "[uprobes]"};

static struct area *area_of(const struct vma *vma)
{
	return vma && vma->ops == &area_ops ? vma->priv : NULL;
}

static struct vma *area_at(struct mm *mm, uint64_t address)
{
	struct vma *vma = address < USER_END ? vma_find(mm, address) : NULL;

	return area_of(vma) && address >= vma->start ? vma : NULL;
}

/* ---- slots ---- */

static uint64_t slot_address(const struct vma *vma, unsigned slot)
{
	return vma->start + slot * (uint64_t)PROBE_SLOT_BYTES;
}

/* Allocates the slot's memory: 0 or -ENOMEM. */
static int back_slot(struct area *area, unsigned slot)
{
	uint8_t **page = &area->pages[slot / SLOTS_EACH];

	if (!*page)
		*page = page_alloc();
	return *page ? 0 : -ENOMEM;
}

static unsigned hash(uint64_t at)
{
	return (unsigned)(at * 0x9e3779b97f4a7c15ul >> (64 - HASH_BITS));
}

/* Equal bytes and length imply equal decoding. */
static bool same_insn(const struct probe_insn *a, const struct probe_insn *b)
{
	uint64_t left[2], right[2];

	_Static_assert(offsetof(struct probe_insn, length) == sizeof(left) - 1, "two words");
	__builtin_memcpy(left, a, sizeof(left));
	__builtin_memcpy(right, b, sizeof(right));
	return left[0] == right[0] && left[1] == right[1];
}

/* Returns a slot with an equal instruction, 0: none. */
static unsigned find_slot(const struct area *area, const struct probe_insn *insn, uint64_t at)
{
	unsigned slot = area->first[hash(at)];

	while (slot && (area->origins[slot] != at || !same_insn(&area->insns[slot], insn)))
		slot = area->others[slot];
	return slot;
}

static void enter_slot(struct area *area, unsigned slot, const struct probe_insn *insn, uint64_t at)
{
	area->origins[slot] = at;
	area->insns[slot] = *insn;
	area->others[slot] = area->first[hash(at)];
	area->first[hash(at)] = (uint16_t)slot;
	area->used = slot + 1;
}

static int64_t fill_slot(const struct vma *vma, const struct probe_insn *insn, uint64_t at)
{
	struct area *area = vma->priv;
	unsigned slot = area->used;
	uint64_t address = slot_address(vma, slot);
	uint8_t code[PROBE_SLOT_BYTES];
	int err = probe_insn_place(insn, at, address, code);

	if (!err)
		err = back_slot(area, slot);
	if (err)
		return err;
	memcpy(area->pages[slot / SLOTS_EACH] + slot % SLOTS_EACH * PROBE_SLOT_BYTES, code,
	       sizeof(code));
	enter_slot(area, slot, insn, at);
	return (int64_t)address;
}

/* ---- areas ---- */

/* Makes an area just below the code. */
static struct vma *area_new(struct mm *mm, uint64_t at)
{
	uint64_t start = vma_gap(mm, AREA_BYTES, at);
	struct area *area;
	struct vma *vma;

	if (!start || at - start > REACH)
		start =
		    vma_gap(mm, AREA_BYTES, at + REACH < VM_MMAP_TOP ? at + REACH : VM_MMAP_TOP);
	if (!start)
		return NULL;
	area = kalloc(sizeof(*area));
	if (!area)
		return NULL;
	area->refs = 1;
	area->used = TRAMPOLINE + 1;
	vma = back_slot(area, TRAMPOLINE) ? NULL
					  : vma_new(mm, start, start + AREA_BYTES,
						    PROT_READ | PROT_EXEC, MAP_PRIVATE, NULL, 0);
	if (!vma) {
		if (area->pages[0])
			page_put(area->pages[0]);
		kfree(area);
		return NULL;
	}
	memset(area->pages[0], PROBE_INT3, PROBE_SLOT_BYTES);
	vma->ops = &area_ops;
	vma->priv = area;
	return vma;
}

static bool is_near(const struct vma *vma, uint64_t at)
{
	return (vma->start < at ? at - vma->start : vma->start - at) < REACH + AREA_BYTES;
}

/* Returns a near area with the instruction, or room for it; *slot is its slot or 0. NULL: none. */
static struct vma *area_find(struct mm *mm, uint64_t at, const struct probe_insn *insn,
			     unsigned *slot)
{
	struct vma *vma, *found = NULL;

	*slot = 0;
	list_for_each(vma, &mm->vmas, link) {
		const struct area *area = area_of(vma);

		if (!area || !is_near(vma, at))
			continue;
		*slot = find_slot(area, insn, at);
		if (*slot)
			return vma;
		if (area->used < AREA_SLOTS)
			found = vma;
	}
	return found;
}

int64_t area_place(struct mm *mm, const struct probe_insn *insn, uint64_t at, uint64_t *trampoline)
{
	unsigned slot;
	struct vma *vma = area_find(mm, at, insn, &slot);

	if (!vma)
		vma = area_new(mm, at);
	*trampoline = vma ? slot_address(vma, TRAMPOLINE) : 0;
	if (!vma)
		return -ENOMEM;
	return slot ? (int64_t)slot_address(vma, slot) : fill_slot(vma, insn, at);
}

uint64_t area_origin(struct mm *mm, uint64_t address)
{
	const struct vma *vma = area_at(mm, address);
	unsigned slot;

	if (!vma || (address - vma->start) % PROBE_SLOT_BYTES)
		return 0;
	slot = (unsigned)((address - vma->start) / PROBE_SLOT_BYTES);
	return slot < area_of(vma)->used ? area_of(vma)->origins[slot] : 0;
}

bool area_begins(const struct vma *vma, uint64_t address)
{
	return area_of(vma) && address == vma->start;
}

bool area_is_trampoline(struct mm *mm, uint64_t address)
{
	return area_begins(area_at(mm, address), address);
}
