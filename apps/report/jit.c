/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the two kinds of files that just-in-time compilers write for perf: maps, a line "START SIZE
 * NAME" for each function, and jitdump (Linux tools/perf/Documentation: jit-interface.txt,
 * jitdump-specification.txt). The files come from the program: each size is checked. */
#include "apps/report/jit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/slurp.h"

#define PATH_SIZE 4096

struct code {
	uint64_t start, size;
	const char *name;
	size_t order;
};

struct jit {
	struct code *codes; /* by start and order */
	size_t nr, room;
	uint64_t largest; /* of the sizes */
};

static void add_code(struct jit *jit, uint64_t start, uint64_t size, const char *name)
{
	if (jit->nr == jit->room) {
		size_t room = jit->room ? 2 * jit->room : 256;
		struct code *grown = realloc(jit->codes, room * sizeof(*grown));

		if (!grown)
			return;
		jit->codes = grown;
		jit->room = room;
	}
	if (!size || start + size < start)
		return;
	jit->codes[jit->nr] = (struct code){start, size, name, jit->nr};
	jit->nr++;
	jit->largest = size > jit->largest ? size : jit->largest;
}

/* The text stays in memory, for the names. */
static void read_map(struct jit *jit, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *at;
		uint64_t start = strtoull(line, &at, 16), size;

		if (*at != ' ')
			continue;
		size = strtoull(at, &at, 16);
		if (*at == ' ' && at[1])
			add_code(jit, start, size, at + 1);
	}
}

#define DUMP_MAGIC 0x4a695444u /* "JiTD" in the byte order of the writer */

enum dump_kind { DUMP_LOAD, DUMP_MOVE };

struct dump_header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t timestamp, flags;
};

struct dump_record {
	uint32_t kind, size;
	uint64_t timestamp;
};

struct dump_load {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
	char name[];
};

struct dump_move {
	struct dump_record record;
	uint32_t pid, tid;
	uint64_t vma, old_address, address, size, index;
};

static void read_load(struct jit *jit, const unsigned char *bytes, size_t size)
{
	const char *name = (const char *)bytes + sizeof(struct dump_load);
	struct dump_load load;

	if (size <= sizeof(load) || !memchr(name, 0, size - sizeof(load)))
		return;
	memcpy(&load, bytes, sizeof(load));
	add_code(jit, load.address, load.size, name);
}

/* The code of a function is elsewhere from now on. */
static void read_move(struct jit *jit, const unsigned char *bytes, size_t size)
{
	struct dump_move move;

	if (size < sizeof(move))
		return;
	memcpy(&move, bytes, sizeof(move));
	for (size_t i = jit->nr; i--;)
		if (jit->codes[i].start == move.old_address) {
			add_code(jit, move.address, move.size, jit->codes[i].name);
			return;
		}
}

static void read_dump(struct jit *jit, const unsigned char *bytes, size_t size)
{
	struct dump_header header;
	struct dump_record record;

	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != DUMP_MAGIC || header.size < sizeof(header))
		return;
	for (size_t at = header.size; at < size && size - at >= sizeof(record); at += record.size) {
		memcpy(&record, bytes + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > size - at)
			return; /* the program ended while it wrote */
		if (record.kind == DUMP_LOAD)
			read_load(jit, bytes + at, record.size);
		else if (record.kind == DUMP_MOVE)
			read_move(jit, bytes + at, record.size);
	}
}

static int by_start(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Returns the contents of PROFILE.WORD-PID.END, or NULL. */
static unsigned char *read_beside(const char *profile, const char *word, uint32_t pid,
				  const char *end, size_t *size)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s.%s-%u.%s", profile, word, pid, end);
	return slurp(path, size);
}

struct jit *jit_load(const char *profile, uint32_t pid)
{
	size_t map_size, dump_size;
	unsigned char *map = read_beside(profile, "perf", pid, "map", &map_size),
		      *dump = read_beside(profile, "jit", pid, "dump", &dump_size);
	struct jit *jit = map || dump ? calloc(1, sizeof(*jit)) : NULL;

	if (!jit)
		return NULL;
	if (map)
		read_map(jit, (char *)map);
	if (dump)
		read_dump(jit, dump, dump_size);
	qsort(jit->codes, jit->nr, sizeof(*jit->codes), by_start);
	return jit;
}

const char *jit_find(const struct jit *jit, uint64_t address)
{
	const struct code *found = NULL;
	size_t low = 0, high = jit->nr;

	while (low < high) { /* the first code that starts after the address */
		size_t middle = low + (high - low) / 2;

		if (jit->codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low && address - jit->codes[low - 1].start < jit->largest; low--) {
		const struct code *code = &jit->codes[low - 1];

		if (address - code->start < code->size && (!found || code->order > found->order))
			found = code;
	}
	return found ? found->name : NULL;
}
