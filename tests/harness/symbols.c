/* SPDX-License-Identifier: BSD-2-Clause */
/* Executable files of any bytes, as `report` and the profilers read names and addresses of
 * functions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "apps/lib/symbols/debug_file.h"
#include "apps/lib/slurp.h"
#include "tests/harness/bytes.h"

#include "apps/lib/symbols/symbols.c"

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
	uint64_t address, start, end, byte;
	const char *name = symbols_find(symbols, offset);

	if (name && strlen(name) > (1u << 20))
		abort();
	symbols_at(symbols, offset, &start);
	if (symbols_range(symbols, offset, &address, &start, &end) && start > end)
		abort();
	if (symbols_offset(symbols, offset, &byte) && symbols_offset(symbols, UINT64_MAX, &byte))
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
	if (symbols && symbols_has_id(symbols, data, size < 20 ? size : 20) && size < 20)
		abort();
	symbols_free(symbols);
	return 0;
}
