/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up exact amounts by phase, unit and function. */
#include "host/profile/summary.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/text.h"

uint64_t summary_value(const struct summary *summary, const struct amount *amount)
{
	const uint64_t *value = summary->timed ? amount->cycles : amount->instructions;

	return summary->waits ? value[0] + value[1] : value[0];
}

uint64_t summary_waits(const struct summary *summary, const struct amount *amount)
{
	return summary->timed ? amount->cycles[1] : amount->instructions[1];
}

static void add_amount(struct amount *to, const struct amount *from)
{
	for (unsigned w = 0; w < 2; w++) {
		to->instructions[w] += from->instructions[w];
		to->cycles[w] += from->cycles[w];
	}
}

/* ---- rows ---- */

static size_t unit_rows(struct summary_row *rows, const struct profile *profile, bool phases)
{
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_units; i++) {
		const struct unit *unit = profile->units[i];

		if (!unit->phases)
			continue;
		if (!phases)
			rows[nr++] = (struct summary_row){SIZE_MAX, unit->name, NULL, unit->total};
		for (size_t p = 0; phases && p < profile->nr_phases; p++)
			if (unit->phases[p].instructions[0] || unit->phases[p].instructions[1])
				rows[nr++] =
				    (struct summary_row){p, unit->name, NULL, unit->phases[p]};
	}
	return nr;
}

static size_t function_rows(struct summary_row *rows, const struct profile *profile)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		const struct symbol *symbol;
		struct summary_row *row = &rows[nr];

		if (!block->unit || (!block->runs[0] && !block->runs[1]))
			continue;
		symbol = unit_find(block->unit, block->record->start);
		*row = (struct summary_row){
		    SIZE_MAX, block->unit->name, symbol ? symbol->name : "?", {{0, 0}, {0, 0}}};
		for (unsigned w = 0; w < 2; w++) {
			row->amount.instructions[w] = block->runs[w] * block_length(block);
			row->amount.cycles[w] = block->cycles[w];
		}
		nr++;
	}
	return nr;
}

static int by_name(const void *a, const void *b)
{
	const struct summary_row *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (!order && left->function)
		order = strcmp(left->function, right->function);
	return order ? order : (left->phase > right->phase) - (left->phase < right->phase);
}

static void merge(struct summary *summary)
{
	size_t nr = 0;

	qsort(summary->rows, summary->nr, sizeof(*summary->rows), by_name);
	for (size_t i = 0; i < summary->nr; i++)
		if (nr && !by_name(&summary->rows[nr - 1], &summary->rows[i]))
			add_amount(&summary->rows[nr - 1].amount, &summary->rows[i].amount);
		else
			summary->rows[nr++] = summary->rows[i];
	summary->nr = nr;
}

static int by_value(const void *a, const void *b, void *summary)
{
	const struct summary_row *left = a, *right = b;
	uint64_t x = summary_value(summary, &left->amount),
		 y = summary_value(summary, &right->amount);

	return x != y ? (x < y ? 1 : -1) : by_name(a, b);
}

void summary_make(struct summary *summary, const struct profile *profile, enum summary_kind kind,
		  bool waits)
{
	size_t room = kind == SUMMARY_FUNCTIONS ? profile->nr_blocks
		      : kind == SUMMARY_UNITS   ? profile->nr_units
						: profile->nr_units * profile->nr_phases;

	*summary = (struct summary){.rows = allocate((room + 1) * sizeof(*summary->rows)),
				    .timed = profile->head->timed,
				    .waits = waits};
	summary->nr = kind == SUMMARY_FUNCTIONS
			  ? function_rows(summary->rows, profile)
			  : unit_rows(summary->rows, profile, kind == SUMMARY_PHASES);
	merge(summary);
	qsort_r(summary->rows, summary->nr, sizeof(*summary->rows), by_value, summary);
}
