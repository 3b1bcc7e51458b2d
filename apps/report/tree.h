/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as a tree of calls: each node a function in its caller. */
#ifndef APPS_REPORT_TREE_H
#define APPS_REPORT_TREE_H

#include <stdint.h>

#include "apps/lib/perfdata.h"

struct places;

struct node {
	const char *name;
	char ring;             /* 'k' or '.' as perf has it */
	uint64_t total;        /* events in it and in what it called */
	uint64_t before;       /* the same of the profile to compare with */
	struct node *children; /* by name */
	struct node *next;
	unsigned depth;
};

/* Adds the samples of event `event` (an index of attrs), each with its period; with `before` to
 * that of its nodes. */
void tree_add(struct node *root, const struct perfdata_reader *reader, int event, bool before);
/* The greatest depth below it. */
unsigned tree_depth(const struct node *node);

#endif
