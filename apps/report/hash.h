/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashes of texts: FNV-1a of 64 bits. */
#ifndef APPS_REPORT_HASH_H
#define APPS_REPORT_HASH_H

#include <stdint.h>

#define HASH_BEGIN 0xcbf29ce484222325u

/* Returns the hash of all before, which begins with HASH_BEGIN, and of the text without its end. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

#endif
