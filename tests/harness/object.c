/* SPDX-License-Identifier: BSD-2-Clause */
/* Object files and archives for `bench --code` with any bytes: an error or a loaded function, and
 * no access outside of the file and of the loaded sections. */
#include <setjmp.h>
#include <stdlib.h>
#include "tests/harness/bytes.h"
#include "apps/bench/object.c"

#define LOADED_MAX (1ul << 20) /* bytes: more would only take time */
#define BLOCKS     4096

static jmp_buf failed;
static void *blocks[BLOCKS];
static unsigned nr_blocks;
static const uint8_t *file;
static size_t file_bytes;
static struct object object_table[MOST_OBJECTS];

_Noreturn void fail(const char *format, ...)
{
	(void)format;
	longjmp(failed, 1);
}

void *need_memory(size_t bytes)
{
	if (nr_blocks == BLOCKS || bytes > LOADED_MAX)
		fail("too much");
	return blocks[nr_blocks++] = calloc(1, bytes + !bytes);
}

void *low_memory(size_t bytes)
{
	return need_memory(bytes);
}

unsigned char *slurp(const char *path, size_t *size)
{
	unsigned char *copy = need_memory(file_bytes + 1);

	(void)path;
	memcpy(copy, file, file_bytes);
	*size = file_bytes;
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file = data;
	file_bytes = size;
	objects = object_table;
	nr_objects = 0;
	nr_blocks = got_used = 0;
	got = NULL;
	if (object_is(data, size) && !setjmp(failed))
		object_load(&(struct bench_options){.function = "f"}, "file");
	while (nr_blocks)
		free(blocks[--nr_blocks]);
	return 0;
}
