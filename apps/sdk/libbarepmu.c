/* SPDX-License-Identifier: BSD-2-Clause */
/* The SDK as a shared library, for barepmu.py and other languages. */
#define _GNU_SOURCE
#define BAREPMU_REGIONS_HERE
#include "barepmu_regions.h"

/* Opens counters for the calling thread. Returns them; barepmu_lib_error() says whether they work.
 */
struct barepmu *barepmu_lib_open(const char *events);
/* Returns why the counters could not be opened, or "". */
const char *barepmu_lib_error(const struct barepmu *pmu);
void barepmu_lib_close(struct barepmu *pmu);
void barepmu_lib_begin(struct barepmu *pmu);
void barepmu_lib_end(struct barepmu *pmu);
void barepmu_lib_reset(struct barepmu *pmu);
/* Returns the number of events, the name of one, and its count in all regions (NAN: not counted).
 */
int barepmu_lib_number(const struct barepmu *pmu);
const char *barepmu_lib_name(const struct barepmu *pmu, int event);
double barepmu_lib_count(const struct barepmu *pmu, int event);

struct barepmu *barepmu_lib_open(const char *events)
{
	struct barepmu *pmu = (struct barepmu *)calloc(1, sizeof(*pmu));

	if (pmu && !barepmu_open(pmu, events))
		pmu->error[0] = '\0';
	return pmu;
}

const char *barepmu_lib_error(const struct barepmu *pmu)
{
	return pmu ? pmu->error : "out of memory";
}

void barepmu_lib_close(struct barepmu *pmu)
{
	barepmu_close(pmu);
	free(pmu);
}

void barepmu_lib_begin(struct barepmu *pmu)
{
	barepmu_begin(pmu);
}

void barepmu_lib_end(struct barepmu *pmu)
{
	barepmu_end(pmu);
}

void barepmu_lib_reset(struct barepmu *pmu)
{
	barepmu_reset(pmu);
}

int barepmu_lib_number(const struct barepmu *pmu)
{
	return pmu->nr;
}

const char *barepmu_lib_name(const struct barepmu *pmu, int event)
{
	return pmu->name[event];
}

double barepmu_lib_count(const struct barepmu *pmu, int event)
{
	return barepmu_value(pmu, event, 1) * (double)pmu->regions;
}
