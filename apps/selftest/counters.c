/* SPDX-License-Identifier: BSD-2-Clause */
/* All counters at once: the largest group of one event that the PMU accepts. */
#include "apps/selftest/selftest.h"

#include <string.h>

#include "abi/linux/perf_event.h"

#define MOST        24
#define ITERATIONS  500000ul /* of two instructions */
#define AROUND      5000     /* instructions that starting and stopping may add */
#define PERIOD      50000
#define FIXED_FIRST 32

/* Intel's event on the fourth fixed counter, and a period that does not end here. */
#define SLOTS        0x400
#define SLOTS_PERIOD (1ul << 30)

/* Opens the largest group; it uses each counter that can count instructions. Returns its size. */
static int open_all(const struct pmu *pmu, uint64_t period, struct opened *events)
{
	struct perf_event_attr attr = event_generic(pmu, PERF_COUNT_HW_INSTRUCTIONS);
	int nr = 0;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.pinned = 1;
	while (nr < MOST && event_open(&events[nr], &attr, nr ? events[0].fd : -1)) {
		attr.pinned = attr.disabled = 0;
		nr++;
	}
	return nr;
}

static void close_all(struct opened *events, int nr)
{
	while (nr--)
		event_close(&events[nr]);
}

/* Returns the counter's bit: general counters from bit 0, fixed ones from FIXED_FIRST. */
static uint64_t counter_bit(int counter)
{
	unsigned bit = (unsigned)counter & ~(unsigned)RDPMC_FIXED;

	if (counter < 0)
		return 0;
	return 1ull << (counter & RDPMC_FIXED ? bit + FIXED_FIRST : bit);
}

/* Formats a set of counters: "0 1 2 fixed 0". */
static const char *name_counters(uint64_t set, char text[160])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned bit = 0; bit < 64; bit++)
		if (set >> bit & 1)
			used += (size_t)snprintf(text + used, 160 - used, "%s%s%u", used ? " " : "",
						 bit >= FIXED_FIRST ? "fixed " : "",
						 bit >= FIXED_FIRST ? bit - FIXED_FIRST : bit);
	return text;
}

/* Runs the loop; returns the counters of the events. */
static uint64_t run_loop(struct opened *events, int nr, uint64_t *each)
{
	uint64_t set = 0;

	event_start(&events[0]);
	counted_loop(ITERATIONS);
	for (int i = 0; i < nr; i++)
		set |= each[i] = counter_bit(event_counter(&events[i]));
	event_stop(&events[0]);
	return set;
}

/* Checks that events were scheduled on every general counter that CPUID announces. On hybrid
 * processors CPUID leaf 0AH announces the counters that both kinds have. */
static void check_general(const struct pmu *pmu, uint64_t set)
{
	uint64_t announced = (1ull << pmu->general) - 1, had = set & 0xffffffff;
	char text[160];

	if ((had & announced) == announced)
		report_check(pmu->name, "general counters", REPORT_OK, "%d of %u announced",
			     __builtin_popcountll(had), pmu->general);
	else
		report_check(pmu->name, "general counters", REPORT_WRONG,
			     "%u announced, events were given to %s", pmu->general,
			     name_counters(had, text));
}

static void check_counts(const struct pmu *pmu, struct opened *events, int nr, const uint64_t *each)
{
	uint64_t wrong = 0, low = UINT64_MAX, high = 0;
	char text[160];

	for (int i = 0; i < nr; i++) {
		uint64_t count = event_count(&events[i]);

		if (count < 2 * ITERATIONS || count > 2 * ITERATIONS + AROUND)
			wrong |= each[i];
		low = count < low ? count : low;
		high = count > high ? count : high;
	}
	if (wrong)
		report_check(pmu->name, "counts", REPORT_WRONG,
			     "of %lu instructions %llu to %llu; wrong: %s", 2 * ITERATIONS,
			     (unsigned long long)low, (unsigned long long)high,
			     name_counters(wrong, text));
	else
		report_check(pmu->name, "counts", REPORT_OK,
			     "of %lu instructions %llu to %llu, in each of %d counters",
			     2 * ITERATIONS, (unsigned long long)low, (unsigned long long)high, nr);
}

static int count_samples(const struct opened *event)
{
	uint64_t at = 0;
	uint16_t misc;
	int n = 0;

	while (event_sample(event, &at, &misc))
		n++;
	return n;
}

/* Checks that each counter wraps after PERIOD events, at the width that the driver detected, and
 * interrupts. */
static void check_pmis(const struct pmu *pmu)
{
	int expected = 2 * ITERATIONS / PERIOD, nr, low = expected, high = 0;
	struct opened events[MOST];
	uint64_t each[MOST], wrong = 0;
	char text[160];

	nr = open_all(pmu, PERIOD, events);
	if (!nr) {
		report_check(pmu->name, "PMIs", REPORT_WRONG, "no event can sample");
		return;
	}
	run_loop(events, nr, each);
	for (int i = 0; i < nr; i++) {
		int n = count_samples(&events[i]);

		if (n < expected || n > expected + 1)
			wrong |= each[i] ? each[i] : 1ull << 63;
		low = n < low ? n : low;
		high = n > high ? n : high;
	}
	close_all(events, nr);
	report_check(pmu->name, "PMIs", wrong ? REPORT_WRONG : REPORT_OK,
		     "%d periods: %d to %d samples, in each of %d counters%s%s", expected, low,
		     high, nr, wrong ? "; wrong: " : "", wrong ? name_counters(wrong, text) : "");
}

/* Checks fixed counters with other events than instructions. */
static void check_fixed(const struct pmu *pmu, uint64_t seen)
{
	static const uint64_t ids[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES};
	uint64_t announced = ((1ull << pmu->fixed) - 1) << FIXED_FIRST, silent = 0;
	char text[160];

	for (unsigned i = 0; i < 3; i++) {
		struct perf_event_attr attr = event_generic(pmu, ids[i % 2]);
		struct opened event;
		uint64_t bit;

		if (i == 2) { /* slots: sampled, lest they be worked out of other registers */
			attr.type = pmu->type;
			attr.config = SLOTS;
			attr.sample_period = SLOTS_PERIOD;
		}
		if (!event_open(&event, &attr, -1))
			continue;
		run_loop(&event, 1, &bit);
		seen |= bit;
		silent |= event_count(&event) ? 0 : bit & ~0xffffffffull;
		event_close(&event);
	}
	seen &= ~0xffffffffull;
	if (!pmu->fixed)
		report_check(pmu->name, "fixed counters", REPORT_NOT_HERE, "none announced");
	else if (silent || (seen & announced) != (announced & 0xfull << FIXED_FIRST))
		report_check(pmu->name, "fixed counters", REPORT_WRONG,
			     "%u announced, events were given to: %s%s", pmu->fixed,
			     name_counters(seen, text), silent ? "; some count nothing" : "");
	else
		report_check(pmu->name, "fixed counters", REPORT_OK, "%u", pmu->fixed);
}

void counters_check(const struct pmu *pmu)
{
	struct opened events[MOST];
	uint64_t each[MOST], set;
	int nr = open_all(pmu, 0, events);

	if (!nr) {
		report_check(pmu->name, "counts", REPORT_WRONG, "no event can be opened");
		return;
	}
	set = run_loop(events, nr, each);
	check_counts(pmu, events, nr, each);
	close_all(events, nr);
	check_general(pmu, set);
	check_fixed(pmu, set);
	check_pmis(pmu);
}
