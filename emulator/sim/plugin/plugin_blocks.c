/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage of translated blocks: two generations of chunks, of the valid translations and of the
 * previous ones. */
#include "emulator/sim/plugin/plugin_blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/pipeline/block.h"
#include "emulator/sim/replay/replay.h"

#define CHUNK_BYTES (1u << 20)
#define LINE        64 /* of the host's cache */

struct chunk {
	struct chunk *next;
	size_t used;
	struct code_block *blocks; /* in this chunk */
	char bytes[CHUNK_BYTES] __attribute__((aligned(LINE)));
	char gap[REPLAY_REACH]; /* whether a block reaches an instruction goes not by chance */
};

static struct chunk *now, *before;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *plugin_blocks_take(size_t bytes)
{
	void *place;

	bytes = (bytes + LINE - 1) & ~(size_t)(LINE - 1);
	if (!now || now->used + bytes > CHUNK_BYTES) {
		struct chunk *chunk = aligned_alloc(LINE, sizeof(*chunk));

		if (!chunk) {
			fprintf(stderr, "core: out of memory\n");
			exit(1);
		}
		chunk->next = now;
		chunk->used = 0;
		chunk->blocks = NULL;
		now = chunk;
	}
	place = now->bytes + now->used;
	now->used += bytes;
	return place;
}

struct code_block *plugin_block(size_t nr, size_t code, uint8_t **bytes)
{
	size_t room = sizeof(struct code_block) + nr * sizeof(struct code_insn);
	struct code_block *block;

	pthread_mutex_lock(&lock);
	block = plugin_blocks_take(room + code);
	memset(block, 0, room);
	*bytes = (uint8_t *)block + room;
	block->bytes = *bytes;
	block->next = now->blocks;
	now->blocks = block;
	pthread_mutex_unlock(&lock);
	return block;
}

void *plugin_keep(const void *what, size_t bytes)
{
	void *kept;

	pthread_mutex_lock(&lock);
	kept = plugin_blocks_take(bytes);
	pthread_mutex_unlock(&lock);
	return memcpy(kept, what, bytes);
}

static void free_timings(const struct chunk *chunk)
{
	for (struct code_block *block = chunk->blocks; block; block = block->next)
		for (unsigned i = 0; i < CODE_CONFIGS; i++)
			block_free(block->timing[i]);
}

void plugin_blocks_flushed(void)
{
	pthread_mutex_lock(&lock);
	while (before) {
		struct chunk *next = before->next;

		free_timings(before);
		free(before);
		before = next;
	}
	before = now;
	now = NULL;
	pthread_mutex_unlock(&lock);
}

static const char *ram_start, *ram_end;

struct host_range plugin_mapping(const char *host)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct host_range range = {host, host};
	uintptr_t start, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start <= (uintptr_t)host &&
		    (uintptr_t)host < end)
			range = (struct host_range){host - ((uintptr_t)host - start),
						    host + (end - (uintptr_t)host)};
	if (maps)
		fclose(maps);
	return range;
}

void plugin_set_ram(const char *ram)
{
	ram_start = ram;
	ram_end = plugin_mapping(ram).end;
}

const char *plugin_ram(void)
{
	return ram_start;
}

const char *plugin_ram_end(void)
{
	return ram_end;
}

bool plugin_in_ram(const char *host)
{
	return host >= ram_start && host < ram_end;
}
