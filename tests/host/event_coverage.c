/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes docs/tables/events.md: the number of libpfm4's events that each personality counts, the
 * events of other tools that are not modelled, and every row of the tables. */
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/visor_cpuid.h"
#include "emulator/visor/model/base/event_rows.h"
#include "emulator/visor/model/model.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/vendor.h"
#include "tests/host/event_lists.h"

#define RINGS_AND_ENABLE 0x530000ull
#define FIXED_EVENT      0xffull /* 0: the unit mask is a fixed counter's number, from 1 */

#define QUANTITY_NAME(name, what) #name,
static const char *const quantities[] = {CORE_QUANTITIES(QUANTITY_NAME)};

/* The source of an event by the library's name: VISOR_COUNTS_*; _UNKNOWN: there is no such name. */
static unsigned source_of(const struct personality *p, const char *spelt, bool core)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	uint64_t code, offcore[2];

	if (pfm_get_os_event_encoding(spelt, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg))
		return VISOR_COUNTS_UNKNOWN;
	code = arg.codes[0] & ~RINGS_AND_ENABLE;
	offcore[0] = offcore[1] = arg.count > 1 ? arg.codes[1] : 0;
	free(arg.codes);
	if (!(code & FIXED_EVENT) && code)
		return (code >> 8 & 0xff) <= p->fixed ? VISOR_COUNTS_SIMULATED
						      : VISOR_COUNTS_NOTHING;
	return event_meaning(p, code, offcore, core).source;
}

struct tally {
	unsigned names, core, shares;
};

static void count_name(const struct personality *p, const char *spelt, struct tally *tally)
{
	tally->names++;
	tally->core += source_of(p, spelt, true) > VISOR_COUNTS_NOTHING;
	tally->shares += source_of(p, spelt, false) > VISOR_COUNTS_NOTHING;
}

/* The event, or it with each of its unit masks. */
static void count_event(const struct personality *p, const char *library,
			const pfm_event_info_t *event, struct tally *tally)
{
	pfm_event_attr_info_t mask = {.size = sizeof(mask)};
	char spelt[256];
	bool masks = false;

	for (int i = 0; i < event->nattrs; i++) {
		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		snprintf(spelt, sizeof(spelt), "%s::%s:%s", library, event->name, mask.name);
		if (!mask.equiv)
			count_name(p, spelt, tally);
	}
	snprintf(spelt, sizeof(spelt), "%s::%s", library, event->name);
	if (!masks)
		count_name(p, spelt, tally);
}

static struct tally count_all(const struct personality *p, const char *library)
{
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
	pfm_event_info_t event = {.size = sizeof(event)};
	struct tally tally = {0, 0, 0};

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) || strcmp(pmu.name, library))
			continue;
		for (int e = pmu.first_event; e != -1; e = pfm_get_event_next(e))
			if (!pfm_get_event_info(e, PFM_OS_NONE, &event) && !event.equiv)
				count_event(p, library, &event, &tally);
	}
	return tally;
}

static void print_coverage(void)
{
	printf("| PMU | libpfm4's list | names | with a core | without |\n|---|---|---|---|---|\n");
	for (unsigned i = 0; personality_at(i); i++) {
		const struct personality *p = personality_at(i);
		const char *library = p->library;
		struct tally tally;

		if (!p->version || p->events == EVENTS_ARCH)
			continue;
		tally = count_all(p, library);
		if (!tally.names && p->library_instead)
			tally = count_all(p, library = p->library_instead);
		printf("| `%s` | %s | %u | %u | %u |\n", personality_name(p), library, tally.names,
		       tally.core, tally.shares);
	}
}

static void print_list(const struct event_list_of *list)
{
	const struct personality *p = personality_find(list->personality);
	unsigned names = 0, counted = 0;
	char spelt[256], missing[1024] = "";
	size_t used = 0;

	for (; list->events[names]; names++) {
		char *dot;

		snprintf(spelt, sizeof(spelt), "%s::%s", p->library, list->events[names]);
		dot = strchr(spelt, '.');
		if (dot)
			*dot = ':';
		if (source_of(p, spelt, true) > VISOR_COUNTS_NOTHING)
			counted++;
		else
			used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s",
						 used ? ", " : "", list->events[names]);
	}
	printf("| %s | `%s` | %u of %u | %s |\n", list->tool, list->personality, counted, names,
	       missing);
}

static void print_lists(void)
{
	printf("\n| asked for by | PMU | counted | not modelled |\n|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof(event_lists) / sizeof(event_lists[0]); i++)
		print_list(&event_lists[i]);
}

static void print_processors(const struct event *row)
{
	const char *between = "";

	for (unsigned i = 0; personality_at(i); i++) {
		const struct personality *p = personality_at(i);
		uint32_t sets = p->events | (p->efficient ? p->efficient->events : 0);

		if (!(sets & row->sets))
			continue;
		printf("%s%s", between, personality_name(p));
		between = ", ";
	}
}

static void print_row(const struct event *row)
{
	printf("| %s | %02X %02X | ", row->name, row->select, row->umask);
	print_processors(row);
	printf(" | ");
	for (unsigned i = 0; i < CORE_TERMS && row->terms[i]; i++)
		printf("%s%s", i ? " + " : "", quantities[row->terms[i]]);
	if (row->offcore != NO_OFFCORE)
		printf("by OFFCORE_RSP_%u", row->offcore);
	if (row->share)
		printf(" | %u |\n", row->share);
	else
		printf(" | |\n");
}

static void print_rows(const char *vendor, const struct event_table *table)
{
	printf("\n## %s\n\n| event | select, mask | on | counts of a core | share |\n"
	       "|---|---|---|---|---|\n",
	       vendor);
	for (unsigned i = 0; i < table->count; i++)
		print_row(&table->rows[i]);
}

int main(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	puts(
	    "# Events that the emulated PMU counts\n\n"
	    "Written by `make docs/tables/events.md` from the emulator's tables and libpfm4. The "
	    "other\n"
	    "events of a processor are `<not counted>`: nothing models them. Names are those with\n"
	    "each unit mask; many are states of lines, remote nodes or TSX, which no core has "
	    "here.\n"
	    "`core-duo` has the seven architectural events.\n");
	print_coverage();
	print_lists();
	puts("\nperf's generic events, and so `perf stat -d -d -d`, are all counted, except what\n"
	     "`tests/host/pmu/test_sources.c` lists. Quantities: `abi/core_quantities.h`. A share "
	     "is\n"
	     "the number of events in 16384 instructions where no core is simulated.");
	print_rows("Intel", &intel_events);
	print_rows("AMD", &amd_events);
	return 0;
}
