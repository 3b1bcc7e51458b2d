/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the measured region of several cores, as JSON. Portable; knows no QEMU. */
#ifndef SIM_EXPERIMENT_STATS_H
#define SIM_EXPERIMENT_STATS_H

#include <stdio.h>

#include "emulator/sim/cpu/observe.h"
#include "emulator/sim/experiment/reuse.h"

struct stats;

/* The cores must live as long; name: the configuration's. Returns NULL if there is no memory. */
struct stats *stats_new(struct core *const *cores, unsigned nr, const char *name);
void stats_free(struct stats *stats);

/* The measurement begins or continues, and pauses. Between two of the guest's blocks. */
void stats_begin(struct stats *stats);
void stats_pause(struct stats *stats);

/* An interval is over. */
void stats_interval(struct stats *stats);

/* Each part of the measurement, from its begin to its pause, is also written alone, for one core.
 */
void stats_keep_parts(struct stats *stats);

/* Writes everything, with the reuse distances if `reuse` is not NULL. The measurement must pause.
 */
void stats_write(struct stats *stats, const struct reuse *reuse, FILE *file);

#endif
