/* SPDX-License-Identifier: BSD-2-Clause */
/* How PMUs present themselves in /sys/devices and /sys/bus/event_source. */
#ifndef PMU_SYSFS_H
#define PMU_SYSFS_H

#include <stdbool.h>
#include <stdint.h>

struct text;

/* One file of a PMU's folder. */
struct pmu_word {
	const char *name;               /* "type", "format/event", ...; NULL ends a table */
	const char *text;               /* what it holds, without the newline */
	void (*make)(struct text *out); /* or this adds it */
	bool (*present)(void);          /* NULL: always */
};

/* Adds the folder of a PMU of this type; `words` (may be NULL) stay. Context: start. */
void sysfs_add_pmu(const char *name, uint32_t type, const struct pmu_word *words);
/* The software PMU, and the processor's. Context: start, after hardware_init(). */
void sysfs_init(void);

#endif
