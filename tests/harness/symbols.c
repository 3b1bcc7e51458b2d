/* SPDX-License-Identifier: BSD-2-Clause */
/* Executable files of any bytes, as `report` and the profilers read names and addresses of
 * functions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "apps/lib/debug_file.h"
#include "apps/lib/slurp.h"
#include "tests/harness/bytes.h"

/* Programs keep the names until they end; here their memory is given back. */
#define BLOCKS 64

static void *blocks[BLOCKS];
static unsigned nr_blocks;

static void *kept(void *block)
{
	if (nr_blocks == BLOCKS)
		abort();
	return blocks[nr_blocks++] = block;
}

#define calloc(count, bytes) kept(calloc(count, bytes))
#define slurp(path, size)    kept(slurp(path, size))
#define free(block)          ((void)(block))
#include "apps/lib/symbols.c"
#undef calloc
#undef slurp
#undef free

/* No debug files, which would be the machine's own. */
char *debug_file_find(const unsigned char *notes, size_t size)
{
	static volatile unsigned char seen;

	for (size_t i = 0; i < size; i++)
		seen = notes[i];
	(void)seen;
	return NULL;
}

static void ask(const struct symbols *symbols, uint64_t offset)
{
	uint64_t address, start, end;
	const char *name = symbols_find(symbols, offset);

	if (name && strlen(name) > (1u << 20))
		abort();
	symbols_at(symbols, offset, &start);
	if (symbols_range(symbols, offset, &address, &start, &end) && start > end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	struct symbols *symbols;
	uint64_t address;
	const char *name;

	if (fd < 0)
		fd = memfd_create("program", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	symbols = symbols_load(path);
	for (size_t i = 0; symbols && (name = symbols_name(symbols, i)); i++)
		if (symbols_named(symbols, name, &address))
			ask(symbols, address);
	for (uint64_t offset = 0; symbols && offset < size; offset += 16)
		ask(symbols, offset);
	while (nr_blocks)
		free(blocks[--nr_blocks]);
	return 0;
}
