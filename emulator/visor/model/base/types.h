/* SPDX-License-Identifier: BSD-2-Clause */
/* The types that the model and its callers exchange. */
#ifndef VISOR_MODEL_TYPES_H
#define VISOR_MODEL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/core_geometry.h"
#include "abi/core_quantities.h"

struct core_access;
struct core_sample;
struct core_watch;

enum model_result {
	MODEL_OK,      /* done */
	MODEL_GP,      /* the access raises #GP(0); nothing changed */
	MODEL_NOT_PMU, /* no register of the PMU: the caller's business */
};

enum model_ring { MODEL_USER = 1, MODEL_KERNEL = 2 };

#define MODEL_MAX_GENERAL 8
#define MODEL_MAX_FIXED   4
#define MODEL_MAX_COUNTER (MODEL_MAX_GENERAL + MODEL_MAX_FIXED)
#define MODEL_NEVER       UINT64_MAX

/* The work retired since the last call, all in one ring. */
struct model_work {
	uint64_t instructions;
	uint64_t branches;    /* exact: branch instructions among them, at most `instructions`;
				 otherwise ignored */
	uint64_t mispredicts; /* exact: mispredicted branches among them; otherwise ignored */
	enum model_ring ring; /* MODEL_USER: CPL 1 to 3, MODEL_KERNEL: CPL 0 */
	bool exact; /* branches and mispredicts are known; otherwise they follow the documented
		       ratio */
	/* With model_use_core(): the quantities, by enum core_quantity; time advances by
	 * `instructions`. NULL: only these instructions and branches, one by one. */
	const uint64_t *quantities;
	const struct core_sample *sample; /* with `quantities`: which watches ended the run */
};

struct personality; /* emulator/visor/model/base/personality.h: what the processor is; const rows,
		     * found by name
		     */
struct model; /* the state: model_state.h, so that callers may embed it; only the model touches its
		 members */

enum model_stops {
	MODEL_STOPS_NONE,   /* the core cannot stop the guest: watches do nothing */
	MODEL_STOPS_EVENTS, /* it ends a run when a watch runs out */
	MODEL_STOPS_ALL,    /* instructions are also watched: there is no stopwatch for them */
};

#define MODEL_ENERGY_DOMAINS 3

/* The contents of a PEBS record, and access to the guest's memory. */
#define MODEL_XMM_WORDS 32
struct model_pebs_source {
	uint64_t event_ip; /* of the instruction that the record is of */
	uint64_t ip;       /* of the next */
	uint64_t flags;
	uint64_t gpr[16]; /* in the order of their numbers: RAX, RCX, RDX, RBX, RSP ... R15 */
	uint64_t tsc;
	/* Its accesses. NULL: unknown; then the record has `address`, and invented values for the
	 * rest. */
	const struct core_access *load, *store;
	uint64_t address;
	void *context; /* for the calls */
	/* Access at a linear address; false: not mapped, or not writable. */
	bool (*read)(void *context, uint64_t address, void *data, unsigned bytes);
	bool (*write)(void *context, uint64_t address, const void *data, unsigned bytes);
	void (*read_xmms)(void *context, uint64_t words[MODEL_XMM_WORDS]);
};

/* The contents of the registers for that instruction. */
struct model_ibs_source {
	uint64_t ip, next; /* its address, and where the guest is past it */
	/* The core's sample of it; NULL: unknown. */
	const struct core_sample *sample;
	const uint64_t (*work)[CORE_NR_QUANTITIES]; /* by ring */
	bool branch, taken, returns;                /* without a core */
};

#endif
