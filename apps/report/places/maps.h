/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of a process, each of which hides what it covers of older ones. */
#ifndef APPS_REPORT_PLACES_MAPS_H
#define APPS_REPORT_PLACES_MAPS_H

#include <stdint.h>

struct file;

/* Addresses [start, end) show `file` from `offset` on. */
struct map {
	uint64_t start, end, offset;
	struct file *file;
	/* The nodes of a tree by start, in which no child has a higher priority. */
	struct map *below, *above;
	uint64_t priority, owner;
};

/* All of zeros: none. The nodes are never freed. */
struct maps {
	struct map *root;
	uint64_t owner; /* nodes of other owners are shared: they never change */
};

/* Adds a mapping; an empty one, or one that wraps, is none. */
void maps_add(struct maps *maps, uint64_t start, uint64_t end, uint64_t offset, struct file *file);
/* The child begins with the parent's mappings, whatever it had. Takes a constant time. */
void maps_fork(struct maps *parent, struct maps *child);
/* Returns the mapping of the address, or NULL. */
const struct map *maps_find(const struct maps *maps, uint64_t address);

#endif
