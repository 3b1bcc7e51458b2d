/* SPDX-License-Identifier: BSD-2-Clause */
/* The state behind model.h, for code that embeds it. Only the model uses the members. */
#ifndef VISOR_MODEL_MODEL_STATE_H
#define VISOR_MODEL_MODEL_STATE_H

#include "abi/pt_state.h"
#include "emulator/visor/model/base/energy.h"
#include "emulator/visor/model/base/events.h"
#include "emulator/visor/model/base/ibs_state.h"
#include "emulator/visor/model/base/lbr/lbr_state.h"
#include "emulator/visor/model/base/pebs_state.h"
#include "emulator/visor/model/base/types.h"

#define MODEL_METRICS   8
#define MODEL_OFFCORE   2  /* OFFCORE_RSP_0 and _1 */
#define MODEL_REGISTERS 56 /* enum reg, at most */

/* One counter: its value and its selection, decoded at each write. */
struct model_counter {
	uint64_t value;
	uint64_t fraction; /* of one event, in units of 1/EVENT_SCALE */
	struct event_rate rate;
	struct event_sum sum;
	uint8_t source; /* VISOR_COUNTS_*: where its counts come from */
	uint8_t rings;  /* enum model_ring: where it counts; 0: its selection has it off */
	bool interrupts;
	uint32_t pmi_in; /* instructions until the PMI of a wrap arrives; 0: none is on its way */
};

struct model {
	const struct personality *personality;
	/* Masks of each enum reg of the personality, computed once: bits that a write changes, and
	 * bits that it may set. */
	struct register_masks {
		uint64_t writable, accepted;
	} masks[MODEL_REGISTERS];
	/* General counters from 0, fixed ones from MODEL_MAX_GENERAL. */
	struct model_counter counters[MODEL_MAX_COUNTER];
	uint64_t select[MODEL_MAX_GENERAL];   /* IA32_PERFEVTSELx */
	uint64_t fixed_control;               /* IA32_FIXED_CTR_CTRL */
	uint64_t global_control;              /* IA32_PERF_GLOBAL_CTRL */
	uint64_t status;                      /* IA32_PERF_GLOBAL_STATUS */
	uint64_t debug_control;               /* IA32_DEBUGCTL */
	uint64_t misc_enable;                 /* IA32_MISC_ENABLE, the bits that can be written */
	uint64_t offcore[MODEL_OFFCORE];      /* OFFCORE_RSP_x */
	uint64_t metrics;                     /* MSR_PERF_METRICS */
	uint64_t metric_slots[MODEL_METRICS]; /* of a simulated core, since that was written */
	uint64_t hwcr;                        /* AMD: HWCR, the bits that can be written */
	struct pebs pebs;
	uint32_t pmi_delay;            /* instructions from a wrap to its PMI */
	uint32_t tsc_khz, crystal_khz; /* model_set_clock() */
	uint8_t prefetch_off;          /* MSR 1A4H */
	bool pmi_pending;
	uint64_t abort_every;     /* a quirk: every n-th record reports a transaction; 0: none */
	bool core;                /* model_use_core() */
	uint8_t core_stops;       /* enum model_stops */
	uint8_t component_events; /* of VISOR_EVENT_SELECT that the core has */
	const struct core_geometry *geometry; /* of its caches, for CPUID. NULL: the machine's */
	struct energy energy;
	struct lbr lbr;
	struct ibs ibs;
	struct pt_state *shared_pt; /* model_share_pt(). NULL: own_pt */
	struct pt_state own_pt;
};

#endif
