/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One simulated processor: takes the guest's blocks and their memory accesses, keeps counts by
 * ring, and reports when a watch is due. Portable; independent of QEMU. Only one thread at a time
 * may use a core and all cores that share its cache.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "abi/core_page.h"
#include "emulator/sim/config/config.h"
#include "emulator/sim/cpu/code.h"
#include "emulator/sim/cpu/trace.h"
#include "emulator/sim/decode/touch.h"
#include "emulator/sim/memory/memory.h"

struct core;
struct shared_cache;

/* The caller keeps config; the core uses the `kind`-th timing of its blocks. Returns NULL if there
 * is no memory. */
struct core *core_new(const struct core_config *config, struct shared_cache *shared, unsigned kind);

/* Frees it; its blocks must be freed afterwards. NULL: does nothing. */
void core_free(struct core *core);

/* True if the visor's page requests nothing that needs the pipeline, or that cannot be done later:
 * only caches, TLBs and predictors are kept warm for later counting. */
static inline bool core_requests_nothing(const struct core_processor *page)
{
	return !page->counting && !page->timing && !page->filter.enabled && !page->sampling &&
	       !page->nr_watches && !(page->pt.ctl & PT_CTL_TRACE) && !page->store.rings;
}

/* A guest that boots is measured whole: its ring 0 has windows of the pipeline as ring 3 has. */
void core_sample_kernel(struct core *core);

/* Writes the names of the events of the core's components. */
void core_name_events(const struct core *core, char names[VISOR_EVENTS_MAX][VISOR_EVENT_BYTES]);

/* Sets the page through which the visor and this core exchange commands and counts. */
void core_connect(struct core *core, struct core_processor *page);

/*
 * Starts a block of the guest, which ends the one before. Block and instructions must live until
 * the next call. Returns true if a watch has run out: the guest must stop soon.
 */
bool core_block(struct core *core, struct code_block *block);

/* Ends the running block: the guest continues at `to`, where core_block() may start the next one.
 */
void core_end_block(struct core *core, uint64_t to);

/* The first block of an observation that began within a run of the guest is in this ring. */
void core_in_ring(struct core *core, enum core_ring ring);

/* An instruction of the block has accessed memory. Returns as core_block(). */
bool core_access(struct core *core, const struct code_insn *insn, uint64_t vaddr, uint64_t paddr,
		 unsigned size, bool store);

enum core_answer { CORE_GOES_ON, CORE_STOPS, CORE_ASKS };

/* As core_access(). Returns CORE_ASKS, with nothing changed, if core_access() must be called with
 * the physical address. */
enum core_answer core_access_known(struct core *core, const struct code_insn *insn, uint64_t vaddr,
				   unsigned size, bool store);

/* As core_access(), for a device: bypasses the caches. */
void core_device_access(struct core *core, const struct code_insn *insn);

/* A running instruction names memory without accessing it. */
void core_touch(struct core *core, enum touch_kind kind, uint64_t vaddr, uint64_t paddr);
/* Sets *physical to vaddr's physical address, if the core has seen its page lately; else returns
 * false. */
bool core_physical(struct core *core, uint64_t vaddr, uint64_t *physical);

/* Sets the function that looks up page sizes (emulator/sim/memory/memory.h); without it all pages
 * have 4 KiB. */
void core_set_page_query(struct core *core, memory_page_at *page_at, void *who);

/* Sets the machine's callbacks for Processor Trace. */
void core_trace_by(struct core *core, const struct trace_machine *machine);

/* The code segment that the running IRET or far return has taken from the stack. */
void core_frame_selector(struct core *core, uint16_t selector);

/* All current blocks are about to be freed. */
void core_forget_blocks(struct core *core);

/* Sets the page through which the visor and this core exchange commands and counts. Returns the
 * previous one. */
struct core_processor *core_take_page(struct core *core, struct core_processor *page);

/* The guest ran unobserved: treats the next block as the first after an entry. effects: enum
 * code_effect of the unobserved code. */
void core_lose_sight(struct core *core, unsigned effects);

/* True if its second level fetches lines in pairs, by its configuration and the visor's
 * settings. */
bool core_fetches_pairs(const struct core *core);

/* The core's clock, in cycles, as of the last block that has ended: when all of it has retired. It
 * never goes backwards. */
uint64_t core_time(const struct core *core);
/* True if the pipeline is simulated; else an instruction is a cycle. */
bool core_is_timed(const struct core *core);

/* Ring 3 looks at the clock: what follows is simulated in full detail for a while. Between blocks.
 */
void core_look_at_clock(struct core *core);

/* The core waits `cycles` cycles for another one. */
void core_wait(struct core *core, uint64_t cycles);
/* A vector instruction has a denormal source or result; `operation`: enum fp_operation. */
void core_assist(struct core *core, unsigned operation);
/* A locked access has hit; others that wait by exchanges there would have had the line before. */
void core_contends(struct core *core, uint64_t vaddr);
/* The next block waits for others, by PAUSE, or does not. */
void core_polls(struct core *core, bool polls);
/* The clock that all cores of the machine have in common, at this one's cycle 0. */
void core_start_clock(struct core *core, int64_t at);

/* The guest has stopped where the page says: settles all that it did into the page. */
void core_sync(struct core *core);

#endif
