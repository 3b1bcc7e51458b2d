/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command's check of a PMU's own event or term, for apps/lib/event/event_parse.c: it
 * accepts any that some PMU has. Only the running machine knows its own. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "apps/lib/event/pmu_files.h"

static const char *const pmus[] = {
    "cpu",        "cpu_core", "cpu_atom", "cpu_lowpower", "software", "power",     "cstate_core",
    "cstate_pkg", "msr",      "ibs_op",   "ibs_fetch",    "intel_pt", "intel_bts", NULL};
static const char *const terms_of_some[] = {
    "offcore_rsp", "ldlat",      "frontend",   "cnt_ctl",    "rand_en", "l3missonly", "pt",
    "cyc",         "mtc",        "tsc",        "noretcomp",  "ptw",     "fup_on_ptw", "branch",
    "pwr_evt",     "mtc_period", "cyc_thresh", "psb_period", NULL};
/* Prefixes of their names. */
static const char *const events_of_some[] = {
    "slots", "topdown-", "mem-loads", "mem-stores", "energy-", "c1", "c2", "c3", "c6", "c7", "c8",
    "c9", "tsc", "aperf", "mperf", "pperf", "smi", "ptsc", "irperf",
    /* the places of components of a core, before the name of a statistic */
    "predictor.", "indirect.", "l1i-policy.", "l1d-policy.", "l2-policy.", "l3-policy.",
    "l1i-prefetch.", "l1d-prefetch.", "l2-prefetch.", "l3-prefetch.", "tlb-prefetch.", NULL};

static bool is_one_of(const char *word, const char *const words[])
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

static bool begins_like(const char *word, const char *const words[])
{
	while (*words && strncmp(*words, word, strlen(*words)))
		words++;
	return *words;
}

bool pmu_type(const char *pmu, uint32_t *type)
{
	*type = PERF_TYPE_RAW;
	return is_one_of(pmu, pmus);
}

bool pmu_event(const char *pmu, const char *name, char terms[PMU_TERMS_SIZE])
{
	*terms = '\0';
	return is_one_of(pmu, pmus) && begins_like(name, events_of_some);
}

bool pmu_of_event(const char *name, char pmu[PMU_NAME_SIZE])
{
	strcpy(pmu, pmus[0]);
	return begins_like(name, events_of_some);
}

enum pmu_placed pmu_place(const char *pmu, const char *term, uint64_t value,
			  struct perf_event_attr *attr)
{
	(void)pmu;
	(void)value;
	(void)attr;
	return is_one_of(term, terms_of_some) ? PMU_PLACED : PMU_NO_TERM;
}

bool pmu_event_unit(const char *pmu, const char *name, char unit[PMU_UNIT_SIZE], double *scale)
{
	(void)pmu, (void)name, (void)unit, (void)scale;
	return false;
}

int pmu_first_cpu(const char *pmu)
{
	(void)pmu;
	return -1;
}
