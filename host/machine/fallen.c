/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports a program that a signal ended: as a shell does, with -v also the place. */
#include "host/machine/fallen.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/symbols/symbols.h"
#include "host/image/program.h"

/* Returns the function at an offset of the file, or NULL. The name comes from the machine: only the
 * program and the system's libraries are read. */
static const char *function_at(const struct options *options, const char *path, uint64_t offset)
{
	struct program program = find_program(options);
	bool ours = program.place && !strcmp(program.place, path);
	bool system = !strncmp(path, "/usr/lib/", 9) || !strncmp(path, "/lib", 4);
	struct symbols *symbols = NULL;

	if (ours || (system && !strstr(path, "..")))
		symbols = symbols_load(ours ? program.host : path);
	return symbols ? symbols_find(symbols, offset) : NULL;
}

/* Prints " at ADDRESS (FUNCTION in FILE), ADDRESS accessed" for the kernel's "RIP ADDRESS
 * FILE+OFFSET". */
static void report_where(const struct options *options, const char *text)
{
	char path[sizeof(((struct results *)0)->text)], *plus;
	uint64_t rip, address;
	const char *function;
	int end = 0;

	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %n", &rip, &address, &end) < 2 || !end)
		return;
	fprintf(stderr, " at 0x%" PRIx64, rip);
	strcpy(path, text + end);
	plus = strrchr(path, '+');
	if (plus) {
		*plus = '\0';
		function = function_at(options, path, strtoull(plus + 1, NULL, 16));
		if (function)
			fprintf(stderr, " (%s in %s)", function, path);
	}
	if (address != UINT64_MAX && address != rip)
		fprintf(stderr, ", of address 0x%" PRIx64, address);
}

void fallen_report(const struct options *options, const struct results *results)
{
	int signo = results->status - 128;

	if (options->verbosity < 1 && (signo == SIGINT || signo == SIGPIPE))
		return; /* Ctrl-C, and a reader that went away */
	fputs(strsignal(signo), stderr);
	if (options->verbosity > 0)
		report_where(options, results->text);
	fputc('\n', stderr);
}
