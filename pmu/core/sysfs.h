/* SPDX-License-Identifier: BSD-2-Clause */
/* How PMUs present themselves in /sys/devices and /sys/bus/event_source. */
#ifndef PMU_SYSFS_H
#define PMU_SYSFS_H

#include <stdbool.h>
#include <stdint.h>

struct hw_kind;
struct text;

/* One file of a PMU's folder. */
struct pmu_word {
	const char *name; /* "type", "format/event", ...; NULL ends a table */
	const char *text; /* its contents, without the newline */
	/* Or this adds it. */
	void (*make)(const struct hw_kind *kind, const struct pmu_word *word, struct text *out);
	bool (*present)(const struct hw_kind *kind); /* NULL: always */
	uint8_t generic; /* 1 + PERF_COUNT_HW_...: with this event only; 0: of none */
};

/* The software PMU, and the processors'. Context: start, after hardware_init(). */
void sysfs_init(void);

/* The folder of a PMU of this type, and its place on the bus. Context: start. */
void sysfs_add_pmu(const char *name, uint32_t type);
/* A file of its folder that holds a constant text. Context: start. */
void sysfs_add_word(const char *pmu, const char *name, const char *text);

#endif
