/* SPDX-License-Identifier: BSD-2-Clause */
/* Reuse distances: how many other lines a program accesses between two accesses of a line. */
#ifndef SIM_EXPERIMENT_REUSE_H
#define SIM_EXPERIMENT_REUSE_H

#include <stdint.h>

/* Bin 0 has distance 0, bin i distances from 2 to the (i - 1) to less than 2 to the i. */
enum { REUSE_BINS = 40 };

struct reuse;

/* Returns NULL if there is no memory. */
struct reuse *reuse_new(void);
/* Frees it. NULL: does nothing. */
void reuse_free(struct reuse *reuse);
/* An access to the line (address / 64). */
void reuse_access(struct reuse *reuse, uint64_t line);
/* Returns how many accesses each bin has. */
const uint64_t *reuse_bins(const struct reuse *reuse);
/* Returns the accesses that were their lines' first ones. */
uint64_t reuse_first(const struct reuse *reuse);

#endif
