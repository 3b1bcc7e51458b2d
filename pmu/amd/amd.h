/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of AMD's core performance counters: what its files share. APM volume 2, "Performance
 * Monitoring Counters". */
#ifndef PMU_AMD_H
#define PMU_AMD_H

#include <stdbool.h>
#include <stdint.h>
#include "pmu/hw/hw.h"

/* A family's events. */
struct amd_model {
	struct hw_model events;
	uint64_t generic[PERF_COUNT_HW_MAX]; /* codes of PERF_TYPE_HARDWARE */
	/* Event 003H makes more than 15 increments a cycle and takes a pair of counters */
	bool pairs;
};

/* A row of processors: models of one family up to the next row's. */
struct amd_processor {
	uint16_t family;
	uint8_t first;    /* model */
	const char *name; /* as sold */
	const struct amd_model *model;
};

/* In ascending order of families and models. */
extern const struct amd_processor amd_processors[];
extern const unsigned amd_processors_count;

/* ---- amd_models.c ---- */

/* Returns the model of this processor; NULL: unknown. */
const struct amd_model *amd_find_model(void);

/* ---- amd_events.c ---- */

/* struct hw_vendor's. */
int amd_configure(struct perf_event *event);

/* ---- amd_lbr.c ---- */

extern const struct lbr_format amd_lbr;

/* ---- amd_sysfs.c ---- */

extern const struct pmu_word amd_words[];

/* ---- amd.c ---- */

extern const struct hw_vendor amd_vendor;

#endif
