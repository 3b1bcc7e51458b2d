/* SPDX-License-Identifier: BSD-2-Clause */
/* Redirected output: the events that may write into each other's rings, and the consequences. */
#include "kinds.h"

/* Which events write into whose ring. */
struct end {
	const char *name;
	int pid, cpu, clock;
	uint64_t flags;
	bool mapped;
};

static struct perf_event_attr attr_of_end(const struct end *end)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	*attr_flags(&attr) |= end->flags;
	attr.clockid = end->clock;
	return attr;
}

/* Redirects by ioctl (0), by opening in a group (1), by opening alone (2). */
static long try_output(const struct end *from, const struct end *to, unsigned way)
{
	static const unsigned long flags[] = {0, PERF_FLAG_FD_OUTPUT,
					      PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP};
	struct perf_event_attr attr = attr_of_end(to);
	int target = perf_open(&attr, to->pid, to->cpu, -1, 0), source;
	void *ring = to->mapped ? map(target, 2) : NULL;
	long result;

	attr = attr_of_end(from);
	source = perf_try(&attr, from->pid, from->cpu, way ? target : -1, flags[way]);
	result = way ? source : control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target);
	if (source >= 0)
		close(source);
	if (ring)
		munmap(ring, 2 * PAGE);
	close(target);
	return result;
}

static void outputs(void)
{
	static const struct end ends[] = {
	    {"task", 0, -1, -1, 0, true},           {"task unmapped", 0, -1, -1, 0, false},
	    {"task on cpu", 0, 0, -1, 0, true},     {"cpu", -1, 0, -1, 0, true},
	    {"monotonic", 0, -1, 1, 1 << 25, true}, {"monotonic raw", 0, -1, 4, 1 << 25, true},
	    {"backward", 0, -1, -1, 1 << 27, true}, {"watermark", 0, -1, -1, 1 << 14, true},
	    {"inherited on cpu", 0, 0, -1, 2, true}};

	for (unsigned a = 0; a < COUNT(ends); a++)
		for (unsigned way = 0; way < 3; way++) {
			row("%s to each, way %u", ends[a].name, way);
			for (unsigned b = 0; b < COUNT(ends); b++)
				cell(try_output(&ends[a], &ends[b], way));
			row_end();
		}
}

/* The life of an output: mapping, pausing, setting again, the target's end. */
static void output_lives(void)
{
	int target = open_kind(&kinds[1]), source = open_kind(&kinds[1]),
	    third = open_kind(&kinds[1]);
	void *ring = map(target, 2), *other;

	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target), "SET_OUTPUT");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
	       "SET_OUTPUT again");
	printf("poll of the source: %x\n", polled(source));
	report(control(source, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "PAUSE_OUTPUT of the source");
	report(control(third, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)source),
	       "SET_OUTPUT to the source");
	other = map(source, 2);
	report(other ? 0 : -errno, "map the source as well");
	if (other) {
		report(control(source, PERF_EVENT_IOC_SET_OUTPUT, -1ul),
		       "SET_OUTPUT to none while mapped");
		munmap(other, 2 * PAGE);
	}
	printf("poll of the source after its unmapping: %x\n", polled(source));
	printf("poll of the target after that: %x\n", polled(target));
	other = map(source, 3);
	report(other ? 0 : -errno, "map the source with another size");
	if (other)
		munmap(other, 3 * PAGE);
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, -1ul), "SET_OUTPUT to none");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, 0xffffffff),
	       "SET_OUTPUT to none, 32 bits");
	report(control(source, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)target),
	       "SET_OUTPUT once more");
	munmap(ring, 2 * PAGE);
	printf("poll of both without ring: %x %x\n", polled(source), polled(target));
	report(control(target, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), "PAUSE_OUTPUT without ring");
	close(target);
	close(source);
	close(third);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	outputs();
	output_lives();
	return 0;
}
