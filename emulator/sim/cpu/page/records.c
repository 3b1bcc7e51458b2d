/* SPDX-License-Identifier: BSD-2-Clause */
/* Intel SDM vol. 3, "Last Branch, Interrupt, and Exception Recording": filters, stacks of calls. */
#include "emulator/sim/cpu/page/records.h"

#define MOST_CYCLES UINT16_MAX

static bool passes(const struct core_filter *filter, const struct core_branch *branch)
{
	return (filter->kinds >> branch->kind & 1) && (filter->rings >> branch->ring & 1);
}

/* A call to the next instruction only reads the instruction pointer. */
static bool is_call(const struct core_branch *branch)
{
	return branch->to != branch->from + branch->length;
}

static void drop_newest(struct records *records)
{
	if (!records->nr)
		return;
	records->nr--;
	records->position--;
	records->next = (records->next + CORE_RECORDS - 1) % CORE_RECORDS;
}

void records_add(struct records *records, const struct core_filter *filter,
		 struct core_branch branch, uint64_t cycles)
{
	uint64_t since = cycles - records->cycles;

	if (!passes(filter, &branch))
		return;
	if (filter->calls) {
		if (branch.kind == CORE_BRANCH_RETURN) {
			drop_newest(records);
			return;
		}
		if (!is_call(&branch))
			return;
	}
	branch.cycles = (uint16_t)(since < MOST_CYCLES ? since : MOST_CYCLES);
	records->cycles = cycles;
	records->entries[records->next] = branch;
	records->next = (records->next + 1) % CORE_RECORDS;
	records->position++;
	if (records->nr < CORE_RECORDS)
		records->nr++;
}

void records_load(struct records *records, const struct core_branch *branches, unsigned nr,
		  uint32_t position)
{
	records->position = position;
	if (nr > CORE_RECORDS)
		nr = 0;
	for (unsigned i = 0; i < nr; i++)
		records->entries[i] = branches[i];
	records->nr = nr;
	records->next = nr % CORE_RECORDS;
}

unsigned records_copy(const struct records *records, struct core_branch out[CORE_RECORDS])
{
	unsigned first = records->next + CORE_RECORDS - records->nr;

	for (unsigned i = 0; i < records->nr; i++)
		out[i] = records->entries[(first + i) % CORE_RECORDS];
	return records->nr;
}
