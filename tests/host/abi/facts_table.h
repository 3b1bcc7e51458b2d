/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of facts.h by the headers that were included before; the list is facts.awk's. */
#include <string.h>

#include "tests/host/abi/facts.h"

/* Where a bit-field's bits are: a hash of the struct's set bytes and their offsets, which does not
 * depend on the struct's size. */
static uint64_t hash_bytes(const void *bytes, size_t size)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)bytes)[i])
			hash = hash * 65537 + i * 256 + ((const uint8_t *)bytes)[i];
	return hash;
}

#define FACT(text, number) facts[i++] = (struct fact){text, (uint64_t)(number)};
#define BITS(text, type, field)                                                        \
	{                                                                              \
		type object;                                                           \
                                                                                       \
		memset(&object, 0, sizeof(object));                                    \
		object.field--;                                                        \
		facts[i++] = (struct fact){text, hash_bytes(&object, sizeof(object))}; \
	}

static const struct fact *list_facts(size_t *nr)
{
	static struct fact facts[4096];
	size_t i = 0;

#include "facts.inc"
	*nr = i;
	return facts;
}
