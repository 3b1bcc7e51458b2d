/* SPDX-License-Identifier: BSD-2-Clause */
/* Last branch records: the newest CORE_RECORDS branches that pass the filter. */
#ifndef CORE_RECORDS_H
#define CORE_RECORDS_H

#include <stdbool.h>

#include "abi/core_page.h"

struct records {
	struct core_branch entries[CORE_RECORDS]; /* a ring */
	unsigned nr, next;
	uint32_t position; /* see struct core_processor */
	uint64_t cycles;   /* of the core, at the last record */
};

/* Adds a taken branch, or an interrupt, at the core's cycle `cycles`: fills in branch->cycles. */
void records_add(struct records *records, const struct core_filter *filter,
		 struct core_branch branch, uint64_t cycles);
/* Replaces the records, oldest first; ignores more than CORE_RECORDS. */
void records_load(struct records *records, const struct core_branch *branches, unsigned nr,
		  uint32_t position);
/* Copies the records, oldest first; returns their number. */
unsigned records_copy(const struct records *records, struct core_branch out[CORE_RECORDS]);

#endif
