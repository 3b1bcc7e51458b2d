/* SPDX-License-Identifier: BSD-2-Clause */
/* The words by which a core is changed. */
#ifndef CORE_WORDS_WORDS_H
#define CORE_WORDS_WORDS_H

#include "emulator/sim/config/config.h"

struct config_word {
	const char *name;
	const char *takes; /* what its value must be, for users */
	const char *shows; /* one line for users */
	/* Reads value into config. Returns -1, with config undefined, when it is not what it
	 * takes. */
	int (*set)(struct core_config *config, const struct config_word *word, const char *value);
	size_t offset; /* of the field in struct core_config */
	uint32_t bytes, min, max;
};

extern const struct config_word config_words[];
extern const size_t config_word_count;

/* Whether sizes, ways and sets fit together. Returns 0, or -1 with error as core_config_parse(). */
int config_check(const struct core_config *config, char *error, size_t size);

#endif
