/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that `boot --record` samples: sums of the simulated core's quantities. */
#ifndef HOST_PROFILE_EVENTS_H
#define HOST_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/boot_profile.h"

#define BOOT_TERMS 3

struct boot_event {
	const char *name;
	uint32_t type; /* of struct perf_event_attr */
	uint64_t config;
	uint64_t period;           /* the default */
	uint8_t terms[BOOT_TERMS]; /* enum core_quantity, 0 at the end */
};

/* Returns the row of a name, or NULL. */
const struct boot_event *boot_event_find(const char *name);
/* Returns the nth row, or NULL. */
const struct boot_event *boot_event_at(unsigned n);
/* True if the event needs no simulated core. */
bool boot_event_is_light(const struct boot_event *event);

#endif
