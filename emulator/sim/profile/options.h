/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command's options for the profile. */
#ifndef SIM_PROFILE_OPTIONS_H
#define SIM_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/boot_profile.h"

#define PROFILE_TERMS 4
#define PROFILE_STOPS 32 /* marks */

/* A --mark: an address, a text of the guest's serial line or debug port, a value of port 80H. */
struct profile_stop {
	enum { STOP_ADDRESS, STOP_UPPER, STOP_TEXT, STOP_POST, STOP_RING3 } kind;
	uint64_t address; /* STOP_UPPER: as linked, to which the kernel's slide is added */
	const char *text;
	bool last; /* the machine ends there */
};

struct profile_options {
	const char *path; /* NULL: no profile */
	bool own;         /* the core is the profile's: no visor uses it */
	enum { CHAINS_NONE, CHAINS_CALLS, CHAINS_FRAMES } chains;
	uint64_t kernel;  /* the address at which a kernel is linked; 0: unknown */
	uint64_t modules; /* as linked, the list of its modules; 0: unknown */
	unsigned nr_events, nr_stops;
	struct {
		uint64_t period;
		uint8_t terms[PROFILE_TERMS + 1];
	} events[PROFILE_EVENTS];
	struct profile_stop stops[PROFILE_STOPS];
};

extern struct profile_options profile_options;

#endif
