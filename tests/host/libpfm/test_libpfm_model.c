/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulator's event tables, row by row, against an independent one: libpfm4's names and codes.
 * The driver's tables, which must not share a mistake with them, are test_libpfm*.c's. */
#include <string.h>

#include "emulator/visor/model/base/event_rows.h"
#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"
#include "tests/host/libpfm/libpfm.h"

#define OTHER  (EVTSEL_EDGE | EVTSEL_ANY | EVTSEL_INV | EVTSEL_CMASK)
#define CHOSEN (CODE | OTHER)

static const struct {
	const struct event_table *events;
	const struct vendor *vendor;
	const char *file;
} tables[] = {
    {&intel_events, &vendor_intel, "emulator/visor/model/intel/intel_events.c"},
    {&amd_events, &vendor_amd, "emulator/visor/model/amd/amd_events.c"},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* The selection that the row is about. */
static uint64_t code_of(const struct event *row)
{
	return (row->select & 0xffu) | (uint64_t)(row->select & 0xf00u) << 24 |
	       (uint64_t)row->umask << 8 | row->other;
}

/* "EVENT.MASK+MASK" of processor `pmu` in the library's spelling: "pmu::EVENT:MASK:MASK". */
static void spell(const char *pmu, const char *name, char *spelt, size_t size)
{
	size_t length = (size_t)snprintf(spelt, size, "%s::%s", pmu, name);
	char *dot = strchr(spelt, '.');

	assert_true(length < size);
	for (char *c = dot; c && *c; c++)
		if (c == dot || *c == '+')
			*c = ':';
}

/* Whether the library knows the name, and by which code. */
static bool known(const char *pmu, const char *name, uint64_t *code)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	char spelt[256];

	spell(pmu, name, spelt, sizeof(spelt));
	if (pfm_get_os_event_encoding(spelt, PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS)
		return false;
	*code = arg.codes[0] & CHOSEN;
	free(arg.codes);
	return true;
}

/* True if the library's code is the row's, or a fixed counter's, which has event 0 (later versions
 * of the library): rows are of the general counters. */
static bool agrees(uint64_t code, const struct event *row)
{
	return code == code_of(row) || !(code & 0xff);
}

/* True if the processor has another row of that name, with the library's code: some events have a
 * code of their own for precise samples, by which the library knows the name. */
static bool has_code(const struct event_table *table, const struct personality *p, const char *name,
		     uint64_t code)
{
	for (unsigned i = 0; i < table->count; i++)
		if ((table->rows[i].sets & p->events) && !strcmp(table->rows[i].name, name) &&
		    agrees(code, &table->rows[i]))
			return true;
	return false;
}

/* The library's names of the processors that have the row: how many of them know it by its code. */
static int processors_that_know(const struct event *row, const struct event_table *table,
				const char *file)
{
	const struct personality *p;
	int count = 0;
	uint64_t code;

	for (unsigned i = 0; (p = personality_at(i)); i++) {
		if (!(p->events & row->sets) || !p->library || !known(p->library, row->name, &code))
			continue;
		if (agrees(code, row))
			count++;
		else if (row->origin == LIST && !has_code(table, p, row->name, code))
			fail_msg("%s: row %s is %llx, but libpfm's %s has %llx", file, row->name,
				 (unsigned long long)code_of(row), p->library,
				 (unsigned long long)code);
	}
	return count;
}

static void names_and_codes_agree(void **state)
{
	(void)state;
	for (size_t t = 0; t < TABLES; t++)
		for (unsigned i = 0; i < tables[t].events->count; i++) {
			const struct event *row = &tables[t].events->rows[i];
			int count = processors_that_know(row, tables[t].events, tables[t].file);

			if (row->origin == LIST && !count)
				fail_msg("%s: row %s: no processor of libpfm's has that name",
					 tables[t].file, row->name);
			/* Later versions of the library may have PERFMON's. */
			if (row->origin == LINUX && count)
				fail_msg("%s: row %s: libpfm has it, so its origin is LIST",
					 tables[t].file, row->name);
		}
}

/* Two rows for one selection of one processor: only the first would ever count. */
static void rows_are_unique(void **state)
{
	(void)state;
	for (size_t t = 0; t < TABLES; t++)
		for (unsigned i = 0; i < tables[t].events->count; i++)
			for (unsigned j = 0; j < i; j++) {
				const struct event *a = &tables[t].events->rows[j],
						   *b = &tables[t].events->rows[i];

				if (a->sets & b->sets && code_of(a) == code_of(b))
					fail_msg("%s: rows %s and %s are the same selection",
						 tables[t].file, a->name, b->name);
			}
}

/* A row says what is counted, with a core or without one; and CMASK is compared with something. */
static void rows_count_something(void **state)
{
	(void)state;
	for (size_t t = 0; t < TABLES; t++)
		for (unsigned i = 0; i < tables[t].events->count; i++) {
			const struct event *row = &tables[t].events->rows[i];

			if (!row->terms[0] && !row->share && row->offcore == NO_OFFCORE)
				fail_msg("%s: row %s counts nothing", tables[t].file, row->name);
			if (row->burst == IN_CYCLES && row->terms[1])
				fail_msg("%s: row %s sums up cycles of several kinds",
					 tables[t].file, row->name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_and_codes_agree),
	    cmocka_unit_test(rows_are_unique),
	    cmocka_unit_test(rows_count_something),
	};

	if (!libpfm_start())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
