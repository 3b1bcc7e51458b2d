/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs blocks of instructions as endless loops on a simulated core, and prints cycles an iteration.
 * usage: blocks CORE [--as-mca|--mca-figures] OBJECT, whose functions are the blocks; --as-mca:
 * without what llvm-mca leaves out; --mca-figures: with its figures besides (tests/accuracy/mca.h).
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipeline.h"
#include "core/words/parse.h"
#include "tests/accuracy/mca.h"

#define WARM_UP    3000 /* beyond what a reorder buffer holds: its fill is no iteration's time */
#define ITERATIONS 1000

static const void *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		perror(path);
		exit(1);
	}
	rewind(file);
	data = malloc(size + 1);
	if (!data || fread(data, 1, size, file) != (size_t)size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return data;
}

/* The instructions' borders are found by trying: the decoder takes whole instructions only. */
static unsigned cut(const uint8_t *code, unsigned size, struct insn_bytes *insns)
{
	unsigned count = 0, at = 0;
	struct insn insn;

	while (at < size && count < BLOCK_INSNS_MAX) {
		unsigned length = 1;

		for (; length <= 15 && at + length <= size; length++) {
			decode_insn(code + at, length, &insn);
			if (insn.bits == 64)
				break;
		}
		if (length > 15 || at + length > size)
			return 0;
		insns[count++] = (struct insn_bytes){0x400000 + at, code + at, length};
		at += length;
	}
	return count;
}

static void run(const struct core_config *config, const char *name, const uint8_t *code,
		unsigned size)
{
	struct insn_bytes insns[BLOCK_INSNS_MAX];
	unsigned count = cut(code, size, insns);
	struct block *block = count ? block_new(config, insns, count) : NULL;
	struct pipeline *pipeline = pipeline_new(config);
	struct block_events events = {.executed = count};
	uint64_t before;

	if (!block || !pipeline) {
		printf("%s undecodable\n", name);
		return;
	}
	events.taken = block->branch != BRANCH_NONE;
	for (unsigned i = 0; i < WARM_UP; i++)
		pipeline_block(pipeline, block, &events);
	before = pipeline_cycles(pipeline);
	for (unsigned i = 0; i < ITERATIONS; i++)
		pipeline_block(pipeline, block, &events);
	printf("%s %.2f\n", name, (double)(pipeline_cycles(pipeline) - before) / ITERATIONS);
	pipeline_free(pipeline);
	block_free(block);
}

/* Every symbol with a size. */
static void run_all(const struct core_config *config, const char *elf)
{
	const Elf64_Ehdr *header = (const void *)elf;
	const Elf64_Shdr *sections = (const void *)(elf + header->e_shoff);

	for (unsigned s = 0; s < header->e_shnum; s++) {
		const Elf64_Sym *symbols = (const void *)(elf + sections[s].sh_offset);
		const char *names = elf + sections[sections[s].sh_link].sh_offset;

		if (sections[s].sh_type != SHT_SYMTAB)
			continue;
		for (unsigned i = 0; i < sections[s].sh_size / sizeof(*symbols); i++)
			if (symbols[i].st_size)
				run(config, names + symbols[i].st_name,
				    (const uint8_t *)elf + sections[symbols[i].st_shndx].sh_offset +
					symbols[i].st_value,
				    symbols[i].st_size);
	}
}

int main(int argc, char **argv)
{
	bool figures = argc == 4 && !strcmp(argv[2], "--mca-figures");
	bool as_mca = figures || (argc == 4 && !strcmp(argv[2], "--as-mca"));
	struct core_config config;
	char error[200];

	if (argc != 3 + as_mca) {
		fprintf(stderr, "usage: blocks CORE [--as-mca|--mca-figures] OBJECT\n");
		return 2;
	}
	if (core_config_parse(argv[1], &config, error, sizeof(error))) {
		fprintf(stderr, "blocks: %s\n", error);
		return 2;
	}
	if (as_mca)
		mca_leave_out(&config);
	if (figures)
		mca_figures(&config);
	run_all(&config, read_file(argv[2 + as_mca]));
	return 0;
}
