/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One simulated processor: takes the blocks that the guest runs and their accesses to memory, keeps
 * what happened by ring, and tells when something is due. Portable; it knows nothing of QEMU. One
 * thread at a time for one core and for all that share a cache.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "abi/core_page.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/cpu/code.h"
#include "emulator/sim/cpu/trace.h"
#include "emulator/sim/config/config.h"
#include "emulator/sim/decode/touch.h"

struct core;
struct shared_cache;

/* config stays the caller's; its blocks' timing is their `kind`-th. Returns NULL without memory. */
struct core *core_new(const struct core_config *config, struct shared_cache *shared, unsigned kind);

/* Frees it; blocks that it ran go afterwards. NULL is fine. */
void core_free(struct core *core);

/* Whether the visor's words ask for nothing that takes the pipeline, or that could not be told
 * later: caches, TLBs and predictors are kept warm for who counts then. */
static inline bool core_asks_nothing(const struct core_processor *page)
{
	return !page->counting && !page->timing && !page->filter.enabled && !page->sampling &&
	       !page->nr_watches && !(page->pt.ctl & PT_CTL_TRACE);
}

/* The place by which the visor and this core talk from now on. */
void core_connect(struct core *core, struct core_processor *page);

/*
 * A block of the guest's begins, what ran before it is done. Block and instructions must live until
 * the next call. Returns true when a watch has run out: the guest is to stop soon.
 */
bool core_block(struct core *core, struct code_block *block);

/* An instruction of the block has accessed memory. Returns as core_block(). */
bool core_access(struct core *core, const struct code_insn *insn, uint64_t vaddr, uint64_t paddr,
		 unsigned size, bool store);

/*
 * The same without a physical address, which takes time to find, and all that most accesses take:
 * they hit L1D, and a page whose place is known. Returns false when this one is another, and
 * nothing has happened.
 */
bool core_access_plain(struct core *core, const struct code_insn *insn, uint64_t vaddr,
		       unsigned size, bool store);

/* The same of the only access of an instruction that loads, or stores, alone, and does not ask. */
bool core_load_plain(struct core *core, const struct code_insn *insn, uint64_t vaddr,
		     unsigned size);
bool core_store_plain(struct core *core, const struct code_insn *insn, uint64_t vaddr,
		      unsigned size);

enum core_answer { CORE_GOES_ON, CORE_STOPS, CORE_ASKS };

/* What core_access_plain() has not taken. Returns CORE_ASKS when core_access() must be called with
 * the physical address: nothing has happened. */
enum core_answer core_access_known(struct core *core, const struct code_insn *insn, uint64_t vaddr,
				   unsigned size, bool store);

/* The same, of a device: no cache has seen it. */
void core_device_access(struct core *core, const struct code_insn *insn);

/* A running instruction names memory without an access to it. */
void core_touch(struct core *core, enum touch_kind kind, uint64_t vaddr, uint64_t paddr);
/* Where vaddr lies, if the core has seen its page lately; else returns false. */
bool core_physical(struct core *core, uint64_t vaddr, uint64_t *physical);

/* Whom to ask how large pages are (emulator/sim/memory/memory.h); without, all have 4 KiB. */
void core_ask_pages(struct core *core, memory_page_at *page_at, void *who);

/* Sets the machine's callbacks for Processor Trace. */
void core_trace_by(struct core *core, const struct trace_machine *machine);

/* The code segment that the running IRET or far return has taken from the stack. */
void core_frame_selector(struct core *core, uint16_t selector);

/* The blocks so far are about to go. */
void core_forget_blocks(struct core *core);

/* Until the next call the visor's words lie there. Returns where they lay. */
struct core_processor *core_take_page(struct core *core, struct core_processor *page);

/* Nobody saw what the guest did lately: the next block is the first one after an entry. effects:
 * enum code_effect of what ran meanwhile. */
void core_lose_sight(struct core *core, unsigned effects);

/* Whether its second level fetches lines in pairs, by its configuration and the visor's words. */
bool core_fetches_pairs(const struct core *core);

/* The core's clock, in cycles, as of the last block that has ended: when all of it has retired. It
 * never goes backwards. */
uint64_t core_time(const struct core *core);
/* True if the pipeline is simulated; else an instruction is a cycle. */
bool core_is_timed(const struct core *core);

/* The guest has stopped where the page says: settles all that it did into the page. */
void core_sync(struct core *core);

#endif
