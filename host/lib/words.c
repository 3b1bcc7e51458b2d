/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of arguments. */
#include "host/lib/words.h"

#include "host/lib/report.h"
#include "host/lib/words.h"

void add_word(struct words *words, const char *word)
{
	if (words->nr == MAX_WORDS)
		die(STATUS_OURS, "too many options");
	words->word[words->nr++] = word;
}
