/* SPDX-License-Identifier: BSD-2-Clause */
/* Assembles text by nasm, from and into files in memory; its complaints go to the user as they
 * are. */
#include "host/bench/assemble.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/machine.h"

/* The source before the text. It defines PTR, which nasm lacks but much published code has, as
 * nothing. */
static const char prologue[] = "bits 64\ndefault rel\n%%idefine ptr\n%%line 0+1 %s\n";
#define PROLOGUE_LINES 4

static void append_text(struct buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

/* Appends a NOP of N bytes: nanoBench's |N. */
static void append_nop(struct buffer *to, const char *number)
{
	int bytes = atoi(number);

	if (bytes < 1 || bytes > 15)
		die(STATUS_OURS, "|N is a NOP of 1 to 15 bytes, not '|%s'", number);
	append_text(to, "db ");
	for (int i = 1; i < bytes; i++)
		append_text(to, "66h, ");
	append_text(to, "90h");
}

/* Turns the semicolons that end statements on the command line into newlines: nasm would take them
 * for comments. Quoted ones stay. */
static struct buffer statements(const char *text)
{
	struct buffer out = {NULL, 0, 0};
	bool begins = true;
	char quote = 0;

	for (; *text; text++) {
		if (begins && *text == '|' && isdigit((unsigned char)text[1])) {
			append_nop(&out, text + 1);
			text += strspn(text + 1, "0123456789");
			continue;
		}
		begins = (*text == ';' && !quote) || *text == '\n' || (begins && *text == ' ');
		if (quote)
			quote = *text == quote ? 0 : quote;
		else if (strchr("'\"`", *text))
			quote = *text;
		buffer_append(&out, *text == ';' && !quote ? "\n" : text, 1);
	}
	return out;
}

static struct buffer source_of(const char *option, const char *text)
{
	struct buffer source = {NULL, 0, 0}, body;
	char *head = format_text(prologue, *text == '@' ? text + 1 : option);

	body = *text == '@' ? read_file(text + 1) : statements(text);
	append_text(&source, head);
	buffer_append(&source, body.bytes, body.size);
	append_text(&source, "\n");
	free(head);
	free(body.bytes);
	return source;
}

static int empty_file(void)
{
	int fd = memfd_create("nasm", 0);

	if (fd < 0)
		die(STATUS_OURS, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

static struct buffer take_file(int fd)
{
	struct buffer content = {NULL, 0, 0};
	char bytes[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		buffer_append(&content, bytes, (size_t)n);
	buffer_append(&content, "", 1);
	content.size--;
	close(fd);
	return content;
}

static _Noreturn void become_nasm(int source, int code, int listing, int errors, const char *define)
{
	char *input = format_text("/proc/self/fd/%d", source);
	char *output = format_text("/proc/self/fd/%d", code);
	char *list = format_text("/proc/self/fd/%d", listing);

	dup2(errors, STDERR_FILENO);
	dup2(errors, STDOUT_FILENO);
	/* nasm takes an unknown word for a label: a misspelt MFENCE would generate no code. */
	execlp("nasm", "nasm", "-w+error=orphan-labels", "-f", "bin", "-o", output, "-l", list,
	       define, input, (char *)NULL);
	_exit(STATUS_NOT_FOUND);
}

/* Prints line `number` of the source, after the prologue of four lines. */
static void print_source_line(const struct buffer *source, unsigned long number)
{
	const char *line = (const char *)source->bytes, *end = line + source->size;

	for (number += PROLOGUE_LINES - 1; number && line < end; number--) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : end;
	}
	if (line < end)
		fprintf(stderr, "barepmu:   | %.*s\n", (int)strcspn(line, "\n"), line);
}

/* True for a repeated warning: TIMES repeats one, and a sweep assembles the text for each point. */
static bool was_printed(const char *warning)
{
	static char *last;
	bool again = last && !strcmp(last, warning);

	free(last);
	last = format_text("%s", warning);
	return again;
}

/* Prints nasm's messages "NAME:LINE: error: ..." or "warning", each with the source line. */
static void print_warnings(char *output, const struct buffer *source)
{
	for (char *line; (line = strsep(&output, "\n"));) {
		char *error = strstr(line, ": error: "), *warning = strstr(line, ": warning: ");
		char *colon = error ? error : warning;
		unsigned long number = 0;

		if (!*line || (warning && was_printed(line)))
			continue;
		fprintf(stderr, "barepmu: %s\n", line);
		while (colon && colon > line && isdigit((unsigned char)colon[-1]))
			colon--;
		if (colon)
			number = strtoul(colon, NULL, 10);
		if (number)
			print_source_line(source, number);
	}
}

/* Prints nasm's messages, and dies of errors. */
static void check_nasm(pid_t pid, int errors, const struct buffer *source)
{
	struct buffer output;
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	output = take_file(errors);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
		die(STATUS_OURS, "bench --asm and --init need nasm: install the package nasm");
	output.bytes[output.size - (output.size && output.bytes[output.size - 1] == '\n')] = '\0';
	if (!status) {
		print_warnings((char *)output.bytes, source);
		free(output.bytes);
		return;
	}
	if (!output.size)
		die(STATUS_OURS, "nasm failed");
	print_warnings((char *)output.bytes, source);
	exit(STATUS_OURS);
}

/* Parses a line of the listing: "NUMBER OFFSET BYTES TEXT". */
static void add_line(struct buffer *lines, const char *line)
{
	unsigned long offset;
	int bytes = 0, text = 0;
	char *entry;

	if (sscanf(line, "%*d %8lx %n%*s %n", &offset, &bytes, &text) != 1 || !text ||
	    !line[text] || line[text] == '\n')
		return;
	entry = format_text("%lx %.*s\n", offset, (int)strcspn(line + text, "\n"), line + text);
	append_text(lines, entry);
	free(entry);
}

static struct buffer lines_of(int listing)
{
	struct buffer text = take_file(listing), lines = {NULL, 0, 0};

	for (char *rest = (char *)text.bytes, *line; (line = strsep(&rest, "\n"));)
		add_line(&lines, line);
	free(text.bytes);
	return lines;
}

struct buffer assemble(const char *option, const char *text, const char *define,
		       struct buffer *lines)
{
	struct buffer source = source_of(option, text);
	int input = memory_file(&source), code = empty_file(), listing = empty_file(),
	    errors = empty_file();
	pid_t pid;

	input = dup(input); /* nasm inherits it */
	pid = fork();
	if (pid < 0)
		die(STATUS_OURS, "cannot start nasm: %s", strerror(errno));
	if (!pid)
		become_nasm(input, code, listing, errors, define);
	close(input);
	check_nasm(pid, errors, &source);
	free(source.bytes);
	*lines = lines_of(listing);
	return take_file(code);
}
