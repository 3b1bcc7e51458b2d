/* SPDX-License-Identifier: BSD-2-Clause */
/* Amounts of a profile by phase and unit, and by function: exact ones, not samples. */
#ifndef HOST_PROFILE_SUMMARY_H
#define HOST_PROFILE_SUMMARY_H

#include "host/profile/profile.h"

/* An amount; units of one name (copies of a driver) are one row. */
struct summary_row {
	size_t phase;         /* SIZE_MAX: all of them */
	const char *name;     /* of the unit */
	const char *function; /* NULL: all of it */
	struct amount amount;
};

struct summary {
	struct summary_row *rows; /* the largest first */
	size_t nr;
	bool timed; /* by cycles, else by instructions */
	bool waits; /* loops that wait count */
};

/* A row for each phase and unit, for each unit, for each function. */
enum summary_kind { SUMMARY_PHASES, SUMMARY_UNITS, SUMMARY_FUNCTIONS };

/* Adds up the rows; the caller frees summary->rows. */
void summary_make(struct summary *summary, const struct profile *profile, enum summary_kind kind,
		  bool waits);
/* Returns the amount in cycles or instructions, as the summary compares it. */
uint64_t summary_value(const struct summary *summary, const struct amount *amount);
/* As summary_value(), of loops that wait alone. */
uint64_t summary_waits(const struct summary *summary, const struct amount *amount);

#endif
