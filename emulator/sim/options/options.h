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

/* fields.c: what files may change besides. */
extern const struct config_word config_fields[];
extern const size_t config_field_count;

/* Returns each option in turn, the ones of files after the others; NULL after the last. */
const struct config_word *config_word_at(size_t index);
/* Returns the option of this name; NULL: unknown. */
const struct config_word *config_word_find(const char *name);

/* Writes the option's value in config, as set() takes it. Returns false if it has none of its own:
 * it stands for several. */
bool config_word_show(const struct core_config *config, const struct config_word *word, char *out,
		      size_t size);

/* Parsers that fields.c shares. */
int config_set_number(struct core_config *config, const struct config_word *word,
		      const char *value);
int config_set_tlb(struct core_config *config, const struct config_word *word, const char *value);
/* A latency of a class: 0 is none, which the table has no word for. */
int config_set_latency(struct core_config *config, const struct config_word *word,
		       const char *value);
/* Ports joined by +. */
int config_set_ports(struct core_config *config, const struct config_word *word, const char *value);

/* Checks that sizes, ways and sets are consistent. Returns 0, or -1 with error as
 * core_config_parse(). */
int config_check(const struct core_config *config, char *error, size_t size);

#endif
