/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the sampling events with the best precision of this machine, and maps their ring
 * buffers. */
#include "apps/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/lib/perf_sys.h"
#include "apps/lib/targets.h"

/* All registers of a 64-bit program except segment registers (<asm/perf_regs.h>). */
#define USER_REGISTERS 0xff0fff

static void prepare_chains(struct perf_event_attr *attr, const struct options *options)
{
	if (options->chains == CHAINS_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = options->chains != CHAINS_FP;
	if (options->chains == CHAINS_DWARF) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = USER_REGISTERS;
		attr->sample_stack_user = options->stack_bytes;
	}
	if (options->chains == CHAINS_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_NO_FLAGS;
	}
}

static void prepare(struct perf_event_attr *attr, const char *name, const struct options *options,
		    bool first)
{
	attr->sample_type = PERFDATA_SAMPLE_TYPE;
	/* perf adds synthetic events while it decodes. */
	if (options->events.nr > 1 || aux_is_traced(attr))
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
	prepare_chains(attr, options);
	if (options->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	if (options->weight)
		attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (options->data_address)
		attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (options->physical_address)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
	attr->freq = !options->period && !aux_is_traced(attr);
	if (aux_is_traced(attr))
		aux_prepare(attr, name);
	else if (options->period)
		attr->sample_period = options->period;
	else
		attr->sample_freq = options->frequency;
	attr->read_format = PERF_FORMAT_ID;
	attr->disabled = 1;
	attr->enable_on_exec = !options->everywhere && !options->pids;
	attr->inherit = 1;
	attr->sample_id_all = 1;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = first;
	/* Unwinders read tables outside of the text. */
	attr->mmap_data = first && (options->data_address || options->chains == CHAINS_DWARF);
}

/* A group's members run with their leader, which alone is started. With modifier S it is also the
 * only one sampled, and its samples contain the counts of all: children cannot inherit that. */
static void prepare_group(struct perf_event_attr *attr, const struct event *event, bool leads)
{
	if (!leads) {
		attr->disabled = 0;
		attr->enable_on_exec = 0;
	}
	if (!event->reads_group)
		return;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format |= PERF_FORMAT_GROUP;
	attr->inherit = 0;
	if (!leads) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
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

/* Falls back for kernels before 5.12, which do not know a weight in three parts. */
static bool use_plain_weight(struct perf_event_attr *attr)
{
	if (!(attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
		return false;
	attr->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	return true;
}

/* Relaxes the event after a failed open. False: nothing left to try. */
static bool fall_back(struct perfdata_event *event, const struct event *requested)
{
	struct perf_event_attr *attr = &event->attr;
	int error = errno;

	if ((error == EOPNOTSUPP || error == EINVAL) && requested->precise_max &&
	    attr->precise_ip) {
		attr->precise_ip--;
		return true;
	}
	if (error == EINVAL && use_plain_weight(attr))
		return true;
	if ((error == EACCES || error == EPERM) && !requested->filtered && !attr->exclude_kernel) {
		attr->exclude_kernel = 1;
		return true;
	}
	if ((error == ENOENT || error == ENXIO || error == ENODEV || error == EOPNOTSUPP) &&
	    is_cycles(attr) && (!attr->precise_ip || requested->precise_max) &&
	    !(attr->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		use_cpu_clock(event);
		return true;
	}
	return false;
}

/* IBS, which takes AMD's precise samples, belongs to no task (up to Linux 6.1). */
static bool wants_processors(const struct perfdata_event *event, const struct options *options)
{
	bool ibs = event->attr.precise_ip || !strncmp(event->name, "ibs_", strlen("ibs_"));

	return ibs && !options->everywhere && !access("/sys/bus/event_source/devices/ibs_op", F_OK);
}

static int explain(const struct perfdata_event *event, const struct options *options, int error)
{
	if (error == EINVAL && wants_processors(event, options))
		fprintf(stderr, "record: IBS samples '%s' of whole processors only: add -a\n",
			event->name);
	else if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
		 (error == EOPNOTSUPP || error == EINVAL))
		fprintf(stderr, "record: this PMU has no branch records (-b, -g lbr)%s for '%s'\n",
			event->attr.precise_ip ? ", or no precise samples (:p)," : "", event->name);
	else if (event->attr.precise_ip && (error == EOPNOTSUPP || error == ENOENT))
		fprintf(stderr,
			"record: no precise samples (:p) of '%s' here: they need PEBS, which "
			"`barepmu run --pmu help` says of each PMU; `-e cycles` samples without\n",
			event->name);
	else if (error == EINVAL && event->attr.freq)
		fprintf(stderr,
			"record: cannot sample '%s' at %lu Hz: the kernel allows no such rate "
			"(/proc/sys/kernel/perf_event_max_sample_rate)\n",
			event->name, (unsigned long)event->attr.sample_freq);
	else if (error == ENODATA)
		fprintf(stderr,
			"record: this PMU counts '%s' only after another event: "
			"-e '{cpu/mem-loads-aux/,cpu/mem-loads/}:P'\n",
			event->name);
	else if (error == ENOENT || error == EOPNOTSUPP)
		fprintf(stderr,
			"record: this PMU cannot sample '%s': %s (`list` shows what it offers)\n",
			event->name, strerror(error));
	else
		fprintf(stderr, "record: cannot open event '%s': %s\n", event->name,
			strerror(error));
	return -1;
}

static int map_ring(struct session *session, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned pages = session->options->pages;
	struct ring *ring = &session->rings[cpu];
	unsigned char *area = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
				   session->fds[0][0][cpu], 0);

	if (area == MAP_FAILED) {
		fprintf(stderr, "record: cannot map a ring buffer of %u pages: %s\n", pages,
			strerror(errno));
		return -1;
	}
	ring->user_page = (struct perf_event_mmap_page *)area;
	ring->data = area + page;
	ring->size = pages * page;
	return aux_is_traced(&session->events[0].attr)
		   ? aux_map(ring, session->fds[0][0][cpu], session->options->aux_pages)
		   : 0;
}

/* Opens event `index` on one thread and processor; the first event there owns the ring. */
static int open_one(struct session *session, int index, int thread, int cpu)
{
	struct perfdata_event *event = &session->events[index];
	int leader = session->options->events.events[index].leader;
	int *fd = &session->fds[index][thread][cpu];
	int group = leader == index ? -1 : session->fds[leader][thread][cpu];

	do
		*fd = perf_event_open(&event->attr, session->threads[thread], session->cpus[cpu],
				      group, PERF_FLAG_FD_CLOEXEC);
	while (*fd < 0 && cpu == 0 && thread == 0 &&
	       fall_back(event, &session->options->events.events[index]));
	if (*fd < 0 && errno == ESRCH && thread)
		return 0; /* that thread has ended */
	if (*fd < 0)
		return explain(event, session->options, errno);
	if (event->nr_ids == PERFDATA_MAX_IDS) {
		fprintf(stderr, "record: too many threads for so many processors\n");
		return -1;
	}
	if (ioctl(*fd, PERF_EVENT_IOC_ID, &event->ids[event->nr_ids++])) {
		fprintf(stderr, "record: cannot ask the event's id: %s\n", strerror(errno));
		return -1;
	}
	if (index == 0 && thread == 0)
		return map_ring(session, cpu);
	if (ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, session->fds[0][0][cpu])) {
		fprintf(stderr, "record: cannot share a ring buffer: %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

/* Chooses the tasks or processors to sample. */
static int find_targets(struct session *session, pid_t pid)
{
	const struct options *options = session->options;

	session->nr_processors =
	    target_cpus("record", options->cpus, session->cpus, MAX_PROCESSORS);
	session->threads[0] = options->everywhere ? -1 : pid;
	session->nr_threads = 1;
	if (options->pids)
		session->nr_threads =
		    target_threads("record", options->pids, session->threads, MAX_THREADS);
	return session->nr_processors < 0 || session->nr_threads < 0 ? -1 : 0;
}

int session_open(struct session *session, const struct options *options, pid_t pid)
{
	memset(session->fds, 0xff, sizeof(session->fds)); /* -1 */
	session->options = options;
	session->nr_events = options->events.nr;
	if (find_targets(session, pid))
		return -1;
	for (int i = 0; i < session->nr_events; i++) {
		struct perfdata_event *event = &session->events[i];

		event->attr = options->events.events[i].attr;
		memcpy(event->name, options->events.events[i].name, sizeof(event->name));
		prepare(&event->attr, event->name, options, i == 0);
		prepare_group(&event->attr, &options->events.events[i],
			      options->events.events[i].leader == i);
		for (int t = 0; t < session->nr_threads; t++)
			for (int cpu = 0; cpu < session->nr_processors; cpu++)
				if (open_one(session, i, t, cpu))
					return -1;
	}
	return 0;
}

void session_enable(struct session *session)
{
	if (!session->options->everywhere && !session->options->pids)
		return;
	for (int i = 0; i < session->nr_events; i++)
		for (int t = 0; t < session->nr_threads; t++)
			for (int cpu = 0; cpu < session->nr_processors; cpu++)
				if (session->fds[i][t][cpu] >= 0)
					ioctl(session->fds[i][t][cpu], PERF_EVENT_IOC_ENABLE, 0);
}
