/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of commands. Context of all: any. */
#ifndef TRACE_PROBE_WORDS_H
#define TRACE_PROBE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

bool word_begins(const char *word, const char *with);
/* Parses a C number with nothing after it. */
bool word_number(const char *word, uint64_t *number);
/* Parses a kernel function, with +OFFSET or -OFFSET: its address. */
bool word_symbol(const char *word, uint64_t *address);
/* True for a C identifier, possibly with dashes (`dashes`). */
bool word_is_name(const char *word, bool dashes);
/* Cuts off the next word; NULL: there is none. */
char *word_next(char **rest);

#endif
