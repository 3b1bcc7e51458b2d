/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite `bench instructions`. */
#ifndef HOST_INSTRUCTIONS_H
#define HOST_INSTRUCTIONS_H

#include "host/options.h"

/* Adds the jobs of `bench instructions`. */
void bench_add_instructions(struct options *options, struct buffer *jobs);

#endif
