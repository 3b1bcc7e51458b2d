/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses samples of perf.data files: man 2 perf_event_open, "PERF_RECORD_SAMPLE". Each length in a
 * sample is checked, because the file may be damaged. */
#include <string.h>

#include "apps/lib/perfdata/perfdata_fields.h"

uint64_t perfdata_sample_type(const struct perfdata_reader *reader)
{
	return reader->attrs[0].attr.sample_type;
}

unsigned perfdata_fields_before(uint64_t type, uint64_t field)
{
	static const uint64_t order[] = {
	    PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	    PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	    PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};
	unsigned n = 0;

	for (size_t i = 0; order[i] != field; i++)
		n += (type & order[i]) != 0;
	return n;
}

/* The layout of the counts in a sample, from `at` on. */
struct counts {
	size_t at;    /* of the first event's value */
	size_t each;  /* words of an event: value, id, lost */
	size_t nr;    /* events */
	size_t words; /* of all */
};

static struct counts counts_of(uint64_t format, const uint64_t *fields, size_t words, size_t at)
{
	bool group = format & PERF_FORMAT_GROUP;
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	struct counts counts = {.at = at + 1 + times, .nr = 1};

	counts.each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (group)
		counts.nr = at < words && fields[at] < words ? fields[at] : 0;
	else
		counts.at = at;
	counts.words = counts.nr * counts.each + times + group;
	return counts;
}

static size_t behind_period(uint64_t type)
{
	return perfdata_fields_before(type, PERF_SAMPLE_PERIOD) + !!(type & PERF_SAMPLE_PERIOD);
}

bool perfdata_count(const struct perfdata_reader *reader, const struct perf_event_header *record,
		    int event, uint64_t *which, uint64_t *value)
{
	const struct perfdata_attr *attr = &reader->attrs[event];
	uint64_t format = attr->attr.read_format, wanted = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	const uint64_t *fields = (const uint64_t *)record + 1,
		       *ids = perfdata_inside(reader, attr->ids);
	size_t words = record->size / sizeof(uint64_t) - 1;
	struct counts counts =
	    counts_of(format, fields, words, behind_period(perfdata_sample_type(reader)));

	if (!(perfdata_sample_type(reader) & PERF_SAMPLE_READ) || (format & wanted) != wanted ||
	    !ids)
		return false;
	for (size_t i = 0, at = counts.at; i < counts.nr && at + 1 < words; i++, at += counts.each)
		for (*which = 0; *which < attr->ids.size / sizeof(*ids); ++*which)
			if (ids[*which] == fields[at + 1]) {
				*value = fields[at];
				return *which < PERFDATA_MAX_IDS;
			}
	return false;
}

/* The fields that are not parsed yet. */
struct scan {
	const uint64_t *at;
	size_t words;
};

/* Consumes `words` words, or all of them and returns NULL if there are less. */
static const uint64_t *scan_take(struct scan *scan, uint64_t words)
{
	const uint64_t *at = scan->at;

	if (words > scan->words) {
		scan->words = 0;
		return NULL;
	}
	scan->at += words;
	scan->words -= words;
	return at;
}

/* Consumes one word. Returns it, or 0 at the end. */
static uint64_t scan_word(struct scan *scan)
{
	const uint64_t *word = scan_take(scan, 1);

	return word ? *word : 0;
}

static void scan_branches(struct scan *scan, const struct perf_event_attr *attr,
			  struct perfdata_sample *sample)
{
	uint64_t nr = scan_word(scan);

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		scan_word(scan);
	if (nr > scan->words)
		nr = scan->words;
	sample->branches = (const struct perf_branch_entry *)scan_take(
	    scan, nr * (sizeof(*sample->branches) / sizeof(uint64_t)));
	sample->nr_branches = sample->branches ? nr : 0;
	sample->branches_are_calls = attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static void scan_registers(struct scan *scan, const struct perf_event_attr *attr,
			   struct perfdata_sample *sample)
{
	if (scan_word(scan) != PERF_SAMPLE_REGS_ABI_64)
		return;
	sample->registers = scan_take(scan, (unsigned)__builtin_popcountll(attr->sample_regs_user));
	sample->register_mask = attr->sample_regs_user;
}

static void scan_stack(struct scan *scan, struct perfdata_sample *sample)
{
	uint64_t size = scan_word(scan), valid;

	if (!size || size % sizeof(uint64_t))
		return;
	sample->stack = (const unsigned char *)scan_take(scan, size / sizeof(uint64_t));
	valid = scan_word(scan);
	sample->stack_bytes = !sample->stack ? 0 : valid < size ? valid : size;
}

/* Parses the fields after the counts of a group. */
static void scan_rest(struct scan *scan, const struct perf_event_attr *attr,
		      struct perfdata_sample *sample)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample->nr_chain = scan_word(scan);
		if (sample->nr_chain > scan->words)
			sample->nr_chain = scan->words;
		sample->chain = scan_take(scan, sample->nr_chain);
	}
	if (type & PERF_SAMPLE_RAW) { /* a 32-bit size, and the bytes up to a whole word */
		uint64_t size = scan->words ? (uint32_t)*scan->at : 0;

		scan_take(scan, (sizeof(uint32_t) + size + 7) / 8);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		scan_branches(scan, attr, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		scan_registers(scan, attr, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		scan_stack(scan, sample);
	if (type & PERF_SAMPLE_WEIGHT)
		sample->weight = scan_word(scan);
	else if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		sample->weight = (uint32_t)scan_word(scan);
}

/* Samples of a fixed period need not contain it. */
static uint64_t fixed_period(const struct perfdata_reader *reader,
			     const struct perf_event_header *record)
{
	const struct perf_event_attr *attr = &reader->attrs[perfdata_event_of(reader, record)].attr;

	return attr->freq || !attr->sample_period ? 1 : attr->sample_period;
}

void perfdata_sample(const struct perfdata_reader *reader, const struct perf_event_header *record,
		     struct perfdata_sample *sample)
{
	const uint64_t *fields = (const uint64_t *)record + 1;
	size_t words = record->size / sizeof(uint64_t) - 1;
	uint64_t type = perfdata_sample_type(reader);
	unsigned ip = perfdata_fields_before(type, PERF_SAMPLE_IP),
		 tid = perfdata_fields_before(type, PERF_SAMPLE_TID);
	unsigned period = perfdata_fields_before(type, PERF_SAMPLE_PERIOD),
		 time = perfdata_fields_before(type, PERF_SAMPLE_TIME),
		 address = perfdata_fields_before(type, PERF_SAMPLE_ADDR);
	struct scan rest = {fields, words};
	size_t fixed = behind_period(type);

	memset(sample, 0, sizeof(*sample));
	sample->ip = type & PERF_SAMPLE_IP && ip < words ? fields[ip] : 0;
	sample->pid = type & PERF_SAMPLE_TID && tid < words ? (uint32_t)fields[tid] : 0;
	sample->tid = type & PERF_SAMPLE_TID && tid < words ? (uint32_t)(fields[tid] >> 32) : 0;
	sample->period = type & PERF_SAMPLE_PERIOD && period < words ? fields[period]
								     : fixed_period(reader, record);
	sample->time = type & PERF_SAMPLE_TIME && time < words ? fields[time] : 0;
	sample->address = type & PERF_SAMPLE_ADDR && address < words ? fields[address] : 0;
	if (type & PERF_SAMPLE_READ)
		fixed += counts_of(reader->attrs[0].attr.read_format, fields, words, fixed).words;
	scan_take(&rest, fixed);
	scan_rest(&rest, &reader->attrs[0].attr, sample);
}
