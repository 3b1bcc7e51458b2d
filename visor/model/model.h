/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU model: one processor's performance monitoring unit as portable C, driven by "so many instructions retired".
 * The visor gives it to guests; host tests put it behind rdmsr/wrmsr. It has no global state and calls nothing.
 */
#ifndef VISOR_MODEL_MODEL_H
#define VISOR_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct personality; /* visor/model/personality.h: const tables, found by name */

enum model_result {
	MODEL_OK,      /* done */
	MODEL_GP,      /* the access raises #GP(0) */
	MODEL_NOT_PMU, /* no register of the PMU: the caller's business */
};

enum model_ring { MODEL_USER = 1, MODEL_KERNEL = 2 };

#define MODEL_MAX_GENERAL 8
#define MODEL_MAX_FIXED   4

/* What retired since the last call, all in one ring. */
struct model_work {
	uint64_t instructions;
	uint64_t branches;    /* exact mode: branches seen; otherwise ignored */
	uint64_t mispredicts; /* exact mode */
	enum model_ring ring;
	bool exact;           /* branches and mispredicts are known; otherwise they follow the documented ratio */
};

struct model; /* the state: sizes are in model_state.h, so that callers may embed it */

/* Power-on state of the named personality. */
void model_reset(struct model *model, const struct personality *personality);

/* Register access. Reserved bits, registers that the version lacks and values that are too wide give MODEL_GP (SDM vol. 3 and 4). */
enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value);
enum model_result model_wrmsr(struct model *model, uint32_t msr, uint64_t value);
/* `index` is ECX of RDPMC. The caller checks CR4.PCE and CPL. */
enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value);
/* Rewrites what the machine's CPUID returned for (leaf, subleaf): regs are EAX, EBX, ECX, EDX. */
void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* Counts the work; counters that wrap set their status bit and, if enabled, make a PMI pending. */
void model_retire(struct model *model, const struct model_work *work);

/*
 * How many instructions may retire in `ring` (or, with MODEL_USER | MODEL_KERNEL, in any) before the first counter that
 * interrupts wraps; UINT64_MAX: never. Lower bound where the model's ratios round.
 */
uint64_t model_until_overflow(const struct model *model, unsigned rings, bool exact);
/* Some counter counts in exactly one of the two rings: the caller must tell them apart. */
bool model_splits_rings(const struct model *model);
/* Some counter counts at all. */
bool model_counts(const struct model *model);

/*
 * True once for each PMI: takes it, and applies the freezes that delivery implies (DEBUGCTL freeze-on-PMI: legacy clears
 * GLOBAL_CTRL up to v3, sets CTR_FRZ from v4). The caller delivers it through LVTPC and masks that where the hardware does.
 */
bool model_take_pmi(struct model *model);
/* Whether delivery sets the LVTPC mask bit on this personality (Intel: yes, AMD: no). */
bool model_masks_lvtpc(const struct model *model);

#endif
