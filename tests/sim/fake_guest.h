/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest that is a few blocks of machine code, on one whole simulated core. */
#ifndef TESTS_CORE_FAKE_GUEST_H
#define TESTS_CORE_FAKE_GUEST_H

#include "emulator/sim/cpu/core.h"
#include "emulator/sim/pipeline/block.h"
#include "tests/sim/core_test.h"

#define GUEST_INSNS 128

struct guest {
	struct core_config config;
	struct shared_cache *shared;
	struct core *core;
	struct core_processor page;
	uint64_t counts[CORE_RINGS][CORE_NR_QUANTITIES];
};

static inline void guest_begin(struct guest *guest, const char *text)
{
	memset(guest, 0, sizeof(*guest));
	guest->config = test_core(text);
	guest->shared = shared_cache_new(&guest->config);
	guest->core = core_new(&guest->config, guest->shared, 0);
	assert_non_null(guest->core);
	guest->page.counting = guest->page.details = true;
	guest->page.ring = CORE_RING_USER;
	guest->page.end = CORE_STOPPED_AT;
	core_connect(guest->core, &guest->page);
}

/* The bytes' block at that address. Instructions' borders are found by trying: the decoder takes
 * whole instructions only. */
static inline struct code_block *guest_block(struct guest *guest, const void *code, size_t size,
					     uint64_t address)
{
	struct code_block *block =
	    calloc(1, sizeof(*block) + GUEST_INSNS * sizeof(struct code_insn));
	struct insn_bytes insns[GUEST_INSNS];

	block->start = block->end = block->physical = address;
	while (size) {
		const uint8_t *bytes = code;
		struct insn insn = {0};
		unsigned length = 0;

		assert_true(block->nr < GUEST_INSNS);
		while (insn.bits != 64) {
			assert_true(++length <= size && length <= 15);
			decode_insn(bytes, length, &insn);
		}
		insns[block->nr] = (struct insn_bytes){block->end, bytes, (uint8_t)length};
		code_append(block, bytes, length);
		code = bytes + length;
		size -= length;
	}
	code_take_timing(block, 0, block_new(&guest->config, insns, block->nr));
	assert_non_null(block->timing[0]);
	return block;
}

/* Its n-th instruction accesses 8 bytes there. */
static inline void guest_access(struct guest *guest, struct code_block *block, unsigned n,
				uint64_t address, bool store)
{
	core_access(guest->core, &block->insn[n], address, address, 8, store);
}

/* Returns the count of a ring so far, when the guest stops at rip. */
static inline uint64_t guest_count_at(struct guest *guest, uint64_t rip, enum core_ring ring,
				      enum core_quantity quantity)
{
	guest->page.rip = rip;
	core_sync(guest->core);
	for (unsigned i = 0; i < CORE_RINGS; i++)
		for (unsigned q = 0; q < CORE_NR_QUANTITIES; q++)
			guest->counts[i][q] += guest->page.work[i][q];
	return guest->counts[ring][quantity];
}

/* As guest_count_at(), after the block, where an interrupt stops it. */
static inline uint64_t guest_count(struct guest *guest, const struct code_block *block,
				   enum core_ring ring, enum core_quantity quantity)
{
	uint64_t count;

	guest->page.end = CORE_STOPPED_BETWEEN;
	count = guest_count_at(guest, block->target ? block->target : block->end, ring, quantity);
	guest->page.end = CORE_STOPPED_AT;
	return count;
}

static inline void guest_free_block(struct code_block *block)
{
	block_free(block->timing[0]);
	free(block);
}

static inline void guest_end(struct guest *guest)
{
	core_free(guest->core);
	shared_cache_free(guest->shared);
}

#endif
