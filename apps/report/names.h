/* SPDX-License-Identifier: BSD-2-Clause */
/* How the report shows the names of functions. */
#ifndef APPS_REPORT_NAMES_H
#define APPS_REPORT_NAMES_H

#include <stdbool.h>

/* Names stay as the symbol tables have them (--no-demangle). */
void names_keep_mangled(void);
/* Returns the source's name of a symbol, or the symbol; it lives as long as `symbol`, which must
 * stay in memory. */
const char *name_shown(const char *symbol);
/* Writes the name into `text`, of `max` + 1 bytes; a longer name loses its middle, marked by two
 * dots. Returns `text`. */
const char *name_cut(char *text, unsigned max, const char *name);
/* True if `wanted` is the name, or the name without parameters and the scopes before it. */
bool name_matches(const char *name, const char *wanted);

#endif
