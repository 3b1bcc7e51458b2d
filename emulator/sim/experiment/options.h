/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's options for experiments: which region is measured, and where results go. */
#ifndef SIM_EXPERIMENT_OPTIONS_H
#define SIM_EXPERIMENT_OPTIONS_H

#include "emulator/sim/experiment/region.h"

enum trace_format { TRACE_CHAMPSIM, TRACE_BRANCHES, TRACE_BT9, TRACE_TEXT };

struct experiment_options {
	struct region_config region;
	/* Files that the host command has opened; NULL: not wanted. */
	const char *stats, *trace, *vectors;
	enum trace_format format;
	bool reuse;      /* the statistics have reuse distances */
	uint64_t vector; /* instructions of each basic-block vector */
};

extern struct experiment_options experiment_options;

/* Takes NAME=VALUE if it is an experiment's. Returns false if it is none. At load. */
bool experiment_option(const char *word);

/* True if there is anything to do. */
bool experiment_on(void);

#endif
