/* SPDX-License-Identifier: BSD-2-Clause */
/* Random walks through code under Processor Trace, with interrupts before and behind any
 * instruction, and the decoding of the trace by Intel's library. */
#ifndef TESTS_SIM_PT_WALK_H
#define TESTS_SIM_PT_WALK_H

#include <intel-pt.h>

#include "emulator/pt/pt.h"
#include "tests/sim/fake_guest.h"

#define BASE     0x401000ull
#define HANDLER  0xffffffff81000000ull
#define BLOCKS   64
#define ROOM     32 /* bytes of a block, at most */
#define STEPS    3000
#define MOST     (STEPS * 8)
#define MEMORY   (1u << 20)
#define TABLE    0x1000 /* physical addresses */
#define OUTPUT   0x10000
#define SELECTOR 0x33
#define LARGE    0x8000000ull /* from here on there are 128 MiB, of which all pages are one */

enum end { CONDITIONAL, JUMP, CALL, RETURN, JUMP_INDIRECT, CALL_INDIRECT, SYSTEM_CALL, ENDS };

struct walk {
	uint64_t random;
	struct guest guest;
	uint8_t code[BLOCKS * ROOM];
	struct code_block *blocks[BLOCKS], *part; /* part: the rest of one that was interrupted */
	enum end ends[BLOCKS];
	struct code_block *handler, *system;
	uint64_t stack[64], depth;
	uint64_t frame;
	unsigned stops;
	uint64_t ran[MOST];
	unsigned nr_ran;
	bool interrupts;
	struct pt visor;
};

static uint8_t memory[MEMORY], large_page[4096];

static uint64_t roll(struct walk *walk, uint64_t below)
{
	return test_random(&walk->random) % below;
}

static uint8_t *memory_at(void *who, uint64_t physical)
{
	(void)who;
	if (physical >= LARGE && physical < 2 * LARGE)
		return large_page + physical % sizeof(large_page);
	return physical < MEMORY ? memory + physical : NULL;
}

static void place(void *who, uint64_t *cr3, uint8_t *mode)
{
	(void)who;
	*cr3 = 0x5000;
	*mode = PT_MODE_64;
}

static bool frame(void *who, uint64_t *ip)
{
	*ip = ((struct walk *)who)->frame;
	return true;
}

static void stop(void *who)
{
	((struct walk *)who)->stops++;
}

static void put32(uint8_t *at, int64_t value)
{
	memcpy(at, &value, 4);
}

/* A loop without packets has no end that a decoder could find: only conditional branches lead back.
 */
static unsigned target_of(struct walk *walk, unsigned block)
{
	if (walk->ends[block] == CONDITIONAL)
		return (unsigned)roll(walk, BLOCKS);
	return block + 1 + (unsigned)roll(walk, BLOCKS - 1 - block);
}

/* Writes BLOCKS adjacent blocks: NOPs, then a branch. */
static void make_code(struct walk *walk, uint64_t start[BLOCKS + 1])
{
	static const struct {
		uint8_t bytes[6], length, displacement;
	} branches[ENDS] = {
	    [CONDITIONAL] = {{0x0f, 0x85}, 6, 2},
	    [JUMP] = {{0xe9}, 5, 1},
	    [CALL] = {{0xe8}, 5, 1},
	    [RETURN] = {{0xc3}, 1, 0},
	    [JUMP_INDIRECT] = {{0xff, 0xe0}, 2, 0},
	    [CALL_INDIRECT] = {{0xff, 0xd0}, 2, 0},
	    [SYSTEM_CALL] = {{0x0f, 0x05}, 2, 0},
	};
	uint64_t end = 0;

	for (unsigned i = 0; i < BLOCKS; i++) {
		walk->ends[i] = i < BLOCKS - 1 ? (enum end)roll(walk, ENDS) : RETURN;
		start[i] = end;
		end += roll(walk, 6) + branches[walk->ends[i]].length;
	}
	start[BLOCKS] = end;
	memset(walk->code, 0x90, sizeof(walk->code));
	for (unsigned i = 0; i < BLOCKS; i++) {
		unsigned length = branches[walk->ends[i]].length,
			 at = branches[walk->ends[i]].displacement;
		uint8_t *bytes = walk->code + start[i + 1] - length;

		memcpy(bytes, branches[walk->ends[i]].bytes, length);
		if (at)
			put32(bytes + at, (int64_t)(start[target_of(walk, i)] - start[i + 1]));
	}
}

static void walk_begin(struct walk *walk, uint64_t seed, uint64_t ctl)
{
	static const uint8_t iret[] = {0x48, 0xcf}, sysret[] = {0x48, 0x0f, 0x07};
	uint64_t start[BLOCKS + 1];
	struct pt_state *pt;

	walk->random = seed * 0x9e3779b97f4a7c15ull + 1;
	guest_begin(&walk->guest, "skylake");
	make_code(walk, start);
	for (unsigned i = 0; i < BLOCKS; i++)
		walk->blocks[i] = guest_block(&walk->guest, walk->code + start[i],
					      start[i + 1] - start[i], BASE + start[i]);
	walk->handler = guest_block(&walk->guest, iret, sizeof(iret), HANDLER);
	walk->system = guest_block(&walk->guest, sysret, sizeof(sysret), HANDLER + 64);
	core_trace_by(walk->guest.core,
		      &(struct trace_machine){walk, memory_at, place, frame, stop});
	pt = &walk->guest.page.pt;
	pt->ctl = ctl;
	pt->here_ip = BASE;
	pt->here_user = true;
	pt->here_mode = PT_MODE_64;
	pt->here_tsc = 1000;
	pt->ratio = 10;
	walk->visor = (struct pt){.state = pt, .at = memory_at, .context = walk, .tsc = 1000};
}

static void walk_end(struct walk *walk)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		guest_free_block(walk->blocks[i]);
	guest_free_block(walk->handler);
	guest_free_block(walk->system);
	guest_end(&walk->guest);
}

static void runs(struct walk *walk, struct code_block *block, unsigned nr)
{
	core_block(walk->guest.core, block);
	for (unsigned i = 0; i < nr; i++) {
		walk->ran[walk->nr_ran++] = block->insn[i].address;
		if (block->insn[i].accesses)
			guest_access(&walk->guest, block, i, 0x700000, block->insn[i].stores);
	}
}

static void in_kernel(struct walk *walk, struct code_block *block)
{
	core_block(walk->guest.core, block);
	if (block->insn[0].accesses)
		guest_access(&walk->guest, block, 0, 0xffff888000001000, false);
	core_frame_selector(walk->guest.core, SELECTOR);
}

static struct code_block *block_at(const struct walk *walk, uint64_t address)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (walk->blocks[i]->start == address)
			return walk->blocks[i];
	fail_msg("no block at %lx", address);
	return NULL;
}

/* Chooses the target of the block's last branch. One return in ten does not match its call. */
static uint64_t way_on(struct walk *walk, const struct code_block *block, enum end end)
{
	uint64_t any = walk->blocks[roll(walk, BLOCKS)]->start;

	switch (end) {
	case CONDITIONAL:
		return roll(walk, 2) ? block->target : block->end;
	case JUMP:
		return block->target;
	case CALL:
	case CALL_INDIRECT:
		walk->stack[walk->depth++ % 64] = block->end;
		return end == CALL ? block->target : any;
	case RETURN:
		return walk->depth && roll(walk, 10) ? walk->stack[--walk->depth % 64] : any;
	case SYSTEM_CALL:
		return block->end;
	default:
		return any;
	}
}

/* An interrupt before instruction n; the rest of the block is another one. */
static void interrupt(struct walk *walk, struct code_block *block, unsigned n)
{
	uint64_t at = block->insn[n].address;

	runs(walk, block, n);
	walk->frame = at;
	in_kernel(walk, walk->handler);
	if (walk->part)
		guest_free_block(walk->part);
	walk->part = guest_block(&walk->guest, walk->code + (at - BASE), block->end - at, at);
}

static void step(struct walk *walk, struct code_block **block, unsigned *number)
{
	struct code_block *now = *block;
	uint64_t to;

	if (walk->interrupts && now->nr > 1 && !roll(walk, 8)) {
		interrupt(walk, now, 1 + (unsigned)roll(walk, now->nr - 1));
		now = walk->part;
	}
	runs(walk, now, now->nr);
	to = way_on(walk, now, walk->ends[*number]);
	walk->frame = 0; /* a system call pushes nothing */
	if (walk->ends[*number] == SYSTEM_CALL)
		in_kernel(walk, walk->system);
	if (walk->interrupts && !roll(walk, 8)) { /* behind the branch, whatever it is */
		walk->frame = to;
		in_kernel(walk, walk->handler);
	}
	if (to == walk->blocks[BLOCKS - 1]->end)
		to = BASE; /* only where the last block falls through: a fault's handler goes there
			    */
	*block = block_at(walk, to);
	for (*number = 0; walk->blocks[*number] != *block;)
		++*number;
}

static void walk_along(struct walk *walk)
{
	struct code_block *block = walk->blocks[0];
	unsigned number = 0;
	const struct pt_place begin = {.ip = BASE, .user = true, .mode = PT_MODE_64};

	pt_start(&walk->visor, &begin);
	for (unsigned i = 0; i < STEPS; i++)
		step(walk, &block, &number);
	walk->frame = block->start;
	in_kernel(walk, walk->handler);
	walk->guest.page.pt.here_user = false;
	guest_count_at(&walk->guest, HANDLER, CORE_RING_USER, CORE_INSTRUCTIONS);
	pt_stop(&walk->visor, HANDLER);
	if (walk->part)
		guest_free_block(walk->part);
}

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct walk *walk = context;
	size_t left;

	(void)asid;
	if (ip < BASE || ip >= BASE + sizeof(walk->code))
		return -pte_nomap;
	left = BASE + sizeof(walk->code) - ip;
	memcpy(buffer, walk->code + (ip - BASE), size < left ? size : left);
	return (int)(size < left ? size : left);
}

static struct pt_insn_decoder *decoder_of(struct walk *walk, uint8_t *trace, size_t bytes,
					  struct pt_image *image)
{
	struct pt_config config;
	struct pt_insn_decoder *decoder;

	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + bytes;
	config.mtc_freq = walk->guest.page.pt.ctl >> PT_CTL_MTC_FREQ & 15;
	decoder = pt_insn_alloc_decoder(&config);
	assert_non_null(decoder);
	assert_int_equal(pt_image_set_callback(image, read_code, walk), 0);
	assert_int_equal(pt_insn_set_image(decoder, image), 0);
	return decoder;
}

/* Events until the next instruction; returns what the library says. */
static int drain_events(struct pt_insn_decoder *decoder, int status)
{
	struct pt_event event;

	while (status >= 0 && (status & pts_event_pending)) {
		status = pt_insn_event(decoder, &event, sizeof(event));
		assert_true(status >= 0 && event.type != ptev_overflow);
	}
	return status;
}

/* Decodes the trace, which must yield `ran` exactly. */
static void decode(struct walk *walk, uint8_t *trace, size_t bytes, unsigned from)
{
	struct pt_image *image = pt_image_alloc(NULL);
	struct pt_insn_decoder *decoder = decoder_of(walk, trace, bytes, image);
	unsigned nr = from;
	int status = pt_insn_sync_forward(decoder);

	for (;;) {
		struct pt_insn insn = {0};

		status = drain_events(decoder, status);
		if (status < 0)
			break;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (status == -pte_eos)
			break;
		assert_true(status >= 0);
		assert_true(nr < walk->nr_ran);
		assert_int_equal(insn.ip, walk->ran[nr]);
		nr++;
	}
	assert_true(status >= 0 || status == -pte_eos);
	assert_int_equal(nr, walk->nr_ran);
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
}

static void entry(unsigned index, uint64_t physical, unsigned size, uint64_t flags)
{
	uint64_t word = physical | (uint64_t)size << PT_TOPA_SIZE | flags;

	memcpy(memory + TABLE + 8 * index, &word, 8);
}

#define USER (PT_CTL_TRACE | PT_CTL_USR | PT_CTL_TOPA | PT_CTL_BRANCH)

static void output_to(struct walk *walk, uint64_t base)
{
	walk->guest.page.pt.base = base;
	walk->guest.page.pt.mask = PT_MASK_ONES;
}

static struct walk *new_walk(uint64_t seed, uint64_t ctl)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	memset(memory, 0, sizeof(memory));
	walk_begin(walk, seed, ctl);
	entry(0, 0x80000, 7, 0); /* 512 KiB */
	output_to(walk, TABLE);
	return walk;
}

static size_t written(const struct walk *walk)
{
	return walk->guest.page.pt.mask >> PT_MASK_OFFSET;
}

#endif
