/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores by name, and what changes them, as users write it. */
#ifndef CORE_WORDS_PARSE_H
#define CORE_WORDS_PARSE_H

#include "emulator/sim/config/config.h"

/* Every core, in the order of `--core help`. Returns NULL after the last. */
const struct core_config *core_config_at(size_t index);

/* The core of this name. Returns NULL when there is none. */
const struct core_config *core_config_find(const char *name);

/*
 * Reads "NAME[,WORD=VALUE]..." into out.
 * Returns 0; or -1, and then error has one line (without its end) that names the bad word and says
 * what is possible, and out is undefined.
 */
int core_config_parse(const char *text, struct core_config *out, char *error, size_t size);

/* The words that core_config_parse() takes, for `--core help`. Returns NULL after the last. */
const char *core_config_word(size_t index, const char **shows);

#endif
