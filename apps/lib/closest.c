/* SPDX-License-Identifier: BSD-2-Clause */
/* Edit distance (Levenshtein, with swaps of neighbours) and the choice of the nearest word. */
#include "apps/lib/closest.h"

#include <ctype.h>
#include <string.h>

#define LONGEST 64

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Returns the number of insertions, deletions, replacements and swaps that turn `a` into `b`;
 * LONGEST when one of them is too long. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= m; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned same = tolower(a[i - 1]) == tolower(b[j - 1]);

			row[j] = min(min(above[j], row[j - 1]) + 1, above[j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[m];
}

void closest_offer(struct closest *search, const char *candidate)
{
	unsigned found = distance(search->word, candidate);
	unsigned limit = 1 + (unsigned)strlen(search->word) / 3;

	if (found <= limit && (!search->best || found < search->distance)) {
		search->best = candidate;
		search->distance = found;
	}
}
