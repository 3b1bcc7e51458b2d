/* SPDX-License-Identifier: BSD-2-Clause */
/* One ring takes what a task does, samples of a timer's interrupt and of NMIs that come while the
 * others are being written: every record is whole, and none is missing. */
#include "tests/guest/perf.h"

#define AREAS  500
#define FIELDS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

enum { TASK, CLOCK, NMIS, KINDS };

static struct perf_record record;
static struct perf_ring ring;
static int fds[KINDS];
static uint64_t ids[KINDS], samples[KINDS];
static uint64_t areas[AREAS];
static unsigned mapped, told, broken, overtaken;
static uint64_t newest;

/* Opens the event that writes to the task event's ring. Returns false if it does not exist. */
static bool open_kind(unsigned kind, struct perf_event_attr attr)
{
	attr.sample_type = FIELDS;
	attr.sample_id_all = 1;
	fds[kind] = perf_open(&attr, 0, -1, -1, 0);
	if (fds[kind] < 0)
		return false;
	ioctl(fds[kind], PERF_EVENT_IOC_ID, &ids[kind]);
	return kind == TASK || ioctl(fds[kind], PERF_EVENT_IOC_SET_OUTPUT, fds[TASK]) == 0;
}

static unsigned kind_of(uint64_t id)
{
	unsigned kind = 0;

	while (kind < KINDS && ids[kind] != id)
		kind++;
	return kind;
}

/* Records are ordered by when they took their space; their time is read later while they are
 * written: an earlier time after a later one means that a record came in between. */
static void see_time(uint64_t time)
{
	overtaken += time < newest;
	newest = time > newest ? time : newest;
}

static bool is_whole_sample(const struct perf_record *r)
{
	unsigned kind = kind_of(r->words[3]);

	if (r->header.size != 40 || kind == TASK || kind == KINDS)
		return false;
	samples[kind]++;
	see_time(r->words[2]);
	return (uint32_t)r->words[1] == (uint32_t)getpid();
}

/* All others end with TID, TIME and ID. */
static bool ends_well(const struct perf_record *r)
{
	const uint64_t *end = (const uint64_t *)r + r->header.size / 8;

	see_time(end[-2]);
	return (uint32_t)end[-3] == (uint32_t)getpid() && kind_of(end[-1]) < KINDS;
}

static bool is_whole(const struct perf_record *r)
{
	switch (r->header.type) {
	case PERF_RECORD_SAMPLE:
		return is_whole_sample(r);
	case PERF_RECORD_MMAP: /* pid and tid, address, bytes, page, name */
		return told < mapped && r->words[1] == areas[told++] && r->words[2] == 4096 &&
		       ends_well(r);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return r->header.size == 56 && ends_well(r);
	default:
		return false;
	}
}

static void drain(void)
{
	while (perf_next(&ring, &record) && !broken)
		broken += !is_whole(&record);
}

static void map_areas(void)
{
	for (mapped = 0; mapped < AREAS;) {
		void *area =
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		areas[mapped++] = (uint64_t)area;
		munmap(area, 4096);
		if (mapped % 16 == 0)
			drain();
	}
}

int main(void)
{
	struct perf_event_attr task = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY),
			       clock = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
			       nmis = perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	bool with_nmis;

	task.mmap = 1;
	clock.sample_period = 50000;
	nmis.sample_period = 1009; /* prime: it wanders through what each call does */
	nmis.exclude_user = 1;
	ok(open_kind(TASK, task) && perf_map(&ring, fds[TASK], 64, PROT_READ | PROT_WRITE),
	   "a ring of what the task does");
	ok(open_kind(CLOCK, clock), "a clock's samples go there, too");
	with_nmis = open_kind(NMIS, nmis);
	map_areas();
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (fds[kind] >= 0)
			ioctl(fds[kind], PERF_EVENT_IOC_DISABLE, 0);
	drain();
	is(broken, 0, "each record is whole, and of one of the writers");
	is(told, AREAS, "each area is reported, in order");
	ok(samples[CLOCK] > 0, "the clock was sampled: %llu", (unsigned long long)samples[CLOCK]);
	if (!with_nmis || !counts_are_exact()) {
		skip("records that NMIs interrupt", "no PMU, or none that repeats its samples");
		return tap_end();
	}
	ok(samples[NMIS] > 100, "ring 0 was sampled: %llu", (unsigned long long)samples[NMIS]);
	ok(overtaken > 0, "samples came while another record was under way: %u", overtaken);
	return tap_end();
}
