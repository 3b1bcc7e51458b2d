/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangles names once each, and shortens long ones. */
#include "apps/report/names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/report/helpers.h"

struct report_helpers report_helpers;

/* The names by the address of their symbol: open addressing, at most half full. */
static struct pair {
	const char *symbol, *shown;
} * pairs;
static size_t nr_pairs, nr_slots;
static bool mangled;

void names_keep_mangled(void)
{
	mangled = true;
}

static struct pair *slot_of(const char *symbol)
{
	size_t i = (size_t)(((uintptr_t)symbol * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % nr_slots;

	while (pairs[i].symbol && pairs[i].symbol != symbol)
		i = (i + 1) % nr_slots;
	return &pairs[i];
}

/* Doubles the table. False: no memory, and nothing has changed. */
static bool make_room(void)
{
	struct pair *old = pairs;
	size_t nr_old = nr_slots;

	pairs = calloc(nr_old ? 2 * nr_old : 256, sizeof(*pairs));
	if (!pairs) {
		pairs = old;
		return false;
	}
	nr_slots = nr_old ? 2 * nr_old : 256;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].symbol)
			*slot_of(old[i].symbol) = old[i];
	free(old);
	return true;
}

const char *name_shown(const char *symbol)
{
	struct pair *pair;
	const char *shown;

	if (mangled || !report_helpers.demangle || *symbol != '_')
		return symbol;
	if (2 * nr_pairs >= nr_slots && !make_room())
		return symbol;
	pair = slot_of(symbol);
	if (!pair->symbol) {
		shown = report_helpers.demangle(symbol);
		*pair = (struct pair){symbol, shown ? shown : symbol};
		nr_pairs++;
	}
	return pair->shown;
}

const char *name_cut(char *text, unsigned max, const char *name)
{
	size_t length = strlen(name), front = (max - 2) / 2;

	if (length <= max)
		memcpy(text, name, length + 1);
	else if (max <= 4)
		snprintf(text, max + 1, "%s", name);
	else
		sprintf(text, "%.*s..%s", (int)front, name, name + length - (max - 2 - front));
	return text;
}

/* Returns the last component of a scoped name: what follows the last "::" outside of brackets. */
static const char *last_scope(const char *name, size_t length)
{
	const char *last = name;
	int depth = 0;

	for (const char *at = name; at + 1 < name + length; at++) {
		depth += (*at == '<') - (*at == '>');
		if (!depth && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	return last;
}

bool name_matches(const char *name, const char *wanted)
{
	size_t length = strcspn(name, "("), whole = strlen(wanted);
	const char *last = last_scope(name, length);

	return !strcmp(name, wanted) || (length == whole && !strncmp(name, wanted, whole)) ||
	       ((size_t)(name + length - last) == whole && !strncmp(last, wanted, whole));
}
