/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the measured code: areas that registers point to, and low memory for the code
 * itself. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/page.h"
#include "apps/bench/bench.h"

#define LINE 64
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

struct area areas[AREAS];

void *low_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		fail("no %zu bytes of memory for the code: %s", bytes, strerror(errno));
	return memory;
}

static uint64_t power_above(uint64_t size)
{
	uint64_t power = PAGE;

	while (power < size)
		power *= 2;
	return power;
}

/* Enlarges the pool of a page size by `pages`, as far as permissions and memory allow. */
static void fill_pool(const char *path, uint64_t pages)
{
	FILE *pool = fopen(path, "r+");
	unsigned long had;

	if (!pool)
		return;
	if (fscanf(pool, "%lu", &had) == 1) {
		rewind(pool);
		fprintf(pool, "%lu\n", had + pages);
	}
	fclose(pool);
}

void *huge_memory(size_t bytes, uint64_t page)
{
	int size = __builtin_ctzl(page) << MAP_HUGE_SHIFT;
	char path[96];
	void *memory;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%lukB/nr_hugepages",
		 (unsigned long)page >> 10);
	fill_pool(path, (bytes + page - 1) / page);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
	if (memory == MAP_FAILED)
		fail("no %zu bytes of memory in huge pages of %lu KiB: %s: give the machine more, "
		     "be "
		     "root or write to %s",
		     bytes, (unsigned long)page >> 10, strerror(errno), path);
	return memory;
}

/* Maps an aligned area; `align` is a power of two. Maps more than needed, and keeps all of it. */
static uint8_t *map_aligned(size_t bytes, uint64_t align, uint64_t huge)
{
	uint8_t *memory, *start;

	if (huge)
		memory = huge_memory(align > huge ? bytes + align : bytes, huge);
	else
		memory = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("no %zu bytes of memory: %s: give the machine more", bytes, strerror(errno));
	start = (uint8_t *)(((uint64_t)memory + align - 1) & -align);
	/* Writes each page: reads alone would map one shared page of zeros. */
	for (size_t at = 0; at < bytes; at += huge ? huge : PAGE)
		start[at] = 0;
	return start;
}

void areas_make(const struct bench_options *options)
{
	uint64_t requested = options->memory && !options->suite ? options->memory : BENCH_MEMORY;
	size_t bytes = (requested + PAGE - 1) & -PAGE;
	uint64_t align = options->aligned ? power_above(bytes) : PAGE;

	if (options->huge) {
		bytes = (bytes + options->huge - 1) & -options->huge;
		align = align > options->huge ? align : options->huge;
	}
	areas[AREA_R14].bytes = bytes;
	areas[AREA_R14].start = map_aligned(bytes, align, options->huge);
	for (int i = AREA_R14 + 1; i < AREAS; i++)
		areas[i] = (struct area){map_aligned(AREA_BYTES, PAGE, 0), AREA_BYTES};
}

uint64_t areas_register(const struct bench_options *options, int area)
{
	uint64_t start = (uint64_t)areas[area].start;

	return options->aligned && area == AREA_R14 ? start : start + areas[area].bytes / 2;
}

void flush_lines(const void *start, size_t bytes)
{
	const char *line = (const char *)((uint64_t)start & -(uint64_t)LINE);

	for (; line < (const char *)start + bytes; line += LINE)
		__builtin_ia32_clflush(line);
	__builtin_ia32_mfence();
}
