/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Components in use: the choice of one with its parameters, and its instances. Built-in components
 * and components of shared objects (abi/sim.h) take one way.
 */
#ifndef SIM_COMPONENT_COMPONENT_H
#define SIM_COMPONENT_COMPONENT_H

#include <stddef.h>

#include "abi/sim.h"

#define COMPONENT_NAME_SIZE 192

/* A component that a user has chosen. component NULL: none. */
struct component_use {
	const struct sim_component *component;
	uint64_t parameters[SIM_PARAMETERS_MAX];
	char name[COMPONENT_NAME_SIZE]; /* as typed, without parameters */
};

/* One instance. Its address must not change: the component keeps that of `host`. */
struct component_instance {
	const struct component_use *use;
	const struct sim_component *component;
	struct sim_host host;
	void *self;
	uint64_t statistics[SIM_STATISTICS_MAX];
	uint64_t settled[SIM_STATISTICS_MAX]; /* of them, in the totals of a core */
};

/*
 * Makes an instance of the component with these parameters; the caller has set instance->host, and
 * keeps both. use: for messages; NULL: a built-in one. Returns false if there is no memory.
 */
bool component_make(struct component_instance *instance, const struct sim_component *component,
		    const uint64_t *parameters, const struct component_use *use);
/* Nothing happens to an instance that was not made. */
void component_end(struct component_instance *instance);

/* Ends the simulator, with one line that names the component and says what it did. */
_Noreturn __attribute__((format(printf, 2, 3))) void
component_fail(const struct component_instance *instance, const char *format, ...);

/* Catches crashes: one that happens in a component ends the simulator with a line that names the
 * component and the signal. Does nothing if no shared object is loaded. */
void component_catch_crashes(void);

/* Tests: what component_fail() calls with its line, and must not return; NULL: the default. */
extern void (*component_on_failure)(const char *line);

#endif
