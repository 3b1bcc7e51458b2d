/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts 300,000 integers with the C library's qsort: malloc of a large block, demand paging,
 * plain computing. */
#include <stdlib.h>
#include "tests/guest/tap.h"

#define COUNT 300000u

static int compare(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

int main(void)
{
	unsigned *numbers = malloc(COUNT * sizeof(*numbers)), state = 1, sum = 0, sum_after = 0,
		 descents = 0;

	ok(numbers != NULL, "malloc of %u integers", COUNT);
	if (!numbers)
		return tap_end();
	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 1664525u + 1013904223u;
		numbers[i] = state;
		sum += state;
	}
	qsort(numbers, COUNT, sizeof(*numbers), compare);
	for (unsigned i = 0; i < COUNT; i++) {
		sum_after += numbers[i];
		descents += i && numbers[i - 1] > numbers[i];
	}
	is(descents, 0, "the integers are in order");
	is(sum_after, sum, "no integer was lost: equal sums");
	free(numbers);
	return tap_end();
}
