/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in JSON documents (RFC 8259). */
#ifndef APPS_LIB_JSON_H
#define APPS_LIB_JSON_H

#include <stdio.h>

/* Writes a string with its quotes: `"` and `\` are escaped, control characters become blanks, bytes
 * that are no UTF-8 question marks. */
void json_quoted(FILE *out, const char *text);

/* Writes `"name" : "text"`, after a comma unless it is an object's first member. */
void json_first(FILE *out, const char *name, const char *text);
void json_text(FILE *out, const char *name, const char *text);

/* Writes a further member whose value is a number. */
void json_number(FILE *out, const char *name, long long number);

#endif
