/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of commands. Context of all: any. */
#ifndef TRACE_PROBE_WORDS_H
#define TRACE_PROBE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

bool word_begins(const char *word, const char *with);
/* A number in C's way, and nothing after it. */
bool word_number(const char *word, uint64_t *number);
/* A function of the kernel's, +OFFSET or -OFFSET: its address. */
bool word_symbol(const char *word, uint64_t *address);
/* A name of C, in which there may be dashes (`dashes`). */
bool word_is_name(const char *word, bool dashes);
/* Cuts the next word off; NULL: there is none. */
char *word_next(char **rest);

#endif
