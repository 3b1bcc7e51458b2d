/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a boot's phases, images and functions. */
#include "host/profile/table.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/text.h"
#include "host/profile/summary.h"

#define ROWS        10
#define NUMBER_SIZE 32

/* Writes a number with a comma after each third digit. */
static const char *grouped(uint64_t value, char text[NUMBER_SIZE])
{
	char *at = &text[NUMBER_SIZE - 1];
	unsigned digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + value % 10);
		value /= 10;
		digits++;
	} while (value);
	return at;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void print_phase(FILE *out, const struct profile *profile, const struct phase *phase,
			const struct summary *summary)
{
	const struct amount *amount = &phase->amount;
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE], d[NUMBER_SIZE];
	uint64_t value = amount->instructions[0] + amount->instructions[1];

	fprintf(out, " %-16.16s %9.6f %16s %16s %6.1f%%", phase->name,
		seconds(phase->end.ns - phase->start.ns), grouped(value, a),
		profile->head->timed ? grouped(amount->cycles[0] + amount->cycles[1], b) : "",
		percent(summary_waits(summary, amount), summary_value(summary, amount)));
	if (profile->head->timed)
		fprintf(out, " %12s %12s", grouped(phase->counts[COUNT_LAST_MISSES], c),
			grouped(phase->counts[COUNT_MISPREDICTED], d));
	fputc('\n', out);
}

static void print_phases(FILE *out, const struct profile *profile)
{
	const struct summary all = {.timed = profile->head->timed, .waits = true};

	fprintf(out, "\n %-16s %9s %16s %16s %7s%s\n", "phase", "seconds", "instructions",
		all.timed ? "cycles" : "", "waits", all.timed ? " cache-misses mispredicted" : "");
	for (size_t i = 0; i < profile->nr_phases; i++)
		if (phase_ran(&profile->phases[i]))
			print_phase(out, profile, &profile->phases[i], &all);
}

/* Lists the phases in which a unit spent at least a tenth of its amount. */
static char *phases_of(const struct profile *profile, const struct summary *phases,
		       const struct summary_row *row)
{
	uint64_t whole = summary_value(phases, &row->amount);
	char *text = format_text("%s", "");

	for (size_t p = 0; p < profile->nr_phases; p++)
		for (size_t i = 0; i < phases->nr; i++) {
			char *longer;

			if (phases->rows[i].phase != p || strcmp(phases->rows[i].name, row->name) ||
			    summary_value(phases, &phases->rows[i].amount) * 10 < whole)
				continue;
			longer =
			    format_text("%s%s%s", text, *text ? " " : "", profile->phases[p].name);
			free(text);
			text = longer;
		}
	return text;
}

static void print_units(FILE *out, const struct profile *profile, bool waits)
{
	struct summary units, phases;
	uint64_t whole;

	summary_make(&units, profile, SUMMARY_UNITS, waits);
	summary_make(&phases, profile, SUMMARY_PHASES, waits);
	whole = summary_value(&units, &profile->total);
	fprintf(out, "\n %-28s %16s %7s %7s  %s\n", "image",
		units.timed ? "cycles" : "instructions", "share", "waits", "phases");
	for (size_t i = 0; i < units.nr && i < ROWS; i++) {
		const struct summary_row *row = &units.rows[i];
		uint64_t value = summary_value(&units, &row->amount);
		char number[NUMBER_SIZE], *where = phases_of(profile, &phases, row);

		fprintf(out, " %-28s %16s %6.1f%% %6.1f%%  %s\n", row->name, grouped(value, number),
			percent(value, whole),
			waits ? percent(summary_waits(&units, &row->amount), value) : 0, where);
		free(where);
	}
	free(units.rows);
	free(phases.rows);
}

static void print_functions(FILE *out, const struct profile *profile, bool waits)
{
	struct summary functions;
	uint64_t whole;

	summary_make(&functions, profile, SUMMARY_FUNCTIONS, waits);
	whole = summary_value(&functions, &profile->total);
	fprintf(out, "\n %-44s %16s %7s %7s  %s\n", "function",
		functions.timed ? "cycles" : "instructions", "share", "waits", "image");
	for (size_t i = 0; i < functions.nr && i < ROWS; i++) {
		const struct summary_row *row = &functions.rows[i];
		uint64_t value = summary_value(&functions, &row->amount);
		char number[NUMBER_SIZE];

		fprintf(out, " %-44s %16s %6.1f%% %6.1f%%  %s\n", row->function,
			grouped(value, number), percent(value, whole),
			waits ? percent(summary_waits(&functions, &row->amount), value) : 0,
			row->name);
	}
	free(functions.rows);
}

void table_print(FILE *out, const struct profile *profile, bool waits)
{
	print_phases(out, profile);
	print_units(out, profile, waits);
	print_functions(out, profile, waits);
	fprintf(out, "\n%s%s\n",
		profile->head->timed ? " Cycles are a simulated core's; "
				     : " No core is simulated; ",
		profile->end ? "all of the boot is in the table." : "the recording is cut off.");
}
