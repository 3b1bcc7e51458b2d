/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu report-machine`: the table of a self-test's report.json, and its row for
 * docs/hardware.md. The file may be anybody's. */
#include "host/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/machine_report.h"
#include "host/lib/report.h"

#define TEXT_BYTES 256

static const char *const words[] = REPORT_WORDS;

/* The rest of the file, NUL-terminated. */
struct scan {
	const char *path, *at;
};

struct row {
	char processor[TEXT_BYTES], cpuid[TEXT_BYTES], pmu[TEXT_BYTES], board[TEXT_BYTES];
	int results[REPORT_RESULTS];
	bool table; /* the first check was shown */
};

static _Noreturn void fail(const struct scan *scan)
{
	die(STATUS_OURS, "'%s' is no report of a self-test: report.json of `image --self-test`",
	    scan->path);
}

/* Consumes the character if it is next. */
static bool report_machine_take(struct scan *scan, char c)
{
	scan->at += strspn(scan->at, " \t\r\n");
	if (*scan->at != c)
		return false;
	scan->at++;
	return true;
}

static void want(struct scan *scan, char c)
{
	if (!report_machine_take(scan, c))
		fail(scan);
}

/* Parses a string, and keeps only printable ASCII for the terminal. */
static void want_string(struct scan *scan, char text[TEXT_BYTES])
{
	size_t length = 0;

	want(scan, '"');
	for (; *scan->at != '"'; scan->at++) {
		if (*scan->at == '\\')
			scan->at++;
		if (!*scan->at || length + 1 == TEXT_BYTES)
			fail(scan);
		text[length++] = *scan->at >= ' ' && *scan->at <= '~' ? *scan->at : '?';
	}
	text[length] = '\0';
	scan->at++;
}

/* Parses the name of an object's member; false at the object's end. */
static bool next_member(struct scan *scan, char name[TEXT_BYTES], bool first)
{
	if (report_machine_take(scan, '}'))
		return false;
	if (!first)
		want(scan, ',');
	want_string(scan, name);
	want(scan, ':');
	return true;
}

static void show_facts(struct scan *scan, struct row *row)
{
	char name[TEXT_BYTES], text[TEXT_BYTES];

	want(scan, '{');
	for (bool first = true; next_member(scan, name, first); first = false) {
		want_string(scan, text);
		printf("%-14s %s\n", name, text);
		if (!strcmp(name, FACT_PROCESSOR))
			strcpy(row->processor, text);
		else if (!strcmp(name, FACT_CPUID))
			strcpy(row->cpuid, text);
		else if (!strcmp(name, FACT_PMU))
			strcpy(row->pmu, text);
		else if (!strcmp(name, FACT_BOARD))
			strcpy(row->board, text);
	}
}

static void show_check(struct scan *scan, struct row *row)
{
	char name[TEXT_BYTES], pmu[TEXT_BYTES] = "", check[TEXT_BYTES] = "";
	char result[TEXT_BYTES] = "", text[TEXT_BYTES] = "", other[TEXT_BYTES] = "";
	int known = REPORT_RESULTS;

	want(scan, '{');
	for (bool first = true; next_member(scan, name, first); first = false)
		want_string(scan, !strcmp(name, "pmu")      ? pmu
				  : !strcmp(name, "check")  ? check
				  : !strcmp(name, "result") ? result
				  : !strcmp(name, "says")   ? text
							    : other);
	while (known-- && strcmp(result, words[known]))
		;
	if (known < 0)
		fail(scan);
	row->results[known]++;
	printf("%s%-9s %-9s %-20s %s\n", row->table ? "" : "\n", result, pmu, check, text);
	row->table = true;
}

static void show_checks(struct scan *scan, struct row *row)
{
	want(scan, '[');
	if (report_machine_take(scan, ']'))
		return;
	do
		show_check(scan, row);
	while (report_machine_take(scan, ','));
	want(scan, ']');
}

/* Escapes the bar, which would end the cell. */
static void put_cell(const char *text)
{
	fputs("| ", stdout);
	for (; *text; text++)
		putchar(*text == '|' ? '/' : *text);
	putchar(' ');
}

static void show_row(const struct row *row)
{
	printf("\nSelf-test: %d ok, %d not here, %d WRONG\n\nIts row for docs/hardware.md:\n\n",
	       row->results[REPORT_OK], row->results[REPORT_NOT_HERE], row->results[REPORT_WRONG]);
	put_cell(row->processor);
	put_cell(row->cpuid);
	put_cell(row->board);
	put_cell(row->pmu);
	printf("| %d | %d | %d |\n", row->results[REPORT_OK], row->results[REPORT_NOT_HERE],
	       row->results[REPORT_WRONG]);
}

int show_machine_report(char **arguments)
{
	struct scan scan = {.path = arguments[0]};
	char name[TEXT_BYTES], text[TEXT_BYTES];
	struct row row = {.table = false};
	struct buffer file;

	if (!arguments[0] || arguments[1])
		die(STATUS_OURS, "report-machine wants the report.json of one self-test");
	file = read_file(arguments[0]);
	buffer_append(&file, "", 1);
	scan.at = (const char *)file.bytes;
	want(&scan, '{');
	for (bool first = true; next_member(&scan, name, first); first = false) {
		if (first) {
			want_string(&scan, text);
			if (strcmp(name, "format") || strcmp(text, REPORT_FORMAT))
				fail(&scan);
		} else if (!strcmp(name, "machine")) {
			show_facts(&scan, &row);
		} else if (!strcmp(name, "checks")) {
			show_checks(&scan, &row);
		} else {
			fail(&scan);
		}
	}
	show_row(&row);
	free(file.bytes);
	return 0;
}
