/* SPDX-License-Identifier: BSD-2-Clause */
/* Accuracy of samples: their distance from the counted instruction, and the recorded branches. */
#include "apps/selftest/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "abi/linux/perf_event.h"

#define ROUNDS       16
#define SKID_PERIOD  3000 /* ends inside of skid_block */
#define CHAIN_ROUNDS 20000
#define CHAIN_PERIOD 9973

/* Returns how many of the block's instructions are before the one at `offset`. */
static long instructions_before(uint64_t offset)
{
	return (long)(offset / SKID_UNIT_BYTES * SKID_UNIT + offset % SKID_UNIT_BYTES);
}

/* Takes one sample of a run through the block: *skid is its distance, in instructions, from the one
 * that ended the period. False: no sample, or outside of the block. */
static bool measure_once(struct perf_event_attr *attr, long *skid, bool *exact)
{
	struct opened event;
	const uint64_t *sample;
	uint64_t value = 0, at = 0;
	uint16_t misc = 0;
	long place = -1;
	int counter;

	if (!event_open(&event, attr, -1))
		return false;
	event_start(&event);
	counter = event_counter(&event);
	if (counter >= 0)
		value = skid_block((unsigned)counter);
	event_stop(&event);
	sample = event_sample(&event, &at, &misc);
	if (sample && *sample >= (uint64_t)skid_first && *sample <= (uint64_t)skid_end)
		place = instructions_before(*sample - (uint64_t)skid_first);
	/* The counter counts up to 2^width; the difference is the rest of the period. */
	value = -value & ((1ull << event.page->pmc_width) - 1);
	*skid = place - (long)(value - SKID_BETWEEN);
	*exact = misc & PERF_RECORD_MISC_EXACT_IP;
	event_close(&event);
	return place >= 0;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void check_skid(const struct pmu *pmu, unsigned precise)
{
	static const char *const names[] = {"skid", "skid, precise 1", "skid, precise 2",
					    "skid, precise 3"};
	struct perf_event_attr attr = event_generic(pmu, PERF_COUNT_HW_INSTRUCTIONS);
	long skids[ROUNDS];
	bool exact, all_exact = true;

	attr.sample_period = SKID_PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.precise_ip = precise;
	attr.wakeup_events = 1; /* records that wait in a buffer have no counter to read */
	for (int i = 0; i < ROUNDS; i++) {
		if (!measure_once(&attr, &skids[i], &exact)) {
			report_check(pmu->name, names[precise], REPORT_WRONG,
				     "no sample where the period ended");
			return;
		}
		all_exact &= exact;
	}
	qsort(skids, ROUNDS, sizeof(*skids), compare);
	/* With precise_ip 2 the address is the instruction's own, not the next one's. */
	if (skids[0] < (precise >= 2 ? -1 : 0) || (precise >= 2 && !all_exact))
		report_check(pmu->name, names[precise], REPORT_WRONG,
			     "%ld to %ld instructions, median %ld%s", skids[0], skids[ROUNDS - 1],
			     skids[ROUNDS / 2], all_exact ? "" : ", not marked exact");
	else
		report_check(pmu->name, names[precise], REPORT_OK,
			     "%ld to %ld instructions, median %ld", skids[0], skids[ROUNDS - 1],
			     skids[ROUNDS / 2]);
}

/* Returns the branch's index in the chain; -1: not in it, -2: its target is wrong. */
static int find_pair(const struct perf_branch_entry *entry)
{
	for (uint64_t i = 0; i < chain_nr; i++)
		if (chain_pairs[i].from == entry->from)
			return chain_pairs[i].to == entry->to ? (int)i : -2;
	return -1;
}

/* Counts branches of the chain; false: one is wrong, or they do not connect. */
static bool check_stack(const uint64_t *stack, unsigned *found, unsigned *deepest)
{
	const struct perf_branch_entry *entries = (const struct perf_branch_entry *)(stack + 1);
	int later = -1;

	*deepest = *stack > *deepest ? (unsigned)*stack : *deepest;
	for (uint64_t i = 0; i < *stack; i++) { /* the last one first */
		int place = find_pair(&entries[i]);

		if (place == -2 ||
		    (place >= 0 && later >= 0 && (place + 1) % (int)chain_nr != later))
			return false;
		*found += place >= 0;
		later = place;
	}
	return true;
}

static void check_branches(const struct pmu *pmu)
{
	struct perf_event_attr attr = event_generic(pmu, PERF_COUNT_HW_INSTRUCTIONS);
	unsigned found = 0, deepest = 0, samples = 0;
	const uint64_t *sample;
	struct opened event;
	uint64_t at = 0;
	uint16_t misc;
	bool good = true;

	attr.sample_period = CHAIN_PERIOD;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	if (!pmu->branches || !event_open(&event, &attr, -1)) {
		report_check(pmu->name, "branch records",
			     pmu->branches ? REPORT_WRONG : REPORT_NOT_HERE,
			     pmu->branches ? "%u announced, but no event can have them" : "none",
			     pmu->branches);
		return;
	}
	event_start(&event);
	branch_chain(CHAIN_ROUNDS);
	event_stop(&event);
	while ((sample = event_sample(&event, &at, &misc))) {
		good &= check_stack(sample, &found, &deepest);
		samples++;
	}
	event_close(&event);
	report_check(pmu->name, "branch records", good && found ? REPORT_OK : REPORT_WRONG,
		     "%u of known jumps in %u samples of up to %u%s", found, samples, deepest,
		     good ? "" : ", some to wrong addresses or in a wrong order");
}

void sampling_check(const struct pmu *pmu)
{
	for (unsigned precise = 0; precise <= pmu->precise && precise <= 3; precise++)
		check_skid(pmu, precise);
	if (!pmu->precise)
		report_check(pmu->name, "precise samples", REPORT_NOT_HERE, "none");
	check_branches(pmu);
}
