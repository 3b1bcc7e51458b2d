/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage in lcov's format (geninfo(1), "TRACEFILE FORMAT"). Lines come from addr2line of
 * binutils, which runs once for each symbol file and reads the addresses of all executed
 * instructions.
 */
#include "host/profile/lcov.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/lib/array.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/results.h"

#define LINE_SIZE 4096

struct ran {
	char *file;
	unsigned line;
	uint64_t runs;
};

struct lines {
	struct ran *ran;
	size_t nr;
};

static void add_line(struct lines *lines, const char *file, unsigned line, uint64_t runs)
{
	lines->ran = array_grow(lines->ran, lines->nr, sizeof(*lines->ran));
	lines->ran[lines->nr++] = (struct ran){format_text("%s", file), line, runs};
}

/* Writes the linked addresses of all executed instructions of a unit, a line each. */
static void put_addresses(FILE *to, const struct profile *profile, const struct unit *unit)
{
	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		uint64_t at;

		if (block->unit != unit || (!block->runs[0] && !block->runs[1]))
			continue;
		at = block->record->start - unit->bias;
		for (unsigned n = 0; n < block->record->instructions; at += block->lengths[n++])
			fprintf(to, "%llx\n", (unsigned long long)at);
	}
}

/* Takes a line of addr2line's: FILE:LINE, perhaps with a discriminator. */
static void take_answer(struct lines *lines, char *text, uint64_t runs)
{
	char *colon;

	text[strcspn(text, "\n")] = '\0';
	text[strcspn(text, " ")] = '\0';
	colon = strrchr(text, ':');
	if (!colon || *text == '?' || strtoul(colon + 1, NULL, 10) == 0)
		return;
	*colon = '\0';
	add_line(lines, text, (unsigned)strtoul(colon + 1, NULL, 10), runs);
}

static void take_answers(struct lines *lines, FILE *from, const struct profile *profile,
			 const struct unit *unit)
{
	char text[LINE_SIZE];

	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];

		if (block->unit != unit || (!block->runs[0] && !block->runs[1]))
			continue;
		for (unsigned n = 0; n < block->record->instructions; n++)
			if (fgets(text, sizeof(text), from))
				take_answer(lines, text, block->runs[0] + block->runs[1]);
	}
}

/* Starts addr2line on the unit's file; it reads `in`. Returns its output. */
static FILE *start_addr2line(const char *file, int in, pid_t *pid)
{
	int ends[2];

	if (pipe(ends))
		die(STATUS_OURS, "cannot make a pipe: %s", strerror(errno));
	*pid = fork();
	if (!*pid) {
		dup2(in, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		execlp("addr2line", "addr2line", "-e", file, NULL);
		_exit(STATUS_NOT_FOUND);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void take_unit(struct lines *lines, const struct profile *profile, const struct unit *unit)
{
	int fd = memfd_create("barepmu-addresses", MFD_CLOEXEC), status;
	FILE *addresses = fdopen(fd, "w+"), *answers;
	pid_t pid;

	if (!addresses)
		die(STATUS_OURS, "out of memory");
	put_addresses(addresses, profile, unit);
	rewind(addresses);
	answers = start_addr2line(unit->file, fd, &pid);
	take_answers(lines, answers, profile, unit);
	fclose(answers);
	fclose(addresses);
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == STATUS_NOT_FOUND)
		die(STATUS_OURS, "--lcov needs addr2line: install binutils");
}

static int by_place(const void *a, const void *b)
{
	const struct ran *left = a, *right = b;
	int order = strcmp(left->file, right->file);

	return order ? order : (left->line > right->line) - (left->line < right->line);
}

/* A line that is in several blocks ran as often as the most frequent of them. */
static size_t put_lines(FILE *out, struct lines *lines)
{
	size_t distinct = 0;

	for (size_t i = 0; i < lines->nr;) {
		const char *file = lines->ran[i].file;

		fprintf(out, "TN:boot\nSF:%s\n", file);
		while (i < lines->nr && !strcmp(lines->ran[i].file, file)) {
			unsigned line = lines->ran[i].line;
			uint64_t runs = 0;

			for (; i < lines->nr && lines->ran[i].line == line &&
			       !strcmp(lines->ran[i].file, file);
			     i++)
				runs = lines->ran[i].runs > runs ? lines->ran[i].runs : runs;
			fprintf(out, "DA:%u,%llu\n", line, (unsigned long long)runs);
			distinct++;
		}
		fputs("end_of_record\n", out);
	}
	return distinct;
}

size_t lcov_write(const struct profile *profile, const char *path)
{
	struct lines lines = {NULL, 0};
	FILE *out = results_open(path);
	size_t distinct;

	if (!out)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	for (size_t i = 0; i < profile->nr_units; i++)
		if (profile->units[i]->file)
			take_unit(&lines, profile, profile->units[i]);
	if (lines.nr)
		qsort(lines.ran, lines.nr, sizeof(*lines.ran), by_place);
	distinct = put_lines(out, &lines);
	if (!results_close(out))
		die(STATUS_OURS, "cannot write all of '%s': %s", path, strerror(errno));
	return distinct;
}
