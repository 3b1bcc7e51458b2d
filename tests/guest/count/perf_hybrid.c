/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors of two kinds: each has its PMU, cpu_core or cpu_atom, whose events count on its own
 * processors only. */
#include "tests/guest/cpus.h"
#include "tests/guest/perf.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define LOOPS   500000
#define SLACK   2000 /* instructions around a loop */
#define ABSURD  99   /* no PMU's number */

struct kind {
	const char *name;
	uint32_t type;
	int cpu;          /* the first of its processors */
	unsigned general; /* counters */
};

static struct kind kinds[] = {{.name = "cpu_core", .general = 8},
			      {.name = "cpu_atom", .general = 6}};

/* The number that the PMU's file begins with, or -1. */
static int number_in(const char *pmu, const char *file)
{
	char path[128];
	int number = -1;
	FILE *in;

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	in = fopen(path, "r");
	if (!in)
		return -1;
	if (fscanf(in, "%d", &number) != 1)
		number = -1;
	fclose(in);
	return number;
}

static bool find(struct kind *kind)
{
	int type = number_in(kind->name, "type");

	kind->type = (uint32_t)type;
	kind->cpu = number_in(kind->name, "cpus");
	return type >= 0 && kind->cpu >= 0;
}

static struct perf_event_attr instructions_of(uint64_t type)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, type << 32 | PERF_COUNT_HW_INSTRUCTIONS);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

struct values {
	uint64_t count, enabled, running;
};

static struct values values_of(int fd)
{
	struct values values = {0};

	if (read(fd, &values, sizeof(values)) != sizeof(values))
		printf("# cannot read\n");
	return values;
}

static bool is_loop(uint64_t count)
{
	if (counts_are_exact())
		return count >= 2 * LOOPS && count <= 2 * LOOPS + SLACK;
	return count > 0;
}

/* The task's events of both PMUs, while it stays on a processor of `own`. */
static void counts_on_own(const struct kind *own, const struct kind *other)
{
	struct perf_event_attr attr = instructions_of(own->type);
	struct perf_event_attr foreign = instructions_of(other->type);
	int fd = perf_try(&attr, 0, -1, -1, 0), idle = perf_try(&foreign, 0, -1, -1, 0);
	struct values values;

	place(0, own->cpu);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(idle, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(idle, PERF_EVENT_IOC_DISABLE, 0);
	values = values_of(fd);
	ok(is_loop(values.count), "%s counts the loop on processor %d: %llu", own->name, own->cpu,
	   (unsigned long long)values.count);
	ok(values.enabled && values.running == values.enabled, "%s: it ran all the time",
	   own->name);
	values = values_of(idle);
	ok(!values.count && values.enabled && !values.running,
	   "%s is enabled there, but does not run", other->name);
	close(fd);
	close(idle);
}

/* The task goes from the one kind to the other and back. */
static void follows_task(const struct kind *own, const struct kind *other)
{
	struct perf_event_attr attr = instructions_of(own->type);
	int fd = perf_try(&attr, 0, -1, -1, 0);
	struct values before, after;

	place(0, own->cpu);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(LOOPS);
	place(0, other->cpu);
	before = values_of(fd);
	perf_loop(LOOPS);
	after = values_of(fd);
	is(after.count, before.count, "the other kind of processor's instructions are not counted");
	ok(after.running == before.running && after.enabled > before.enabled,
	   "time on the other kind is enabled, not running");
	place(0, own->cpu);
	perf_loop(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	after = values_of(fd);
	ok(is_loop(before.count) && is_loop(after.count - before.count),
	   "%s: both halves are counted", own->name);
	close(fd);
}

static int try_on(uint32_t type, uint64_t config, int cpu, int group)
{
	struct perf_event_attr attr = perf_user_attr(type, config);
	int fd;

	attr.disabled = group < 0; /* members that are off need no counter yet */
	fd = perf_try(&attr, cpu < 0 ? 0 : -1, cpu, group, 0);
	if (fd >= 0 && group < 0)
		close(fd);
	return fd;
}

static void wrong_processors(const struct kind *core, const struct kind *atom)
{
	const uint64_t cycles = PERF_COUNT_HW_CPU_CYCLES;

	is((uint64_t)try_on(core->type, 0x3c, atom->cpu, -1), (uint64_t)-ENOENT,
	   "a raw event of the other kind's processor");
	is((uint64_t)try_on(atom->type, 0x3c, core->cpu, -1), (uint64_t)-ENOENT,
	   "the efficient cores' PMU on a performance core: ENOENT");
	is((uint64_t)try_on(PERF_TYPE_HARDWARE, (uint64_t)atom->type << 32 | cycles, core->cpu, -1),
	   (uint64_t)-ENOENT, "a generic event of a PMU that is not there");
	ok(try_on(PERF_TYPE_HARDWARE, cycles, atom->cpu, -1) >= 0 &&
	       try_on(PERF_TYPE_HARDWARE, cycles, core->cpu, -1) >= 0,
	   "an event without a PMU takes the processor's");
	is((uint64_t)try_on(PERF_TYPE_HARDWARE, (uint64_t)PERF_TYPE_TRACEPOINT << 32 | cycles, -1,
			    -1),
	   (uint64_t)-ENOENT, "an event that names a PMU of another kind: refused");
	ok(try_on(PERF_TYPE_HARDWARE, (uint64_t)ABSURD << 32 | cycles, -1, -1) >= 0,
	   "an event that names a PMU that does not exist");
	is((uint64_t)try_on(ABSURD, 0x3c, -1, -1), (uint64_t)-ENOENT, "a type of no PMU");
}

/* As many events that any general counter counts (retired branches) as there are. */
static void group_fills(const struct kind *kind, const struct kind *other)
{
	struct perf_event_attr attr = perf_user_attr(kind->type, 0xc4);
	int fds[16], leader = perf_try(&attr, 0, -1, -1, 0);
	unsigned n = 1;

	is((uint64_t)try_on(other->type, 0xc4, -1, leader), (uint64_t)-EINVAL,
	   "a group is of one PMU");
	fds[0] = leader;
	while (n < 16 && (fds[n] = try_on(kind->type, 0xc4, -1, leader)) >= 0)
		n++;
	is(n, kind->general, kind->name);
	while (n--)
		close(fds[n]);
}

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return low | (uint64_t)high << 32;
}

static void user_page(const struct kind *own, const struct kind *other)
{
	struct perf_event_attr attr = perf_user_attr(own->type, 0xc0);
	int fd = perf_try(&attr, 0, -1, -1, 0);
	struct perf_ring ring = {0};

	if (!ok(fd >= 0 && perf_map(&ring, fd, 0, PROT_READ), "%s: the event's page", own->name))
		return;
	place(0, other->cpu);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	is(ring.page->index, 0, "no counter to read on the other kind of processor");
	place(0, own->cpu);
	if (ok(ring.page->index && ring.page->cap_user_rdpmc,
	       "the user page on its own processor names a counter")) {
		uint64_t first = rdpmc(ring.page->index - 1);

		perf_loop(LOOPS);
		ok(is_loop(rdpmc(ring.page->index - 1) - first), "RDPMC reads the count");
	}
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	if (!find(&kinds[0]) || !find(&kinds[1]))
		return tap_skip_all("processors of one kind");
	for (int i = 0; i < 2; i++) {
		counts_on_own(&kinds[i], &kinds[1 - i]);
		follows_task(&kinds[i], &kinds[1 - i]);
		group_fills(&kinds[i], &kinds[1 - i]);
		user_page(&kinds[i], &kinds[1 - i]);
	}
	wrong_processors(&kinds[0], &kinds[1]);
	return tap_end();
}
