/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the sampling events, choosing what this machine can do, and maps their ring buffers. */
#include "apps/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/lib/perf_sys.h"

static void prepare(struct perf_event_attr *attr, const struct options *options, bool first)
{
	attr->sample_type = PERFDATA_SAMPLE_TYPE;
	if (options->events.nr > 1)
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
	if (options->callchain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	attr->freq = !options->period;
	if (options->period)
		attr->sample_period = options->period;
	else
		attr->sample_freq = options->frequency;
	attr->read_format = PERF_FORMAT_ID;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->inherit = 1;
	attr->sample_id_all = 1;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = first;
}

static bool is_cycles(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Samples cpu-clock in place of cycles, as perf does where there is no hardware PMU. */
static void use_cpu_clock(struct perfdata_event *event)
{
	fprintf(stderr, "record: no hardware events here: sampling cpu-clock instead of %s\n",
		event->name);
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event->attr.precise_ip = 0;
	strcpy(event->name, "cpu-clock");
}

/* After a failed open: changes what may be changed. False: nothing left to try. */
static bool fall_back(struct perfdata_event *event, const struct event *asked)
{
	struct perf_event_attr *attr = &event->attr;
	int error = errno;

	if ((error == EOPNOTSUPP || error == EINVAL) && asked->precise_max && attr->precise_ip) {
		attr->precise_ip--;
		return true;
	}
	if ((error == EACCES || error == EPERM) && !asked->filtered && !attr->exclude_kernel) {
		attr->exclude_kernel = 1;
		return true;
	}
	if ((error == ENOENT || error == ENXIO || error == ENODEV || error == EOPNOTSUPP) &&
	    is_cycles(attr) && !(attr->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		use_cpu_clock(event);
		return true;
	}
	return false;
}

static int explain(const struct perfdata_event *event, int error)
{
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    (error == EOPNOTSUPP || error == EINVAL))
		fprintf(stderr, "record: this PMU has no branch stacks (-b) for '%s'\n",
			event->name);
	else if (error == EINVAL && event->attr.freq)
		fprintf(stderr,
			"record: cannot sample '%s' at %lu Hz: the kernel allows no such rate "
			"(/proc/sys/kernel/perf_event_max_sample_rate)\n",
			event->name, (unsigned long)event->attr.sample_freq);
	else if (error == ENOENT || error == EOPNOTSUPP)
		fprintf(stderr,
			"record: this PMU cannot sample '%s': %s (`list` shows what it offers)\n",
			event->name, strerror(error));
	else
		fprintf(stderr, "record: cannot open event '%s': %s\n", event->name,
			strerror(error));
	return -1;
}

static int map_ring(struct session *session, const struct options *options, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ring *ring = &session->rings[cpu];
	unsigned char *area = mmap(NULL, (1 + options->pages) * page, PROT_READ | PROT_WRITE,
				   MAP_SHARED, session->fds[0][cpu], 0);

	if (area == MAP_FAILED) {
		fprintf(stderr, "record: cannot map a ring buffer of %u pages: %s\n",
			options->pages, strerror(errno));
		return -1;
	}
	ring->user_page = (struct perf_event_mmap_page *)area;
	ring->data = area + page;
	ring->size = options->pages * page;
	return 0;
}

/* Opens event `index` on one processor; the first event there owns the ring. */
static int open_one(struct session *session, const struct options *options, int index, int cpu,
		    pid_t pid)
{
	struct perfdata_event *event = &session->events[index];
	int *fd = &session->fds[index][cpu];

	do
		*fd = perf_event_open(&event->attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	while (*fd < 0 && cpu == 0 && fall_back(event, &options->events.events[index]));
	if (*fd < 0)
		return explain(event, errno);
	if (ioctl(*fd, PERF_EVENT_IOC_ID, &event->ids[cpu])) {
		fprintf(stderr, "record: cannot ask the event's id: %s\n", strerror(errno));
		return -1;
	}
	event->nr_ids++;
	if (index == 0)
		return map_ring(session, options, cpu);
	if (ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, session->fds[0][cpu])) {
		fprintf(stderr, "record: cannot share a ring buffer: %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

int session_open(struct session *session, const struct options *options, pid_t pid)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	session->nr_processors = processors < 1                ? 1
				 : processors > MAX_PROCESSORS ? MAX_PROCESSORS
							       : (int)processors;
	session->nr_events = options->events.nr;
	for (int i = 0; i < session->nr_events; i++) {
		struct perfdata_event *event = &session->events[i];

		event->attr = options->events.events[i].attr;
		memcpy(event->name, options->events.events[i].name, sizeof(event->name));
		prepare(&event->attr, options, i == 0);
		for (int cpu = 0; cpu < session->nr_processors; cpu++) {
			if (open_one(session, options, i, cpu, pid))
				return -1;
		}
	}
	return 0;
}
