/* SPDX-License-Identifier: BSD-2-Clause */
/* The model as a whole: its reset, its clock, its counts and its interrupts. */
#ifndef VISOR_MODEL_CORE_MODEL_H
#define VISOR_MODEL_CORE_MODEL_H

#include "emulator/visor/model/base/types.h"

/* Sets the power-on state. An INIT does not reset the PMU: do not call it then. */
void model_reset(struct model *model, const struct personality *personality);

/*
 * Sets the TSC's frequency in kHz (0: unknown) and, if that is exact and CPUID may report it, the
 * frequency of the clock of the APIC's timer; else 0.
 */
void model_set_clock(struct model *model, uint32_t tsc_khz, uint32_t crystal_khz);
/* True if the processor supports non-executable pages, unless IA32_MISC_ENABLE disables them. */
bool model_offers_nx(const struct model *model);

/* From now on events come from a simulated core (work.quantities), not from rates; model_reset()
 * undoes this. The caller keeps `geometry`, of the caches and TLBs, which CPUID reports.
 * components: how many events of VISOR_EVENT_SELECT it has. */
void model_use_core(struct model *model, const struct core_geometry *geometry, unsigned components,
		    enum model_stops stops);
/* True if single memory accesses are needed; slow_cycles: the minimum latency of a load-latency
 * event. */
bool model_samples_accesses(const struct model *model, uint32_t *slow_cycles);
/* Returns the core's prefetchers that software has
 * disabled: bits of MSR 1A4H. */
uint8_t model_prefetch_off(const struct model *model);
/* True if some counter counts quantities from CORE_FIRST_DETAIL on. */
bool model_counts_details(const struct model *model);
/* Returns enum core_needs of the counters that count. */
unsigned model_needs(const struct model *model);
/* Returns the sums of quantities at which counters would overflow that must stop the guest, except
 * instructions, which model_until_overflow() covers. At most CORE_WATCHES; returns their number. */
unsigned model_watches(const struct model *model, struct core_watch *watches);

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
 * True once for each PMI: takes it, and applies its freezes (DEBUGCTL freeze-on-PMI: up to version
 * 3 GLOBAL_CTRL and DEBUGCTL.LBR are cleared, from version 4 CTR_FRZ and LBR_FRZ are set). The
 * caller delivers it through LVTPC and masks that if the hardware does; if LVTPC is masked already
 * the PMI is lost, as on hardware, but must be taken nevertheless. Counters that overflow together
 * make one PMI.
 */
bool model_take_pmi(struct model *model);
/* True if delivery sets the LVTPC mask bit on this personality (Intel: yes, AMD: no). */
bool model_masks_lvtpc(const struct model *model);

/* True if the next instruction in that ring is the record's, as far as known: a counter that counts
 * there overflowed with the last one. */
bool model_pebs_is_next(const struct model *model, enum model_ring ring);

#endif
