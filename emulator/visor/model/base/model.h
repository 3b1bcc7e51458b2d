/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU model: one processor's performance monitoring unit as portable C, driven by the number of
 * retired instructions.
 *
 * The visor offers it to guests; host tests put it behind rdmsr/wrmsr. It has no global state,
 * takes no lock, allocates nothing and calls nothing (a compiler may turn the reset into memset).
 * Any context; one caller at a time for one struct model. docs/emulated-pmu.md describes events and
 * their rates. Source: Intel SDM vol. 3, "Performance Monitoring", and vol. 4 for the registers.
 *
 * How a caller drives it:
 *	model_reset(&m, personality_find("skylake"));
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

/* The personality of that name ("none", "skylake") or former name ("intel-v4"), or NULL. */
const struct personality *personality_find(const char *name);
/* Returns the personalities in order: number `index` from 0, NULL after the last. */
const struct personality *personality_at(unsigned index);
/* Returns the personality of processor `index` of `nr`: on a hybrid machine the first half, rounded
 * up, is performance cores, as on real ones, the rest efficient cores. */
const struct personality *personality_of_processor(const struct personality *personality,
						   unsigned index, unsigned nr);
/* Returns its name, at most 15 characters and NUL, in an array of 16 zero-padded bytes. */
const char *personality_name(const struct personality *personality);
/* How many last branch records it keeps; 0: none. */
unsigned personality_branch_records(const struct personality *personality);
/* The format of its PEBS records; -1: it has none. */
int personality_pebs(const struct personality *personality);

/* Sets the power-on state. An INIT does not reset the PMU: do not call it then. */
void model_reset(struct model *model, const struct personality *personality);

/*
 * Sets the TSC's frequency in kHz (0: unknown) and, if that is exact and CPUID may report it, the
 * frequency of the clock of the APIC's timer; else 0.
 */
void model_set_clock(struct model *model, uint32_t tsc_khz, uint32_t crystal_khz);
/* True for one of Intel's. */
bool model_is_intel(const struct model *model);
/* True if the processor supports non-executable pages, unless IA32_MISC_ENABLE disables them. */
bool model_offers_nx(const struct model *model);

/* From now on events come from a simulated core (work.quantities), not from rates; model_reset()
 * undoes this. The caller keeps `geometry`, of the caches and TLBs, which CPUID reports. */
enum model_stops {
	MODEL_STOPS_NONE,   /* the core cannot stop the guest: watches do nothing */
	MODEL_STOPS_EVENTS, /* it ends a run when a watch runs out */
	MODEL_STOPS_ALL,    /* instructions are also watched: there is no stopwatch for them */
};
void model_use_core(struct model *model, const struct core_geometry *geometry,
		    enum model_stops stops);
/* True if single memory accesses are needed; slow_cycles: the minimum latency of a load-latency
 * event. */
bool model_samples_accesses(const struct model *model, uint32_t *slow_cycles);
/* Returns the core's prefetchers that software has disabled: bits of MSR 1A4H. */
uint8_t model_prefetch_off(const struct model *model);
/* True if some counter counts quantities from CORE_FIRST_DETAIL on. */
bool model_counts_details(const struct model *model);
/* Returns the sums of quantities at which counters would overflow that must stop the guest, except
 * instructions, which model_until_overflow() covers. At most CORE_WATCHES; returns their number. */
unsigned model_watches(const struct model *model, struct core_watch *watches);

/* Register access. Reserved bits, registers that the version lacks and values that are too wide
 * yield MODEL_GP (SDM vol. 3 and 4). */
enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value);
enum model_result model_wrmsr(struct model *model, uint32_t msr, uint64_t value);
/* Returns the result of model_wrmsr(), without the write. */
enum model_result model_wrmsr_check(const struct model *model, uint32_t msr, uint64_t value);
/* Visits each MSR for which these functions return anything except MODEL_NOT_PMU, some twice. */
void model_each_msr(void (*visit)(uint32_t msr, void *context), void *context);
/*
 * `index` is ECX of RDPMC: bits 15:0 the counter, bits 31:16 its kind (0 general, 4000H fixed); all
 * other values, including the fast-read bit 31, yield MODEL_GP on an architectural PMU. The caller
 * checks CR4.PCE and CPL.
 */
enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value);
/* Where the counts of that counter come from: VISOR_COUNTS_* (abi/visor_cpuid.h). `stepped`: every
 * instruction runs alone, so that branches are known. */
unsigned model_counter_source(const struct model *model, uint32_t index, bool stepped);
/*
 * Converts the machine's CPUID result for (leaf, subleaf) to the personality's: regs are EAX, EBX,
 * ECX, EDX. Leaves 40000000H to 4FFFFFFFH and leaf 1's ECX[31] (hypervisor) do not change.
 */
void model_cpuid(const struct model *model, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/*
 * Counts the work; counters that overflow set their status bit and, if their interrupt is enabled,
 * make a PMI pending. The result does not depend on how the work is divided into calls.
 */
void model_retire(struct model *model, const struct model_work *work);

/*
 * Returns how many instructions of `ring` (or, with MODEL_USER | MODEL_KERNEL, of any) retire until
 * the first interrupting counter overflows, or the first pending PMI arrives; MODEL_NEVER: none
 * will. The result is exact, except in two cases in which it is a lower bound, at least 1: both
 * rings with a counter that counts in one of them; `exact` with a counter of branches.
 */
uint64_t model_until_overflow(const struct model *model, unsigned rings, bool exact);
/* True if some counter counts in exactly one of the two rings: the caller must separate them. */
bool model_splits_rings(const struct model *model);
/* True if some counter counts, or a PMI is on its way: the caller must report time to
 * model_retire(). */
bool model_counts(const struct model *model);

/*
 * Energy (energy.h). A caller that is about to read `msr` at that TSC gives the dynamic energy of
 * the other processors; true: from now on this one's work must be reported, as if a counter
 * counted: model_count_energy() says so of the others. model_add_energy() adds this processor's, in
 * picojoules by domain. model_halted(): ticks of the TSC in HLT.
 */
#define MODEL_ENERGY_DOMAINS 3
bool model_notice_read(struct model *model, uint32_t msr, uint64_t tsc,
		       const uint64_t others[MODEL_ENERGY_DOMAINS]);
void model_count_energy(struct model *model);
void model_add_energy(const struct model *model, uint64_t sums[MODEL_ENERGY_DOMAINS]);
void model_halted(struct model *model, uint64_t ticks);

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

/* A PEBS counter has overflowed and waits: the next instruction must run alone, so that it is
 * known, unless model_until_overflow() says otherwise: then a watch of model_watches() ends the
 * run. */
bool model_pebs_waits(const struct model *model);
/* True if the next instruction in that ring is the record's, as far as known: a counter that counts
 * there overflowed with the last one. */
bool model_pebs_is_next(const struct model *model, enum model_ring ring);
/* True if the work of the last model_retire() contains the event that a PEBS counter waits for: the
 * caller must call model_pebs_record(). */
bool model_pebs_ready(const struct model *model);
/*
 * Writes the record into the debug store, reloads its counters, and makes a PMI pending if the
 * buffer is filled to its threshold. Writes nothing to memory that is not mapped.
 */
void model_pebs_record(struct model *model, const struct model_pebs_source *source);

/* True if the personality has AMD's instruction-based sampling. */
bool model_has_ibs(const struct model *model);
/* A counter of it has expired: the next instruction must run alone, so that it is known. */
bool model_ibs_waits(const struct model *model);
/* True if the work of the last model_retire() contains the tagged instruction: the caller must call
 * model_ibs_record(). */
bool model_ibs_ready(const struct model *model);
/* The contents of the registers for that instruction. */
struct model_ibs_source {
	uint64_t ip, next; /* its address, and where the guest is past it */
	/* The core's sample of it; NULL: unknown. */
	const struct core_sample *sample;
	const uint64_t (*work)[CORE_NR_QUANTITIES]; /* by ring */
	bool branch, taken, returns;                /* without a core */
};
/* It did not run alone: tags the next one. */
void model_ibs_put_off(struct model *model);
void model_ibs_record(struct model *model, const struct model_ibs_source *source);
/* True once for each sample: it interrupts through entry *lvt of the extended local vector
 * table. */
bool model_take_ibs(struct model *model, unsigned *lvt);

struct pt_state; /* abi/pt_state.h */
/* Moves Processor Trace's state to memory that it shares with the simulated core, and resets it. */
void model_share_pt(struct model *model, struct pt_state *state);
/* Returns Processor Trace's state. The caller encodes packets (emulator/pt/). */
struct pt_state *model_pt(struct model *model);
/* Makes a PMI pending if a region with INT has become full since the last call. */
void model_pt_interrupt(struct model *model);

/*
 * True once for each PMI: takes it, and applies its freezes (DEBUGCTL freeze-on-PMI: up to version
 * 3 GLOBAL_CTRL and DEBUGCTL.LBR are cleared, from version 4 CTR_FRZ and LBR_FRZ are set). The
 * caller delivers it through LVTPC and masks that if the hardware does; if LVTPC is masked already
 * the PMI is lost, as on hardware, but must be taken nevertheless. Counters that overflow together
 * make one PMI.
 */
bool model_take_pmi(struct model *model);
/* True if delivery sets the LVTPC mask bit on this personality (Intel: yes, AMD: no). */
bool model_masks_lvtpc(const struct model *model);

#endif
