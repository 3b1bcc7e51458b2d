/* SPDX-License-Identifier: BSD-2-Clause */
/* Last branch records: those that the filter lets through, the newest CORE_RECORDS. */
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

/* A branch was taken, or an interrupt, when the core had done so many cycles: branch->cycles is
 * filled in. */
void records_add(struct records *records, const struct core_filter *filter,
		 struct core_branch branch, uint64_t cycles);
/* They are these from now on, the oldest first; of more than CORE_RECORDS none. */
void records_load(struct records *records, const struct core_branch *branches, unsigned nr,
		  uint32_t position);
/* Copies them, the oldest first; gives their number. */
unsigned records_copy(const struct records *records, struct core_branch out[CORE_RECORDS]);

#endif
