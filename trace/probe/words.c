/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of commands: numbers, names, symbols. */
#include "trace/probe/words.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"

bool word_begins(const char *word, const char *with)
{
	while (*with)
		if (*word++ != *with++)
			return false;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool word_number(const char *word, uint64_t *number)
{
	unsigned base = 10;

	if (*word == '0' && (word[1] | 0x20) == 'x') {
		base = 16;
		word += 2;
	} else if (*word == '0') {
		base = 8;
	}
	if (!*word)
		return false;
	for (*number = 0; *word; word++) {
		unsigned value = (unsigned)digit(*word);

		if (value >= base || *number > (UINT64_MAX - value) / base)
			return false;
		*number = *number * base + value;
	}
	return true;
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
	for (uint32_t i = 0; i < symbols_count(); i++) {
		const char *name = symbols_get(i, address);

		if (strlen(name) != length || memcmp(name, word, length) != 0)
			continue;
		*address += *end == '-' ? -offset : offset;
		return true;
	}
	return false;
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
