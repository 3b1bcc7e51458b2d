/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs' descriptions in /sys/bus/event_source/devices: type, names of events, and the layout of
 * an event's terms (sysfs-bus-event_source-devices-events and -format of Linux). */
#ifndef APPS_LIB_PMU_FILES_H
#define APPS_LIB_PMU_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/linux/perf_event.h"

#define PMU_DEVICES    "/sys/bus/event_source/devices"
#define PMU_NAME_SIZE  32
#define PMU_TERMS_SIZE 128
#define PMU_UNIT_SIZE  16

/* Reads attr.type of the PMU's events. False: there is no such PMU. */
bool pmu_type(const char *pmu, uint32_t *type);

/* Reads the terms of a named event ("event=0xcd,umask=0x1"). False: no such event. */
bool pmu_event(const char *pmu, const char *name, char terms[PMU_TERMS_SIZE]);

/* Reads the unit and scale of a named event's counts. False: they are plain numbers. */
bool pmu_event_unit(const char *pmu, const char *name, char unit[PMU_UNIT_SIZE], double *scale);

/* Returns the first processor of the PMU's cpumask, where its events must be; -1: it has none. */
int pmu_first_cpu(const char *pmu);

/* Finds the first PMU with an event of this name. False: none. */
bool pmu_of_event(const char *name, char pmu[PMU_NAME_SIZE]);

/* Results of pmu_place(). */
enum pmu_placed { PMU_PLACED, PMU_NO_TERM, PMU_TOO_LARGE };
/* Writes the value of the term into attr's config, config1 or config2. */
enum pmu_placed pmu_place(const char *pmu, const char *term, uint64_t value,
			  struct perf_event_attr *attr);

/* Calls `show` for each event of each PMU. Returns the number of events. */
int pmu_each_event(void (*show)(const char *pmu, const char *name, const char *terms));

#endif
