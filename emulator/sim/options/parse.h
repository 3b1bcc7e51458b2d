/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses users' names of cores, and changes to their configuration. */
#ifndef CORE_WORDS_PARSE_H
#define CORE_WORDS_PARSE_H

#include "emulator/sim/config/config.h"

/* Returns every core, in the order of `--core help`; NULL after the last. */
const struct core_config *core_config_at(size_t index);

/* Returns the core of this name; NULL: unknown. */
const struct core_config *core_config_find(const char *name);

/* Sets the values that do not depend on the core. */
void core_config_defaults(struct core_config *config);

/*
 * Parses "NAME[,WORD=VALUE]..." into out. Returns 0; or -1 with one line in error (without newline)
 * that names the bad option and lists the valid ones, and out undefined.
 */
int core_config_parse(const char *text, struct core_config *out, char *error, size_t size);

/* Returns the options of core_config_parse(), for `--core help`; NULL after the last. */
const char *core_config_word(size_t index, const char **shows);

#endif
