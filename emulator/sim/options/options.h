/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that change a core. */
#ifndef CORE_WORDS_WORDS_H
#define CORE_WORDS_WORDS_H

#include "emulator/sim/config/config.h"

struct config_word {
	const char *name;
	const char *takes; /* valid values, for users */
	const char *shows; /* one line for users */
	/* Parses value into config. Returns -1, with config undefined, if it is invalid. */
	int (*set)(struct core_config *config, const struct config_word *word, const char *value);
	size_t offset; /* of the field in struct core_config */
	uint32_t bytes, min, max;
};

extern const struct config_word config_words[];
extern const size_t config_word_count;

/* Checks that sizes, ways and sets are consistent. Returns 0, or -1 with error as
 * core_config_parse(). */
int config_check(const struct core_config *config, char *error, size_t size);

#endif
