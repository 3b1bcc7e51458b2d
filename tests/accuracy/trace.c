/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a trace of valgrind --tool=lackey --trace-mem=yes, from standard input, through a core's
 * caches, and prints what cachegrind would: instructions, and misses of L1I, L1D and the last
 * level. usage: trace CORE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/sim/memory/memory.h"
#include "emulator/sim/options/parse.h"

struct misses {
	uint64_t instructions, l1i, l1d, last;
};

static void count(struct misses *misses, uint64_t *first, const struct access_result *result)
{
	*first += result->level != MEM_L1;
	misses->last += result->level == MEM_DRAM;
}

/* An instruction over two lines is one miss, as its fetch is one reference to cachegrind. */
static void fetch(struct memory *memory, struct access *access, struct misses *misses)
{
	uint32_t first = CORE_LINE_SIZE - access->vaddr % CORE_LINE_SIZE;
	struct access_result result, second;

	misses->instructions++;
	memory_fetch(memory, access, &result);
	if (access->size > first) {
		access->vaddr += first;
		access->paddr += first;
		memory_fetch(memory, access, &second);
		if (second.level > result.level)
			result = second;
	}
	count(misses, &misses->l1i, &result);
}

/* One line: " L 1ffeffe7c0,8", "I  0040100a,3", " M ..." (a load, then a store). */
static void step(struct memory *memory, const char *line, struct misses *misses)
{
	struct access access = {.now = 1};
	struct access_result result;
	char *after;

	if (line[0] == '=' || (line[0] != 'I' && line[0] != ' '))
		return;
	access.vaddr = access.paddr = strtoull(line + 3, &after, 16);
	access.size = strtoul(after + 1, NULL, 10);
	access.store = line[1] == 'S';
	if (line[0] == 'I') {
		fetch(memory, &access, misses);
		return;
	}
	memory_access(memory, &access, &result);
	count(misses, &misses->l1d, &result);
}

int main(int argc, char **argv)
{
	struct core_config config;
	struct misses misses = {0};
	struct shared_cache *shared;
	struct memory *memory;
	char text[256];

	if (argc != 2 || core_config_parse(argv[1], &config, text, sizeof(text))) {
		fprintf(stderr, "trace: %s\n", argc == 2 ? text : "usage: trace CORE");
		return 125;
	}
	shared = shared_cache_new(&config);
	memory = memory_new(&config, shared);
	while (fgets(text, sizeof(text), stdin))
		step(memory, text, &misses);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", misses.instructions, misses.l1i,
	       misses.l1d, misses.last);
	memory_free(memory);
	shared_cache_free(shared);
	return 0;
}
