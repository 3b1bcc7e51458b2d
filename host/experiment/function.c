/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the program that is run, by name and address. */
#include "host/experiment/function.h"

#include <elf.h>
#include <string.h>

#include "apps/lib/closest.h"
#include "apps/lib/symbols/symbols.h"
#include "host/image/program.h"
#include "host/lib/buffer.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define PIE_BASE 0x555555554000 /* where the kernel puts such programs: kernel/mem/space.h */

/* The program's functions, and the distance from their linked addresses. */
static const struct symbols *program_symbols(const struct options *options, uint64_t *bias)
{
	static struct symbols *symbols;
	static uint64_t known_bias;
	const char *path;
	struct buffer file;

	if (!symbols) {
		path = find_program(options).host;
		if (!path)
			return NULL;
		file = read_file(path);
		if (file.size > sizeof(Elf64_Ehdr) &&
		    ((const Elf64_Ehdr *)(const void *)file.bytes)->e_type == ET_DYN)
			known_bias = PIE_BASE;
		symbols = symbols_load(path);
	}
	*bias = known_bias;
	return symbols;
}

uint64_t function_address(const struct options *options, const char *name)
{
	uint64_t bias, address;
	const struct symbols *symbols = program_symbols(options, &bias);
	struct closest search = {.word = name};

	if (symbols && symbols_named(symbols, name, &address))
		return address + bias;
	for (size_t i = 0; symbols && symbols_name(symbols, i); i++)
		closest_offer(&search, symbols_name(symbols, i));
	if (search.best)
		die(STATUS_OURS, "--roi: the program has no function '%s': did you mean '%s'?",
		    name, search.best);
	die(STATUS_OURS, "--roi: the program has no function '%s'; marks: its own marks", name);
}

char *function_at(const struct options *options, uint64_t address)
{
	uint64_t bias, start;
	const struct symbols *symbols = program_symbols(options, &bias);
	const char *name;

	if (!symbols || address < bias)
		return NULL;
	name = symbols_at(symbols, address - bias, &start);
	return name ? format_text("%s+0x%llx", name, (unsigned long long)(address - bias - start))
		    : NULL;
}
