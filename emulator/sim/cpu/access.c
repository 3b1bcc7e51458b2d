/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of instructions to memory that are no plain hits, for caches, pipeline and sampler. */
#include "emulator/sim/cpu/quick.h"

/* Passes the access to the sampler. Returns true if the watches must be checked now. */
static bool note_access(struct core *core, const struct code_insn *insn,
			const struct access *access, const struct access_result *result)
{
	if (!sampler_access(&core->sampler, access, result, core->config->memory.l1d.latency,
			    insn->locked))
		return false;
	core->totals[core->ring][CORE_LOADS_SLOW]++;
	return core->slow_left && !--core->slow_left;
}

/*
 * True if the access belongs to the running block. QEMU attributes the accesses of an interrupt's
 * or fault's delivery to an earlier block's last instruction, if that called one of QEMU's helpers,
 * as every RET does.
 */
static inline bool is_of(const struct code_block *block, const struct code_insn *insn)
{
	return insn->address - block->start < block->end - block->start;
}

/* QEMU runs an instruction at a device again in a block of its own, whose start is not reported. */
static unsigned index_of(const struct code_block *block, const struct code_insn *insn)
{
	if (insn >= block->insn && insn < block->insn + block->nr)
		return (unsigned)(insn - block->insn);
	for (unsigned i = 0; i < block->nr; i++)
		if (block->insn[i].address == insn->address)
			return i;
	return 0;
}

/* Computes when an access that is no plain hit begins. */
static void look_ahead(struct core *core, const struct code_insn *insn, struct access *access)
{
	const struct block *timing = core->block ? core->block->timing[core->kind] : NULL;

	if (!timing || core->light || !is_of(core->block, insn))
		return;
	access->now =
	    pipeline_begin(core->pipeline, timing, index_of(core->block, insn), access->store);
	if (access->store && insn == core->taking && core->taken > access->now)
		access->now = core->taken;
	access->room = pipeline_room(core->pipeline, access->now);
}

/* The access was made, with this result. Returns whether the guest must stop. */
static inline bool accessed(struct core *core, const struct code_insn *insn,
			    const struct access *access, const struct access_result *result)
{
	const struct block *timing;
	bool look = false, later;

	if (!core->block || !is_of(core->block, insn))
		return false;
	if (core->polls)
		memory_polls_at(core->memory, access->vaddr, access->store);
	later = core->last_access == insn->address;
	/* A load without the store of a read-modify-write instruction has faulted. */
	if (access->store || !insn->stores)
		core->last_access = insn->address;
	if (core->sampler.how)
		look = note_access(core, insn, access, result);
	timing = core->block->timing[core->kind];
	if (timing && !core->light)
		pipeline_access(core->pipeline, timing,
				&(struct block_access){.vaddr = access->vaddr,
						       .insn = index_of(core->block, insn),
						       .size = access->size,
						       .store = access->store,
						       .later = later,
						       .begin = access->now,
						       .result = result});
	look |= core->missed && core->watch_memory;
	return look && core->nr_watches && core_look(core, insn->address);
}

/* Handles an access that is no plain hit in L1D. */
static bool access_slow(struct core *core, const struct code_insn *insn, struct access *access)
{
	struct access_result result;

	look_ahead(core, insn, access);
	memory_access_slow(core->memory, access, &result);
	if (result.level == MEM_HITM && !access->store) {
		core->taking = insn;
		core->taken = access->now + result.latency;
	}
	if (result.modifies_code) {
		core->totals[core->ring][CORE_CLEARS_SMC]++;
		core->clear = true;
		core_change(core);
	}
	core->missed_to |= detail_missed(&result);
	core_missed(core);
	return accessed(core, insn, access, &result);
}

static enum core_answer hit_known(struct core *core, const struct code_insn *insn, uint64_t vaddr,
				  unsigned size, bool store)
{
	static const struct access_result hit = {.level = MEM_L1};
	const struct access access = {.vaddr = vaddr,
				      .ip = insn->address,
				      .now = pipeline_cycles(core->pipeline),
				      .size = size,
				      .store = store};

	return accessed(core, insn, &access, &hit) ? CORE_STOPS : CORE_GOES_ON;
}

static enum core_answer access_known(struct core *core, const struct code_insn *insn,
				     uint64_t vaddr, unsigned size, bool store)
{
	struct access access = {.vaddr = vaddr,
				.ip = insn->address,
				.now = pipeline_cycles(core->pipeline),
				.size = size,
				.store = store};

	if (!memory_knows_page(core->memory, &access) && !memory_use_reply(core->memory, &access))
		return CORE_ASKS;
	return access_slow(core, insn, &access) ? CORE_STOPS : CORE_GOES_ON;
}

/* True if the pipeline can ignore the access of an instruction of the running block if it hits. */
static inline bool is_plain(const struct core *core, const struct code_insn *insn, uint64_t vaddr,
			    unsigned size, bool store)
{
	const struct code_block *block = core->block;

	if (!block || core_looks(core) ||
	    (uintptr_t)insn - (uintptr_t)block->insn >= block->insn_bytes)
		return false;
	return core->light ||
	       (store ? pipeline_plain_store(core->pipeline, vaddr, size, insn->stored[core->kind])
		      : pipeline_plain_load(core->pipeline, vaddr, size));
}

/* Handles an access that hits as is_plain() allows; flies: a line in flight. */
static inline enum core_answer take_hit(struct core *core, const struct code_insn *insn,
					uint64_t vaddr, unsigned size, bool store, bool flies)
{
	if (store && !core->light)
		pipeline_stores(core->pipeline, vaddr, size, insn->stored[core->kind]);
	if (store || !insn->stores)
		core->last_access = insn->address;
	if (!flies)
		return CORE_GOES_ON;
	core_missed(core);
	return core_looks(core) && core->nr_watches && core_look(core, insn->address)
		   ? CORE_STOPS
		   : CORE_GOES_ON;
}

enum core_answer core_access_known(struct core *core, const struct code_insn *insn, uint64_t vaddr,
				   unsigned size, bool store)
{
	bool plain, hits;
	enum memory_hit other = HIT_NONE;

	if (insn->wants_physical)
		return CORE_ASKS;
	plain = is_plain(core, insn, vaddr, size, store);
	hits = core->blind || memory_plain_hit(core->memory, vaddr, size, store);
	if (plain && !hits)
		other = memory_other_hit(core->memory, vaddr, size, store,
					 pipeline_cycles(core->pipeline), core->light);
	if (plain && (hits || other))
		return take_hit(core, insn, vaddr, size, store, other == HIT_IN_FLIGHT);
	return hits ? hit_known(core, insn, vaddr, size, store)
		    : access_known(core, insn, vaddr, size, store);
}

bool core_access(struct core *core, const struct code_insn *insn, uint64_t vaddr, uint64_t paddr,
		 unsigned size, bool store)
{
	struct access access = {.vaddr = vaddr,
				.paddr = paddr,
				.ip = insn->address,
				.now = pipeline_cycles(core->pipeline),
				.size = size,
				.store = store};
	struct access_result result = {.level = MEM_L1};

	if (core->blind)
		return accessed(core, insn, &access, &result);
	if (insn->streams && store) {
		look_ahead(core, insn, &access);
		memory_stream(core->memory, &access, &result);
	} else if (!memory_access_hits(core->memory, &access)) {
		return access_slow(core, insn, &access);
	}
	return accessed(core, insn, &access, &result);
}

void core_device_access(struct core *core, const struct code_insn *insn)
{
	if (core->block && is_of(core->block, insn))
		core->last_access = insn->address;
}
