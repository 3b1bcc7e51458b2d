/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: facts and checks, as a table for people and as JSON for `barepmu report-machine`. */
#include "apps/selftest/selftest.h"

#include <stdarg.h>
#include <string.h>

#include "apps/lib/json.h"

#define MOST 64

static const char *const words[] = REPORT_WORDS;

static struct {
	const char *name;
	char text[160];
} facts[MOST];

static struct {
	const char *pmu, *check;
	enum report_result result;
	char text[200];
} checks[MOST];

static int nr_facts, nr_checks;

void report_fact(const char *name, const char *format, ...)
{
	va_list arguments;

	if (nr_facts == MOST)
		return;
	facts[nr_facts].name = name;
	va_start(arguments, format);
	vsnprintf(facts[nr_facts].text, sizeof(facts[0].text), format, arguments);
	va_end(arguments);
	nr_facts++;
}

void report_check(const char *pmu, const char *check, enum report_result result, const char *format,
		  ...)
{
	va_list arguments;

	if (nr_checks == MOST)
		return;
	checks[nr_checks].pmu = pmu;
	checks[nr_checks].check = check;
	checks[nr_checks].result = result;
	va_start(arguments, format);
	vsnprintf(checks[nr_checks].text, sizeof(checks[0].text), format, arguments);
	va_end(arguments);
	nr_checks++;
}

int report_count(enum report_result result)
{
	int n = 0;

	for (int i = 0; i < nr_checks; i++)
		n += checks[i].result == result;
	return n;
}

void report_text(FILE *to)
{
	for (int i = 0; i < nr_facts; i++)
		fprintf(to, "%-14s %s\n", facts[i].name, facts[i].text);
	fputc('\n', to);
	for (int i = 0; i < nr_checks; i++)
		fprintf(to, "%-9s %-9s %-20s %s\n", words[checks[i].result], checks[i].pmu,
			checks[i].check, checks[i].text);
	fprintf(to, "\nSelf-test: %d ok, %d not here, %d WRONG\n", report_count(REPORT_OK),
		report_count(REPORT_NOT_HERE), report_count(REPORT_WRONG));
}

static void put_member(FILE *to, const char *name, const char *text, const char *after)
{
	json_quoted(to, name);
	fputs(": ", to);
	json_quoted(to, text);
	fputs(after, to);
}

void report_json(FILE *to)
{
	fputs("{\n", to);
	put_member(to, "format", REPORT_FORMAT, ",\n\"machine\": {\n");
	for (int i = 0; i < nr_facts; i++)
		put_member(to, facts[i].name, facts[i].text, i + 1 < nr_facts ? ",\n" : "\n");
	fputs("},\n\"checks\": [\n", to);
	for (int i = 0; i < nr_checks; i++) {
		fputc('{', to);
		put_member(to, "pmu", checks[i].pmu, ", ");
		put_member(to, "check", checks[i].check, ", ");
		put_member(to, "result", words[checks[i].result], ", ");
		put_member(to, "says", checks[i].text, i + 1 < nr_checks ? "},\n" : "}\n");
	}
	fputs("]\n}\n", to);
}
