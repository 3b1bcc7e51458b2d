/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions whose time no simulated core knows: system instructions, for which no figures are
 * published, all have one guess (emulator/sim/pipeline/timings/, CLASS_SYSTEM). */
#include <string.h>

#include "apps/bench/bench.h"

static const char *const untimed[] = {
    "clts",  "hlt",   "in",   "insb",      "insd",   "insw",    "invd",     "invlpg", "invpcid",
    "lgdt",  "lidt",  "lldt", "lmsw",      "ltr",    "monitor", "mwait",    "out",    "outsb",
    "outsd", "outsw", "stgi", "serialize", "swapgs", "wbinvd",  "wbnoinvd", "xsetbv",
};

/* The mnemonic that begins at `text`, or NULL: its time is known. */
static const char *untimed_at(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < sizeof(untimed) / sizeof(untimed[0]); i++)
		if (strlen(untimed[i]) == length && !strncmp(untimed[i], text, length))
			return untimed[i];
	return NULL;
}

const char *job_untimed(const struct job *job)
{
	const char *found = NULL;

	for (const char *line = job->lines; line && *line && !found;) {
		const char *text = strchr(line, ' ');

		found = text ? untimed_at(text + strspn(text, " ")) : NULL;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return found;
}
