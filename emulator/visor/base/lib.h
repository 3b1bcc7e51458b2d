/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and string functions for the C compiler and the visor. */
#ifndef VISOR_LIB_H
#define VISOR_LIB_H

#include <stdbool.h>
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);

/* True if `text` contains `word` between spaces (or the text's ends). */
bool has_word(const char *text, const char *word);

#endif
