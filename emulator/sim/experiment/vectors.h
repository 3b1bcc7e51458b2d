/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Basic-block vectors for SimPoint: of each interval how often each block ran, times its
 * instructions. Source: SimPoint 3.2, "frequency vector file". Portable; knows no QEMU.
 */
#ifndef SIM_EXPERIMENT_VECTORS_H
#define SIM_EXPERIMENT_VECTORS_H

#include <stdint.h>
#include <stdio.h>

struct vectors;

/* Writes to `file`, which the caller keeps, a line each `interval` instructions. Returns NULL if
 * there is no memory. */
struct vectors *vectors_new(FILE *file, uint64_t interval);

/* Writes the last interval, however short. */
void vectors_free(struct vectors *vectors);

/* A block of `nr` instructions at `start` has run. */
void vectors_block(struct vectors *vectors, uint64_t start, unsigned nr);

#endif
