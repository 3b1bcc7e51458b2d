/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of commands: numbers, names, symbols. */
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "trace/probe/base/words.h"

bool word_begins(const char *word, const char *with)
{
	while (*with)
		if (*word++ != *with++)
			return false;
	return true;
}

bool word_number(const char *word, uint64_t *number)
{
	return !number_read(word, 0, UINT64_MAX, number);
}

extern const char text_start[]; /* linker.ld */

/* Perf gives addresses relative to the start of the text. */
static bool find_symbol(const char *name, size_t length, uint64_t *address)
{
	for (uint32_t i = 0; i < symbols_count(); i++)
		if (string_is(name, length, symbols_get(i, address)))
			return true;
	*address = (uint64_t)text_start;
	return string_is(name, length, "_stext");
}

bool word_symbol(const char *word, uint64_t *address)
{
	const char *end = word;
	uint64_t offset = 0;
	size_t length;

	while (*end && *end != '+' && *end != '-')
		end++;
	length = (size_t)(end - word);
	if (*end && !word_number(end + 1, &offset))
		return false;
	if (!find_symbol(word, length, address))
		return false;
	*address += *end == '-' ? -offset : offset;
	return true;
}

bool word_is_name(const char *word, bool dashes)
{
	if (!*word || (*word >= '0' && *word <= '9'))
		return false;
	for (; *word; word++)
		if (!((*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') ||
		      (*word >= '0' && *word <= '9') || *word == '_' || (dashes && *word == '-')))
			return false;
	return true;
}

char *word_next(char **rest)
{
	char *word = *rest;

	while (*word == ' ' || *word == '\t')
		word++;
	if (!*word)
		return NULL;
	for (*rest = word; **rest && **rest != ' ' && **rest != '\t'; ++*rest)
		;
	if (**rest)
		*(*rest)++ = 0;
	return word;
}
