/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for words in a text, by the C library's strstr and by hand. */
#include "tests/accuracy/programs/program.h"

static unsigned count(const char *text, const char *word)
{
	unsigned found = 0, length = strlen(word);

	for (; *text; text++) {
		unsigned i = 0;

		while (i < length && text[i] == word[i])
			i++;
		found += i == length;
	}
	return found;
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 200000);
	char *text = malloc(n + 1);
	uint64_t found = 0;

	for (unsigned i = 0; i < n; i++)
		text[i] = "etaoinshr "[program_random() % 10];
	text[n] = 0;
	for (const char *at = text; (at = strstr(at, "nation")); at++)
		found += 1000;
	found += count(text, "tea") + count(text, "hot") + count(text, "no rest");
	return program_end(found);
}
