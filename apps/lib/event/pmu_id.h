/* SPDX-License-Identifier: BSD-2-Clause */
/* The identity of the PMU, and whether it is emulated, by CPUID. */
#ifndef APPS_LIB_PMU_ID_H
#define APPS_LIB_PMU_ID_H

#include <stdbool.h>
#include <stddef.h>

#define PMU_DESCRIPTION_SIZE 320
#define PMU_CORE_SIZE        192

struct pmu_id {
	char name[96];  /* the personality when emulated, else the processor's brand and its PerfMon
			   version */
	char brand[49]; /* the processor */
	char cpuid[64]; /* vendor,family,model,stepping: as perf writes it */
	char core[129]; /* the simulated core that is counted; empty: none, counts are shares */
	bool present;   /* there is a hardware PMU at all, real or emulated */
	bool emulated;  /* by the barepmu visor */
	bool exact;     /* emulated: instruction counts are exact */
	const char *time; /* the clock where a core is simulated: "cycles" */
	bool repeats;     /* emulated: neither clocks nor the order of processors are the host's */
	bool stand_in;    /* emulated: the core is another processor's */
	bool stepping;    /* emulated: single-stepped, so branches are exact as well */
	double cycle_error; /* two standard errors of the core's cycles so far, percent; 0: none
			       were estimated */
};

/* Identifies the PMU of the current processor. */
void pmu_identify(struct pmu_id *id);

/* Writes "core: NAME (simulated; time: cycles)" in PMU_CORE_SIZE bytes, of an `id` that has a core.
 */
void pmu_describe_core(const struct pmu_id *id, char *text);

/* Writes one line (PMU_DESCRIPTION_SIZE bytes): name, emulated or not, properties of a model. */
void pmu_describe(const struct pmu_id *id, char *line);

/* Returns two standard errors of the simulated core's cycles so far, in percent of them; 0: none
 * were estimated. */
double pmu_cycle_error(void);

/* Reports to an emulated PMU that the measured program begins, or that all counts were read: code
 * that runs before and afterwards need not be simulated. */
void pmu_measures(bool begins);

/* Returns the line that describes the current processor's PMU, valid until the next call. */
const char *pmu_line(void);

#endif
