/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the subset of TOML 1.0 that job files use: https://toml.io/en/v1.0.0 */
#include "boot/uefi/toml.h"

static const char too_long[] = "a longer value than there may be";

static int peek(const struct toml *toml)
{
	return toml->at < toml->end ? (unsigned char)*toml->at : -1;
}

static int next(struct toml *toml)
{
	int c = peek(toml);

	if (c == '\n')
		toml->at_line++;
	if (c >= 0)
		toml->at++;
	return c;
}

/* Skips the character if it is this one. */
static int skip(struct toml *toml, char c)
{
	if (peek(toml) != c)
		return 0;
	next(toml);
	return 1;
}

static int fail(struct toml *toml, const char *wrong)
{
	toml->kind = TOML_WRONG;
	toml->line = toml->at_line;
	toml->wrong = wrong;
	return 1;
}

static void skip_blanks(struct toml *toml)
{
	while (peek(toml) == ' ' || peek(toml) == '\t' || peek(toml) == '\r')
		next(toml);
}

/* Skips blanks, comments and ends of lines. */
static void skip_lines(struct toml *toml)
{
	for (;;) {
		skip_blanks(toml);
		if (peek(toml) == '#')
			while (peek(toml) >= 0 && peek(toml) != '\n')
				next(toml);
		if (peek(toml) != '\n')
			return;
		next(toml);
	}
}

static int is_bare(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static int read_key(struct toml *toml)
{
	size_t bytes = 0;

	while (is_bare(peek(toml)) && bytes < TOML_KEY_BYTES - 1)
		toml->key[bytes++] = (char)next(toml);
	toml->key[bytes] = 0;
	return bytes && !is_bare(peek(toml));
}

static int toml_put(struct toml *toml, int c)
{
	if (toml->bytes == TOML_VALUE_BYTES)
		return 0;
	toml->value[toml->bytes++] = (char)c;
	return 1;
}

/* Returns the character for the letter after a backslash; -1: invalid. */
static int escaped(int c)
{
	static const char pairs[] = "\"\"\\\\n\nt\tr\rb\bf\f";

	for (size_t i = 0; i + 1 < sizeof(pairs) - 1; i += 2)
		if (pairs[i] == c)
			return (unsigned char)pairs[i + 1];
	return -1;
}

/* Returns NULL or an error message. */
static const char *read_string(struct toml *toml)
{
	int quote = next(toml), c;

	while ((c = peek(toml)) != quote) {
		if (c < 0 || c == '\n' || c == '\r')
			return "a string without its end";
		next(toml);
		if (c == '\\' && quote == '"')
			c = escaped(next(toml));
		if (c <= 0)
			return "an escape other than \\\" \\\\ \\n \\t \\r \\b \\f";
		if (!toml_put(toml, c))
			return too_long;
	}
	next(toml);
	return toml_put(toml, 0) ? NULL : too_long;
}

static const char *read_list(struct toml *toml)
{
	const char *wrong;

	next(toml);
	for (;;) {
		skip_lines(toml);
		if (peek(toml) == ']')
			break;
		if (peek(toml) != '"' && peek(toml) != '\'')
			return "an array holds strings, and ends with ]";
		wrong = read_string(toml);
		if (wrong)
			return wrong;
		skip_lines(toml);
		if (peek(toml) == ',')
			next(toml);
		else if (peek(toml) != ']')
			return "a comma is missing in an array";
	}
	next(toml);
	return NULL;
}

static const char *read_number(struct toml *toml)
{
	while (peek(toml) >= '0' && peek(toml) <= '9')
		if (!toml_put(toml, next(toml)))
			return too_long;
	return toml->bytes && toml_put(toml, 0) ? NULL
						: "a value is \"text\", a number or [\"a\", \"b\"]";
}

static const char *read_value(struct toml *toml)
{
	int c = peek(toml);

	toml->bytes = 0;
	toml->kind = c == '"' || c == '\'' ? TOML_STRING : c == '[' ? TOML_LIST : TOML_NUMBER;
	return c == '['                    ? read_list(toml)
	       : toml->kind == TOML_STRING ? read_string(toml)
					   : read_number(toml);
}

/* [[NAME]] */
static int read_table(struct toml *toml)
{
	toml->kind = TOML_TABLE;
	for (int i = 0; i < 2; i++)
		if (!skip(toml, '['))
			return fail(toml, "a table is [[job]]");
	skip_blanks(toml);
	if (!read_key(toml))
		return fail(toml, "a table is [[job]]");
	skip_blanks(toml);
	for (int i = 0; i < 2; i++)
		if (!skip(toml, ']'))
			return fail(toml, "a table is [[job]]");
	return 1;
}

static int read_pair(struct toml *toml)
{
	const char *wrong;

	if (!read_key(toml))
		return fail(toml, "a line is KEY = VALUE, [[job]] or # a comment");
	skip_blanks(toml);
	if (!skip(toml, '='))
		return fail(toml, "a key without = and a value");
	skip_blanks(toml);
	wrong = read_value(toml);
	return wrong ? fail(toml, wrong) : 1;
}

void toml_open(struct toml *toml, const char *text, size_t bytes)
{
	static const char mark[] = "\xef\xbb\xbf"; /* that some editors put first */

	toml->at = text;
	toml->end = text + bytes;
	toml->at_line = 1;
	if (bytes >= 3 && text[0] == mark[0] && text[1] == mark[1] && text[2] == mark[2])
		toml->at += 3;
}

int toml_next(struct toml *toml)
{
	skip_lines(toml);
	if (toml->at == toml->end)
		return 0;
	toml->line = toml->at_line;
	toml->table = peek(toml) == '[';
	if (toml->table)
		read_table(toml);
	else
		read_pair(toml);
	if (toml->kind == TOML_WRONG)
		return 1;
	skip_blanks(toml);
	if (peek(toml) >= 0 && peek(toml) != '\n' && peek(toml) != '#')
		return fail(toml, "something after the value");
	return 1;
}

void toml_skip(struct toml *toml)
{
	do {
		while (peek(toml) >= 0 && next(toml) != '\n')
			;
		skip_blanks(toml);
	} while (peek(toml) >= 0 && peek(toml) != '[');
}
