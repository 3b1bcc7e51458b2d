/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks functions up in the table that the second link put into the image (boot/symbols.awk). */
#include <stddef.h>
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"

/* Sorted by address. In the first link, and only there, the table is empty. */
extern const uint32_t symbols_number;
extern const struct symbol {
	uint32_t offset; /* from the start of the text, and GLOBAL */
	uint32_t name;   /* in symbols_names */
} symbols_table[];
extern const char symbols_names[];
extern const char text_start[], text_end[];

#define GLOBAL 0x80000000u /* the function is visible outside of its file */

static uint32_t offset_of(uint32_t index)
{
	return symbols_table[index].offset & ~GLOBAL;
}

uint32_t symbols_count(void)
{
	return symbols_number;
}

const char *symbols_get(uint32_t index, uint64_t *address)
{
	*address = (uint64_t)text_start + offset_of(index);
	return symbols_names + symbols_table[index].name;
}

bool symbols_global(uint32_t index)
{
	return symbols_table[index].offset & GLOBAL;
}

size_t symbols_code(void *to, uint64_t address, size_t bytes)
{
	uint64_t end = (uint64_t)text_end;

	if (address < (uint64_t)text_start || address >= end)
		return 0;
	if (bytes > end - address)
		bytes = end - address;
	memcpy(to, (const void *)address, bytes);
	return bytes;
}

/* The index of the function that contains the address, symbols_number: none does. */
static uint32_t index_of(uint64_t address)
{
	uint64_t at = address - (uint64_t)text_start;
	uint32_t low = 0, high = symbols_number;

	if (address < (uint64_t)text_start || address >= (uint64_t)text_end || !symbols_number ||
	    at < offset_of(0))
		return symbols_number;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (offset_of(middle) <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const char *symbols_find(uint64_t address, uint64_t *offset)
{
	uint32_t index = index_of(address);

	if (index == symbols_number)
		return NULL;
	*offset = address - (uint64_t)text_start - offset_of(index);
	return symbols_names + symbols_table[index].name;
}

uint64_t symbols_size(uint64_t address)
{
	uint32_t index = index_of(address);

	if (index == symbols_number)
		return 0;
	return (index + 1 < symbols_number ? offset_of(index + 1)
					   : (uint64_t)text_end - (uint64_t)text_start) -
	       offset_of(index);
}
