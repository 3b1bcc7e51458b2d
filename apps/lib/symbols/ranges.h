/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of addresses that may overlap, made flat once: a lookup is a binary search. */
#ifndef APPS_LIB_SYMBOLS_RANGES_H
#define APPS_LIB_SYMBOLS_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define RANGES_NONE SIZE_MAX

struct range {
	uint64_t start, end; /* an empty one (end <= start) has no address */
};

struct ranges;

/* Takes `nr` ranges in any order; where some overlap, the last of the array has the address.
 * Returns NULL if there is no memory; ranges_free() gives it back. */
struct ranges *ranges_new(const struct range *range, size_t nr);
void ranges_free(struct ranges *ranges);
/* Returns the index of the range that has the address, or RANGES_NONE, also for NULL. */
size_t ranges_find(const struct ranges *ranges, uint64_t address);

#endif
