/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the two kinds of files that just-in-time compilers write for perf: maps, a line "START SIZE
 * NAME" for each function, and jitdump (Linux tools/perf/Documentation: jit-interface.txt,
 * jitdump-specification.txt). The files come from the program: each size is checked. */
#include "apps/report/places/jit.h"

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/slurp.h"
#include "apps/lib/symbols/ranges.h"
#include "apps/report/memory.h"

#define PATH_SIZE 4096

struct jit {
	struct range *codes; /* in the order of their generation */
	const char **names;  /* of the codes */
	size_t nr, room;
	struct ranges *ranges;
	void *dumped; /* of tsearch(3): struct dumped by start, for moves */
};

static void add_code(struct jit *jit, uint64_t start, uint64_t size, const char *name)
{
	if (!size || start + size < start)
		return;
	if (jit->nr == jit->room) {
		jit->room = jit->room ? 2 * jit->room : 256;
		jit->codes = report_grow(jit->codes, jit->room * sizeof(*jit->codes));
		jit->names = report_grow(jit->names, jit->room * sizeof(*jit->names));
	}
	jit->codes[jit->nr] = (struct range){start, start + size};
	jit->names[jit->nr++] = name;
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

/* The newest code of a dump that starts at an address. */
struct dumped {
	uint64_t start;
	const char *name;
};

static int by_start(const void *left, const void *right)
{
	const struct dumped *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_dumped(struct jit *jit, uint64_t start, uint64_t size, const char *name)
{
	struct dumped wanted = {start, name}, *dumped,
		      **found = tfind(&wanted, &jit->dumped, by_start);

	add_code(jit, start, size, name);
	if (found) {
		(*found)->name = name;
		return;
	}
	dumped = report_new(sizeof(*dumped));
	*dumped = wanted;
	if (!tsearch(dumped, &jit->dumped, by_start))
		report_no_memory();
}

static void read_load(struct jit *jit, const unsigned char *bytes, size_t size)
{
	const char *name = (const char *)bytes + sizeof(struct dump_load);
	struct dump_load load;

	if (size <= sizeof(load) || !memchr(name, 0, size - sizeof(load)))
		return;
	memcpy(&load, bytes, sizeof(load));
	add_dumped(jit, load.address, load.size, name);
}

/* The code of a function is elsewhere from now on. */
static void read_move(struct jit *jit, const unsigned char *bytes, size_t size)
{
	struct dumped **found;
	struct dump_move move;

	if (size < sizeof(move))
		return;
	memcpy(&move, bytes, sizeof(move));
	found = tfind(&(struct dumped){.start = move.old_address}, &jit->dumped, by_start);
	if (found)
		add_dumped(jit, move.address, move.size, (*found)->name);
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
	struct jit *jit;

	if (!map && !dump)
		return NULL;
	jit = report_new(sizeof(*jit));
	if (map)
		read_map(jit, (char *)map);
	if (dump)
		read_dump(jit, dump, dump_size);
	jit->ranges = ranges_new(jit->codes, jit->nr);
	return jit;
}

const char *jit_find(const struct jit *jit, uint64_t address)
{
	size_t found = ranges_find(jit->ranges, address);

	return found == RANGES_NONE ? NULL : jit->names[found];
}
