/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by the plugin's files: QEMU's processors, and their cores. */
#ifndef CORE_BORDER_STATE_H
#define CORE_BORDER_STATE_H

#include <pthread.h>

#include "emulator/sim/cpu/core.h"
#include "emulator/sim/plugin/plugin_options.h"
#include "emulator/sim/plugin/qemu/qemu.h"
#include "emulator/sim/replay/replay.h"

#define INFO_OF_SIZE 4096 /* QEMU's access descriptor: these low bits determine the size */

/* A processor's clock: plugin_clock.c. */
struct clock {
	bool on, was_on; /* it follows the core in this run of the guest, did so in the last one */
	int64_t start;   /* QEMU's clock at the core's cycle 0 */
	int64_t moved;   /* by which QEMU's clock was moved in this run, ns */
	uint64_t synced; /* the core's cycle of the last CORE_SYNC */
	uint64_t due;    /* at which to look again */
	bool ahead;      /* of other processors, so far that they are to run */
};

/* One of QEMU's processors. */
struct processor {
	struct core *core;
	bool inside;          /* a guest of the visor's runs, as far as we know, */
	unsigned frame_loads; /* of the running IRET */
	struct core_processor *page;
	bool knows_registers; /* as they were at the running block's begin */
	unsigned ran, hidden; /* instructions of its turn: the guest's, the visor's */
	uint8_t waits;        /* enum code_wait of its last block */
	bool paused;          /* its turn before ended so */
	bool loops;           /* its block is a loop */
	uint8_t blocks;       /* after which its turn ends, as it has taken a line; 0: none */
	uint64_t
	    locked_line; /* of the last locked access, unless it was stored to since; 0: none */
	uint64_t registers[TOUCH_VALUES];
	bool assisted; /* the running vector instruction has had its assist */
	struct clock clock;
};

struct plugin {
	qemu_plugin_id_t id;
	struct plugin_words words;
	bool asleep;            /* no event needs the simulation yet: the code runs unchanged */
	bool kernel_runs;       /* which has a place of its own among addresses, */
	bool program_runs;      /* and below it a program, after its dynamic linker */
	struct core_page *page; /* the visor's; NULL: it has not said hello */
	/* our address of the guest's physical address 0; low memory follows */
	const char *ram;
	struct processor processors[CORE_PROCESSORS];
	/* The core of the only processor while its guest runs, without a log; else NULL. */
	struct core *alone;
	unsigned nr_processors;
	pthread_mutex_t lock;
	uint32_t store;              /* the bit of QEMU's access descriptor that marks a store */
	uint8_t sizes[INFO_OF_SIZE]; /* size in bytes, from qemu_plugin_mem_size_shift() */
	uint8_t shifts[INFO_OF_SIZE];
	/* of lines between processors whose turns follow them; NULL: turns have one length */
	struct moves *moves;
	int64_t turn_until;    /* by the clock, when the others are to run */
	uint32_t size_unit;    /* by how much it grows where the size doubles */
	struct replay *replay; /* of a processor that is alone; else one that takes nothing */
};

extern struct plugin plugin;

static inline void enter(void)
{
	if (plugin.words.threads)
		pthread_mutex_lock(&plugin.lock);
}

static inline void leave(void)
{
	if (plugin.words.threads)
		pthread_mutex_unlock(&plugin.lock);
}

/* The processor that a callback is for: with one thread for several, QEMU's number may be
 * another's. */
static inline unsigned current_vcpu(unsigned vcpu)
{
	return plugin.words.turn && qemu_way->current ? qemu_way->current(vcpu) : vcpu;
}

static inline struct processor *processor(unsigned vcpu)
{
	return &plugin.processors[vcpu % CORE_PROCESSORS];
}

static inline bool is_visors(const void *host)
{
	const struct core_page *page = plugin.page;

	return page &&
	       (uint64_t)((const char *)host - plugin.ram) - page->visor_base < page->visor_bytes;
}

static inline uint64_t physical_of(const void *host)
{
	return plugin.ram ? (uint64_t)((const char *)host - plugin.ram) : (uint64_t)host;
}

/* True if it ends with an instruction whose loads are counted. */
static inline bool takes_frame(const struct code_block *block)
{
	return block->insn[block->nr - 1].kind == CODE_FAR_FRAME;
}

/* plugin_trace.c: connects a processor's core to Processor Trace. */
void plugin_trace_state(struct processor *p);

/* plugin_guest.c: what the guest does; callbacks of QEMU's. */
/* A block of the visor; user: its instructions, by HIDDEN_ONE, and enum code_wait. */
#define HIDDEN_ONE 4
void plugin_on_hidden_block(unsigned vcpu, void *user);
/* A block (struct code_block): one that only runs, with a known physical address; any other. */
void plugin_on_block(unsigned vcpu, void *user);
void plugin_on_any_block(unsigned vcpu, void *user);
/* Instructions' accesses (struct code_insn): of one that needs each physical address, of any other,
 * of one that only loads or only stores. */
typedef void access_callback(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user);
access_callback plugin_on_queried_access, plugin_on_access, plugin_on_load, plugin_on_store;
/* Returns which of them is the instruction's. */
access_callback *plugin_plain_access(const struct code_insn *insn);
/* An access of an instruction that may access more than 8 bytes at once; QEMU before 8.0 does it in
 * steps of 8. */
access_callback plugin_on_wide_access;
/* An instruction that names memory (struct touch). */
void plugin_on_touch(unsigned vcpu, void *user);
/* RDTSC, a block (struct code_block) of its own, is about to run. */
void plugin_on_clock(unsigned vcpu, void *user);

#endif
