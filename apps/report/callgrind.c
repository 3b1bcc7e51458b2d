/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes Valgrind's "Callgrind Format Specification", version 1, from samples. */
#include "apps/report/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "apps/lib/workload.h"
#include "apps/report/memory.h"
#include "apps/report/places/places.h"
#include "apps/report/tree.h"

/* Events of one instruction: its own, or the events of the function that it called. */
struct cost {
	struct place at;
	uint64_t address;            /* of the instruction, as linked */
	const char *callee, *object; /* NULL: its own events */
	uint64_t target;             /* of the callee's first instruction, as linked */
	uint64_t period, calls;
};

struct costs {
	struct cost *list;
	size_t nr, room;
};

static struct cost *add_cost(struct costs *costs)
{
	if (costs->nr == costs->room) {
		costs->room = costs->room ? 2 * costs->room : 1024;
		costs->list = report_grow(costs->list, costs->room * sizeof(*costs->list));
	}
	return &costs->list[costs->nr++];
}

static int by_text(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Returns the full path of the file with the code, or what stands for it. */
static const char *object_of(const struct place *place)
{
	return place->path ? place->path : place->file;
}

static int by_site(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;
	int order = by_text(object_of(&a->at), object_of(&b->at));

	order = order ? order : by_text(a->at.function, b->at.function);
	order = order ? order : by_number(a->address, b->address);
	order = order ? order : by_text(a->callee, b->callee);
	return order ? order : by_text(a->object, b->object);
}

/* True if the last `nr` costs already have this call: a recursion counts once in a sample. */
static bool is_counted(const struct costs *costs, size_t nr, const struct cost *cost)
{
	for (size_t i = costs->nr - nr; i < costs->nr; i++)
		if (!by_site(&costs->list[i], cost))
			return true;
	return false;
}

static uint64_t address_of(const struct place *place)
{
	return place->known ? place->address : place->offset;
}

static void add_sample(struct costs *costs, struct places *places,
		       const struct perf_event_header *record, const struct perfdata_sample *sample)
{
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	struct place callee = places_find(places, sample->pid, sample->ip, kernel);
	struct frame frames[MOST_FRAMES];
	unsigned nr = frames_of(places, sample, kernel, frames);
	size_t before = costs->nr;

	*add_cost(costs) =
	    (struct cost){.at = callee, .address = address_of(&callee), .period = sample->period};
	for (unsigned i = 1; i < nr; i++) {
		struct place at =
		    places_find(places, sample->pid, frames[i].ip - 1, frames[i].kernel);
		struct cost call = {.at = at,
				    .address = address_of(&at),
				    .callee = callee.function,
				    .object = object_of(&callee),
				    .target = callee.known ? callee.start : callee.offset,
				    .period = sample->period,
				    .calls = 1};

		if (!is_counted(costs, costs->nr - before, &call))
			*add_cost(costs) = call;
		callee = at;
	}
}

/* Sorts, and adds up the costs of equal sites. */
static void merge(struct costs *costs)
{
	size_t nr = 0;

	if (costs->nr)
		qsort(costs->list, costs->nr, sizeof(*costs->list), by_site);
	for (size_t i = 0; i < costs->nr; i++) {
		struct cost *last = nr ? &costs->list[nr - 1] : NULL;

		if (last && !by_site(last, &costs->list[i])) {
			last->period += costs->list[i].period;
			last->calls += costs->list[i].calls;
		} else {
			costs->list[nr++] = costs->list[i];
		}
	}
	costs->nr = nr;
}

/* Writes a name on a line of its own; a profile may be untrusted. */
static void put_name(FILE *out, const char *key, const char *name)
{
	fprintf(out, "%s=", key);
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' ? '?' : *name, out);
	fputc('\n', out);
}

static void write_costs(FILE *out, const struct costs *costs)
{
	const struct place *last = NULL;

	for (size_t i = 0; i < costs->nr; i++) {
		const struct cost *c = &costs->list[i];

		if (!last || by_text(object_of(last), object_of(&c->at)) ||
		    by_text(last->function, c->at.function)) {
			fputc('\n', out);
			put_name(out, "ob", object_of(&c->at));
			put_name(out, "fl", "???");
			put_name(out, "fn", c->at.function);
			last = &c->at;
		}
		if (c->callee) {
			put_name(out, "cob", c->object);
			put_name(out, "cfi", "???");
			put_name(out, "cfn", c->callee);
			fprintf(out, "calls=%llu %#llx 0\n", (unsigned long long)c->calls,
				(unsigned long long)c->target);
		}
		fprintf(out, "%#llx 0 %llu\n", (unsigned long long)c->address,
			(unsigned long long)c->period);
	}
}

void callgrind_write(FILE *out, const struct perfdata_reader *reader, int event)
{
	struct places *places = places_new(reader);
	struct costs costs = {NULL, 0, 0};
	struct perfdata_sample sample;
	uint64_t whole = 0;

	for (size_t i = 0; i < reader->nr_records; i++) {
		const struct perf_event_header *record = reader->records[i].header;

		if (record->type != PERF_RECORD_SAMPLE) {
			places_learn(places, record);
		} else if (perfdata_event_of(reader, record) == event) {
			perfdata_sample(reader, record, &sample);
			add_sample(&costs, places, record, &sample);
			whole += sample.period;
		}
	}
	merge(&costs);
	fprintf(out, "# callgrind format\nversion: 1\ncreator: barepmu report\n");
	fprintf(out, "desc: PMU: %s\n", perfdata_string(reader, PERFDATA_CPUDESC));
	fprintf(out, "positions: instr line\nevents: %s\nsummary: %llu\n",
		perfdata_event_name(reader, event), (unsigned long long)whole);
	write_costs(out, &costs);
	free(costs.list);
}
