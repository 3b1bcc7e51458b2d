/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs' files in /sys/devices and /sys/bus/event_source. */
#ifndef PMU_SYSFS_H
#define PMU_SYSFS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"

struct hw_kind;
struct synthetic;
struct text;

/* One file of a PMU's directory. */
struct pmu_word {
	const char *name; /* "type", "format/event", ...; NULL ends a table */
	const char *text; /* its contents, without the newline */
	/* Writes the contents, where `text` is NULL. */
	void (*make)(const struct hw_kind *kind, const struct pmu_word *word, struct text *out);
	bool (*present)(const struct hw_kind *kind); /* NULL: always */
	uint8_t generic; /* 1 + PERF_COUNT_HW_...: with this event only; 0: of none */
};

/* Creates the directory of a PMU of this type, and its link on the bus. Context: start. */
void sysfs_add_pmu(const char *name, uint32_t type);
/* Contents of a file: its id as a number. */
extern const struct synthetic sysfs_number_file;
/* Adds a file to the PMU's directory. Context: start. */
void sysfs_add_file(const char *pmu, const char *name, const struct synthetic *file, uint64_t id);
/* Adds a file with a constant text to the PMU's directory. Context: start. */
void sysfs_add_word(const char *pmu, const char *name, const char *text);
/* Adds a file with a list of processors to the PMU's directory, which keeps the mask. Context:
 * start. */
void sysfs_add_cpus(const char *pmu, const char *name, const struct cpu_mask *mask);

#endif
