/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as a call tree: each node is a function in its caller. */
#ifndef APPS_REPORT_TREE_H
#define APPS_REPORT_TREE_H

#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"

struct places;

#define MOST_FRAMES 256

struct frame {
	uint64_t ip; /* of a caller: where it returns to */
	bool kernel;
};

/* Writes the call stack, innermost first; at least the sample's own address. It is the call chain
 * without its markers; the user's part comes from the copy of the stack or from the branch records
 * instead, where the sample has one. `kernel`: the sample's address is the kernel's. Returns the
 * number of frames. */
unsigned frames_of(struct places *places, const struct perfdata_sample *sample, bool kernel,
		   struct frame frames[MOST_FRAMES]);

struct node {
	const char *name;
	char ring;             /* 'k' or '.' as perf has it */
	uint64_t total;        /* events in it and in what it called */
	uint64_t before;       /* as `total`, in the profile to compare with */
	struct node *children; /* by name */
	struct node *next;
	void *index; /* the children, of tsearch(3) */
	size_t nr;   /* of children */
	unsigned depth;
};

/* Adds the period of each sample of event `event` (an index of attrs) to its node; with `before` to
 * the other count. */
void tree_add(struct node *root, const struct perfdata_reader *reader, int event, bool before);
/* Returns the greatest depth below the node. */
unsigned tree_depth(const struct node *node);

#endif
