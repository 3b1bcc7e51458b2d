/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs blocks of instructions as endless loops on a simulated core, and prints cycles an iteration.
 * usage: blocks CORE [--as-mca|--mca-figures|--rows] OBJECT, whose functions are the blocks;
 * --as-mca: without what llvm-mca leaves out; --mca-figures: with its figures besides
 * (tests/accuracy/mca.h); --rows: copies in a row, without the last branch, as native.c has them.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/pipeline/pipeline.h"
#include "emulator/sim/options/parse.h"
#include "tests/accuracy/mca.h"

#define FEWER 3000 /* beyond what a reorder buffer holds: its fill is no iteration's time */
#define MORE  4000

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

/* A branch is the last instruction, if any. */
static unsigned without_branch(const struct insn_bytes *insns, unsigned count)
{
	struct insn last;

	if (!count)
		return 0;
	decode_insn(insns[count - 1].bytes, insns[count - 1].length, &last);
	return last.branch == BRANCH_NONE ? count : count - 1;
}

/* Until the last of `iterations` iterations has retired. */
static uint64_t cycles_of(const struct core_config *config, struct block *block,
			  unsigned iterations)
{
	struct pipeline *pipeline = pipeline_new(config);
	struct block_events events = {.executed = block->insns,
				      .outcome = block->branch != BRANCH_NONE ? BRANCH_TAKEN : 0};
	uint64_t cycles;

	if (!pipeline)
		exit(1);
	for (unsigned i = 0; i < iterations; i++)
		pipeline_block(pipeline, block, &events);
	pipeline_drain(pipeline);
	cycles = pipeline_cycles(pipeline);
	pipeline_free(pipeline);
	return cycles;
}

static void run(const struct core_config *config, bool rows, const char *name, const uint8_t *code,
		unsigned size)
{
	struct insn_bytes insns[BLOCK_INSNS_MAX];
	unsigned whole = cut(code, size, insns);
	unsigned count = rows ? without_branch(insns, whole) : whole;
	struct block *block = count ? block_new(config, insns, count) : NULL;

	if (!block) {
		printf("%s undecodable\n", name);
		return;
	}
	printf("%s %.2f\n", name,
	       (double)(cycles_of(config, block, MORE) - cycles_of(config, block, FEWER)) /
		   (MORE - FEWER));
	block_free(block);
}

/* Every symbol with a size. */
static void run_all(const struct core_config *config, bool rows, const char *elf)
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
				run(config, rows, names + symbols[i].st_name,
				    (const uint8_t *)elf + sections[symbols[i].st_shndx].sh_offset +
					symbols[i].st_value,
				    symbols[i].st_size);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc == 4 ? argv[2] : "";
	bool figures = !strcmp(how, "--mca-figures"), rows = !strcmp(how, "--rows");
	struct core_config config;
	char error[200];

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: blocks CORE [--as-mca|--mca-figures|--rows] OBJECT\n");
		return 2;
	}
	if (core_config_parse(argv[1], &config, error, sizeof(error))) {
		fprintf(stderr, "blocks: %s\n", error);
		return 2;
	}
	if (figures || !strcmp(how, "--as-mca"))
		mca_leave_out(&config);
	if (figures)
		mca_figures(&config);
	run_all(&config, rows, read_file(argv[argc - 1]));
	return 0;
}
