/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU model: one processor's performance monitoring unit as portable C, driven by "so many
 *instructions retired".
 *
 * The visor gives it to guests; host tests put it behind rdmsr/wrmsr. It has no global state, takes
 *no lock, allocates nothing and calls nothing (a compiler may turn the reset into memset). Any
 *context; one caller at a time for one struct model. What it counts and by which numbers:
 *docs/emulated-pmu.md. Source: Intel SDM vol. 3, "Performance Monitoring", and vol. 4 for the
 *registers.
 *
 * How a caller drives it:
 *	model_reset(&m, personality_find("intel-v4"));
 *	before running:   n = model_until_overflow(&m, ring, exact); run at most n instructions
 *	after running:    model_retire(&m, &work);
 *	then:             if (model_take_pmi(&m)) deliver it through LVTPC;
 *	on a guest's RDMSR, WRMSR, RDPMC or CPUID: model_retire() what ran before it, then the call
 *below
 */
#ifndef VISOR_MODEL_MODEL_H
#define VISOR_MODEL_MODEL_H

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

/* What retired since the last call, all in one ring. */
struct model_work {
	uint64_t instructions;
	uint64_t branches;    /* exact: branch instructions among them, at most `instructions`;
				 otherwise ignored */
	uint64_t mispredicts; /* exact: mispredicted branches among them; otherwise ignored */
	enum model_ring ring; /* MODEL_USER: CPL 1 to 3, MODEL_KERNEL: CPL 0 */
	bool exact; /* branches and mispredicts are known; otherwise they follow the documented
		       ratio */
	/* With model_use_core(): what happened, by enum core_quantity; `instructions` then is what
	 * time goes by. NULL: nothing but these instructions and branches, one by one. */
	const uint64_t *quantities;
	const struct core_sample *sample; /* with `quantities`: which watches ended the run */
};

struct personality; /* emulator/visor/model/core/personality.h: what the processor is; const rows,
		     * found by name
		     */
struct model; /* the state: model_state.h, so that callers may embed it; only the model touches its
		 members */

/* The personality of that name ("none", "intel-v2", "intel-v4"), or NULL. */
const struct personality *personality_find(const char *name);
/* The personalities in order: number `index` from 0, NULL after the last. */
const struct personality *personality_at(unsigned index);
/* What processor `index` of `nr` is: on a hybrid machine of several the earlier half, rounded up,
 * is performance cores, as on real ones, the rest efficient cores. */
const struct personality *personality_of_processor(const struct personality *personality,
						   unsigned index, unsigned nr);
/* Its name, at most 15 characters and NUL, in an array of 16 zero-padded bytes. */
const char *personality_name(const struct personality *personality);
/* What distinguishes it, in one line. */
const char *personality_shows(const struct personality *personality);

/* Power-on state. An INIT leaves the PMU as it is: do not call it then. */
void model_reset(struct model *model, const struct personality *personality);

/*
 * The TSC's frequency in kHz (0: not known), and, if that is exact and CPUID may tell it to who
 * would measure otherwise, the frequency of the clock that the APIC's timer counts; else 0.
 */
void model_set_clock(struct model *model, uint32_t tsc_khz, uint32_t crystal_khz);
/* It is one of Intel's. */
bool model_is_intel(const struct model *model);
/* The processor has pages that are not executable, unless IA32_MISC_ENABLE says otherwise. */
bool model_offers_nx(const struct model *model);

/* From now on events are what a simulated core has seen (work.quantities), and never shares. After
 * model_reset() they are shares. geometry, of its caches and TLBs, stays the caller's: CPUID tells
 * it. */
enum model_stops {
	MODEL_STOPS_NONE,   /* the core cannot stop the guest: watches do nothing */
	MODEL_STOPS_EVENTS, /* it ends a run when a watch runs out */
	MODEL_STOPS_ALL,    /* instructions are watched, too: nobody else can stop on them */
};
void model_use_core(struct model *model, const struct core_geometry *geometry,
		    enum model_stops stops);
/* Single accesses to memory matter; slow_cycles: how long the load of a load-latency event
 * takes. */
bool model_samples_accesses(const struct model *model, uint32_t *slow_cycles);
/* Which of the core's prefetchers software has switched off: bits of MSR 1A4H. */
uint8_t model_prefetch_off(const struct model *model);
/* Some counter counts quantities from CORE_FIRST_DETAIL on. */
bool model_counts_details(const struct model *model);
/* The sums of quantities by which counters would wrap that are to stop the guest; instructions,
 * which model_until_overflow() knows, are not among them. At most CORE_WATCHES; gives their number.
 */
unsigned model_watches(const struct model *model, struct core_watch *watches);

/* Register access. Reserved bits, registers that the version lacks and values that are too wide
 * give MODEL_GP (SDM vol. 3 and 4). */
enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value);
enum model_result model_wrmsr(struct model *model, uint32_t msr, uint64_t value);
/* What model_wrmsr() would answer, without the write. */
enum model_result model_wrmsr_check(const struct model *model, uint32_t msr, uint64_t value);
/* Visits each MSR for which these answer anything but MODEL_NOT_PMU, some twice. */
void model_each_msr(void (*visit)(uint32_t msr, void *context), void *context);
/*
 * `index` is ECX of RDPMC: bits 15:0 the counter, bits 31:16 its kind (0 general, 4000H fixed);
 * everything else, with it the fast-read bit 31, gives MODEL_GP on an architectural PMU. The caller
 * checks CR4.PCE and CPL.
 */
enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value);
/*
 * Turns what the machine's CPUID returned for (leaf, subleaf) into what the personality's processor
 * returns: regs are EAX, EBX, ECX, EDX. Leaves 40000000H to 4FFFFFFFH and leaf 1's ECX[31]
 * (hypervisor) pass unchanged.
 */
void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/*
 * Counts the work; counters that wrap set their status bit and, if their interrupt is enabled, make
 * a PMI pending. The result does not depend on how the same work is divided into calls.
 */
void model_retire(struct model *model, const struct model_work *work);

/*
 * How many instructions of `ring` (or, with MODEL_USER | MODEL_KERNEL, of any) retire until the
 * first counter that interrupts wraps, or the first PMI that is on its way arrives; MODEL_NEVER:
 * none will. Exactly that one wraps it, with two exceptions where it is a lower bound, at least 1:
 * with both rings and a counter that counts in one of them; with `exact` and a counter of branches.
 */
uint64_t model_until_overflow(const struct model *model, unsigned rings, bool exact);
/* Some counter counts in exactly one of the two rings: the caller must tell them apart. */
bool model_splits_rings(const struct model *model);
/* Some counter counts at all, or a PMI is still on its way: time must be told to model_retire(). */
bool model_counts(const struct model *model);

/* What a PEBS record is made of, and how to reach the guest's memory. */
#define MODEL_XMM_WORDS 32
struct model_pebs_source {
	uint64_t event_ip; /* of the instruction that the record is of */
	uint64_t ip;       /* of the next */
	uint64_t flags;
	uint64_t gpr[16]; /* in the order of their numbers: RAX, RCX, RDX, RBX, RSP ... R15 */
	uint64_t tsc;
	/* Its accesses. NULL: nobody knows; then `address` is what the record says, and the rest
	 * invented. */
	const struct core_access *load, *store;
	uint64_t address;
	void *context; /* for the calls */
	/* At a linear address; false: it is not there, or may not be written. */
	bool (*read)(void *context, uint64_t address, void *data, unsigned bytes);
	bool (*write)(void *context, uint64_t address, const void *data, unsigned bytes);
	void (*read_xmms)(void *context, uint64_t words[MODEL_XMM_WORDS]);
};

/* A PEBS counter wrapped and waits: the next instruction is to be run alone, so that it is known,
 * unless model_until_overflow() says otherwise: then a watch of model_watches() ends the run. */
bool model_pebs_waits(const struct model *model);
/* The next instruction in that ring is the record's, as far as is known: a counter that counts
 * there has wrapped with the last one. */
bool model_pebs_is_next(const struct model *model, enum model_ring ring);
/* The work of the last model_retire() is what a PEBS counter waited for: the caller now calls
 * model_pebs_record(). */
bool model_pebs_ready(const struct model *model);
/*
 * Writes the record into the debug store, reloads the counters that it is of, and makes a PMI
 * pending where the buffer is filled to its threshold. Memory that is not there: no record.
 */
void model_pebs_record(struct model *model, const struct model_pebs_source *source);

/* The personality has AMD's instruction-based sampling. */
bool model_has_ibs(const struct model *model);
/* A counter of it has run out: the next instruction is to be run alone, so that it is known. */
bool model_ibs_waits(const struct model *model);
/* The work of the last model_retire() is what it waited for: the caller now calls
 * model_ibs_record(). */
bool model_ibs_ready(const struct model *model);
/* What its registers tell of that instruction. */
struct model_ibs_source {
	uint64_t ip, next; /* its address, and where the guest is past it */
	/* What a core saw of it; NULL: nobody knows. */
	const struct core_sample *sample;
	const uint64_t (*work)[CORE_NR_QUANTITIES]; /* by ring */
	bool branch, taken, returns;                /* without a core */
};
/* It was not run alone: the next one is sought. */
void model_ibs_put_off(struct model *model);
void model_ibs_record(struct model *model, const struct model_ibs_source *source);
/* True once for each sample: it interrupts by entry *lvt of the extended local vector table. */
bool model_take_ibs(struct model *model, unsigned *lvt);

struct pt_state; /* abi/pt_state.h */
/* Moves Processor Trace's state to memory that it shares with the simulated core, and resets it. */
void model_share_pt(struct model *model, struct pt_state *state);
/* Returns Processor Trace's state. The caller encodes packets (emulator/pt/). */
struct pt_state *model_pt(struct model *model);
/* Makes a PMI pending if a region with INT has become full since the last call. */
void model_pt_interrupt(struct model *model);

/*
 * True once for each PMI: takes it, and applies the freezes that it implies (DEBUGCTL
 * freeze-on-PMI: up to version 3 GLOBAL_CTRL and DEBUGCTL.LBR are cleared, from version 4 CTR_FRZ
 * and LBR_FRZ are set). The caller delivers it through LVTPC and masks that where the hardware
 * does; where LVTPC is masked already the PMI is lost, as on hardware: take it all the same.
 * Counters that wrap together make one PMI.
 */
bool model_take_pmi(struct model *model);
/* Whether delivery sets the LVTPC mask bit on this personality (Intel: yes, AMD: no). */
bool model_masks_lvtpc(const struct model *model);

#endif
