/* SPDX-License-Identifier: BSD-2-Clause */
/* The subset of TOML 1.0 for job files: strings, decimal numbers, arrays of strings, arrays of
 * tables. */
#ifndef BOOT_UEFI_TOML_H
#define BOOT_UEFI_TOML_H

#include <stddef.h>

#define TOML_KEY_BYTES   32
#define TOML_VALUE_BYTES 2048

enum toml_kind { TOML_STRING, TOML_NUMBER, TOML_LIST, TOML_TABLE, TOML_WRONG };

struct toml {
	/* The item that toml_next() found. */
	enum toml_kind kind;
	unsigned line;                /* from 1 on */
	char key[TOML_KEY_BYTES];     /* or the table's name */
	char value[TOML_VALUE_BYTES]; /* strings of a list are consecutive */
	size_t bytes;                 /* of the value, each string's NUL counted */
	const char *wrong;            /* TOML_WRONG: what */
	int table;                    /* it begins with a bracket */

	const char *at, *end;
	unsigned at_line;
};

void toml_open(struct toml *toml, const char *text, size_t bytes);
/* Returns the next key with its value, or table. 0: the end. After TOML_WRONG toml_skip() must come
 * first. */
int toml_next(struct toml *toml);
/* Skips the rest of the line and the lines until one that begins with a bracket. */
void toml_skip(struct toml *toml);

#endif
