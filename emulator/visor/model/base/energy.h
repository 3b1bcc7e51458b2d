/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Energy counters (RAPL), and time in idle states: free-running registers, which follow the
 * simulated core by a model of energy per event. SDM volume 3, "Running Average Power Limit"; PPRs
 * of families 17h and 19h, "RAPL".
 *
 * The model is for comparing programs, not for watts of some product. Dynamic energy is a sum of
 * counts times a constant each; docs/emulated-pmu.md has the constants and their sources. It
 * accrues from the second read of an energy register on: until then no one measures (Linux reads
 * each register once at its start), and simulating what nothing counts would cost host time.
 */
#ifndef VISOR_MODEL_ENERGY_H
#define VISOR_MODEL_ENERGY_H

#include <stdbool.h>
#include <stdint.h>
#include "emulator/visor/model/base/types.h"

struct model;
struct model_work;

enum energy_domain { ENERGY_CORES, ENERGY_PACKAGE, ENERGY_MEMORY, ENERGY_DOMAINS };

/* State of each processor. */
struct energy {
	bool live;                           /* work is added */
	unsigned reads;                      /* of energy registers, as far as they matter */
	uint64_t picojoules[ENERGY_DOMAINS]; /* dynamic energy */
	uint64_t others[ENERGY_DOMAINS];     /* that of the other processors, at the last read */
	uint64_t now;                        /* TSC at the last read */
	uint64_t halted;                     /* TSC ticks in HLT */
};

/* Adds the work to the processor's dynamic energy, if it is live. */
void energy_retire(struct model *model, const struct model_work *work);

/* Returns the contents of an energy register, of a domain; of the unit register; of the time in
 * C1. */
uint64_t energy_read(const struct model *model, enum energy_domain domain);
uint64_t energy_unit(const struct model *model);
uint64_t energy_c1(const struct model *model);

/*
 * A caller that is about to read `msr` at that TSC gives the dynamic energy of
 * the other processors; true: from now on this one's work must be reported, as if a counter
 * counted: model_count_energy() says so of the others. model_add_energy() adds this processor's, in
 * picojoules by domain. model_halted(): ticks of the TSC in HLT.
 */
bool model_notice_read(struct model *model, uint32_t msr, uint64_t tsc,
		       const uint64_t others[MODEL_ENERGY_DOMAINS]);
void model_count_energy(struct model *model);
void model_add_energy(const struct model *model, uint64_t sums[MODEL_ENERGY_DOMAINS]);
void model_halted(struct model *model, uint64_t ticks);

#endif
