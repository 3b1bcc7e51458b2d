/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean ...?": the known word nearest to a mistyped one. */
#ifndef APPS_LIB_CLOSEST_H
#define APPS_LIB_CLOSEST_H

/* The best candidate so far. Start with { .word = what was typed }. */
struct closest {
	const char *word;
	const char *best; /* NULL: nothing near enough yet */
	unsigned distance;
};

/* Takes `candidate` (which must outlive `search`) if it is nearer than all earlier candidates. */
void closest_offer(struct closest *search, const char *candidate);

#endif
