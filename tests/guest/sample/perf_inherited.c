/* SPDX-License-Identifier: BSD-2-Clause */
/* Each feature of an event that a child inherits: its records are the parent's, one by one. */
#include "tests/guest/sample/sampling.h"
#include "abi/linux/hw_breakpoint.h"
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define HITS  5
#define PAGES 16

static volatile unsigned work;

__attribute__((noinline)) static void called(void)
{
	work++;
}

static void call_some(void)
{
	for (unsigned i = 0; i < HITS; i++)
		called();
}

/* Samples each call of called(), also in children. Processor 0: a ring of an inherited event
 * belongs to one. */
static struct perf_event_attr inherited_attr(uint64_t type)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_X;
	attr.bp_addr = (uintptr_t)called;
	attr.bp_len = sizeof(long);
	attr.exclude_kernel = attr.exclude_hv = attr.inherit = 1;
	attr.sample_period = 1;
	attr.sample_type = type;
	return attr;
}

static int open_inherited(struct perf_event_attr attr)
{
	return perf_open(&attr, 0, 0, -1, 0);
}

static pid_t run_child(void (*body)(void))
{
	pid_t child = fork();

	if (!child) {
		body();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return child;
}

/* Samples of one task. */
struct series {
	unsigned samples, bytes;
	uint64_t id, stream; /* the first two words, where they are asked for */
};

static struct series drain(struct perf_ring *ring)
{
	struct series series = {0};

	while (perf_next(ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		series.samples++;
		series.bytes += record.header.size;
		series.id = record.words[0];
		series.stream = record.words[1];
	}
	return series;
}

/* ---- every field of a sample ---- */

/* Fields whose length is the same in both tasks. BRANCH_STACK and AUX need a PMU. */
static const struct {
	const char *name;
	uint64_t type;
} fields[] = {
    {"IP", PERF_SAMPLE_IP},
    {"TID", PERF_SAMPLE_TID},
    {"TIME", PERF_SAMPLE_TIME},
    {"ADDR", PERF_SAMPLE_ADDR},
    {"READ", PERF_SAMPLE_READ},
    {"CALLCHAIN", PERF_SAMPLE_CALLCHAIN},
    {"ID", PERF_SAMPLE_ID},
    {"CPU", PERF_SAMPLE_CPU},
    {"PERIOD", PERF_SAMPLE_PERIOD},
    {"STREAM_ID", PERF_SAMPLE_STREAM_ID},
    {"RAW", PERF_SAMPLE_RAW},
    {"REGS_USER", PERF_SAMPLE_REGS_USER},
    {"STACK_USER", PERF_SAMPLE_STACK_USER},
    {"WEIGHT", PERF_SAMPLE_WEIGHT},
    {"DATA_SRC", PERF_SAMPLE_DATA_SRC},
    {"IDENTIFIER", PERF_SAMPLE_IDENTIFIER},
    {"TRANSACTION", PERF_SAMPLE_TRANSACTION},
    {"REGS_INTR", PERF_SAMPLE_REGS_INTR},
    {"CGROUP", PERF_SAMPLE_CGROUP},
    {"CODE_PAGE_SIZE", PERF_SAMPLE_CODE_PAGE_SIZE},
};

static void check_field(const char *name, uint64_t type)
{
	struct perf_event_attr attr = inherited_attr(type);
	struct perf_ring ring;
	struct series own, childs;
	int fd;

	attr.sample_regs_user = attr.sample_regs_intr = 1;
	attr.sample_stack_user = 64;
	/* An inherited event has no READ field. */
	if (type & PERF_SAMPLE_READ) {
		is(perf_try(&attr, 0, 0, -1, 0), -EINVAL, "READ with inherit: EINVAL");
		return;
	}
	fd = open_inherited(attr);
	if (fd < 0 || !perf_map(&ring, fd, PAGES, PROT_READ | PROT_WRITE)) {
		ok(0, "%s: an inherited event with a ring: %s", name, strerror(errno));
		return;
	}
	call_some();
	own = drain(&ring);
	run_child(call_some);
	childs = drain(&ring);
	ok(own.samples == HITS && childs.samples == own.samples, "%s: as many samples of the child",
	   name);
	/* A chain may be a frame longer. */
	ok(childs.bytes == own.bytes || type & PERF_SAMPLE_CALLCHAIN, "%s: samples as long", name);
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		ok(own.id == childs.id, "%s: the opened event's", name);
	if (type & PERF_SAMPLE_STREAM_ID)
		ok(own.id != childs.id, "%s: the child's own", name);
	perf_unmap(&ring);
	close(fd);
}

/* ---- features ---- */

static volatile sig_atomic_t signals;

static void count_signal(int signo)
{
	(void)signo;
	signals++;
}

static int fd;
static struct perf_ring ring;

static void open_plain(void)
{
	fd = open_inherited(inherited_attr(PERF_SAMPLE_IP));
	if (fd < 0 || !perf_map(&ring, fd, PAGES, PROT_READ | PROT_WRITE)) {
		printf("Bail out! an inherited event: %s\n", strerror(errno));
		exit(1);
	}
}

static void close_plain(void)
{
	perf_unmap(&ring);
	close(fd);
}

static void check_sigio(void)
{
	open_plain();
	signal(SIGIO, count_signal);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	signals = 0;
	run_child(call_some);
	ok(signals > 0, "SIGIO for a child's samples");
	is(drain(&ring).samples, HITS, "and all of them");
	signal(SIGIO, SIG_DFL);
	close_plain();
}

static void check_poll(void)
{
	struct perf_event_attr attr = inherited_attr(PERF_SAMPLE_IP);
	struct pollfd polled = {.events = POLLIN};

	attr.wakeup_events = HITS;
	fd = polled.fd = open_inherited(attr);
	perf_map(&ring, fd, PAGES, PROT_READ | PROT_WRITE);
	is(poll(&polled, 1, 0), 0, "nothing to poll before the child");
	run_child(call_some);
	is(poll(&polled, 1, 0), 1, "wakeup_events counts a child's samples");
	close_plain();
}

static void check_watermark(void)
{
	struct perf_event_attr attr = inherited_attr(PERF_SAMPLE_IP);
	struct pollfd polled = {.events = POLLIN};

	attr.watermark = 1;
	attr.wakeup_watermark = 16 * (HITS - 1);
	fd = polled.fd = open_inherited(attr);
	perf_map(&ring, fd, PAGES, PROT_READ | PROT_WRITE);
	run_child(call_some);
	is(poll(&polled, 1, 0), 1, "wakeup_watermark counts a child's samples");
	close_plain();
}

static void check_pause(void)
{
	open_plain();
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	run_child(call_some);
	is(drain(&ring).samples, 0, "PAUSE_OUTPUT holds for a child");
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	run_child(call_some);
	is(drain(&ring).samples, HITS, "PAUSE_OUTPUT 0 as well");
	close_plain();
}

static void check_output(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_event_attr samples = inherited_attr(PERF_SAMPLE_IP);
	int other;

	other = perf_open(&attr, 0, 0, -1, 0);
	perf_map(&ring, other, PAGES, PROT_READ | PROT_WRITE);
	fd = open_inherited(samples);
	ok(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other), "output into another event's ring");
	run_child(call_some);
	is(drain(&ring).samples, HITS, "a child's samples go there");
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L);
	run_child(call_some);
	is(drain(&ring).samples, 0, "nowhere without it");
	perf_unmap(&ring);
	close(fd);
	close(other);
}

/* The redirection reaches a child that is there already. */
static void check_output_later(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int other = perf_open(&attr, 0, 0, -1, 0), ends[2];
	pid_t child;
	char byte;

	perf_map(&ring, other, PAGES, PROT_READ | PROT_WRITE);
	fd = open_inherited(inherited_attr(PERF_SAMPLE_IP));
	if (pipe(ends))
		return;
	child = fork();
	if (!child) {
		if (read(ends[0], &byte, 1) == 1)
			call_some();
		_exit(0);
	}
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other);
	if (write(ends[1], "x", 1) != 1)
		return;
	waitpid(child, NULL, 0);
	is(drain(&ring).samples, HITS, "output that is set while the child runs");
	perf_unmap(&ring);
	close(fd);
	close(other);
	close(ends[0]);
	close(ends[1]);
}

static void check_limit(void)
{
	struct perf_event_attr attr = inherited_attr(PERF_SAMPLE_IP);

	attr.disabled = 1;
	fd = open_inherited(attr);
	is(ioctl(fd, PERF_EVENT_IOC_REFRESH, 2) ? errno : 0, EINVAL,
	   "REFRESH of an inherited event: EINVAL");
	close(fd);
}

static void check_disabled(void)
{
	open_plain();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	run_child(call_some);
	is(drain(&ring).samples, 0, "a child of a disabled event has no samples");
	close_plain();
}

static void check_lost(void)
{
	struct perf_event_attr attr = inherited_attr(PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER);
	uint64_t values[2] = {0};

	attr.sample_stack_user = 2048;
	attr.read_format = PERF_FORMAT_LOST;
	fd = open_inherited(attr);
	perf_map(&ring, fd, 1, PROT_READ | PROT_WRITE);
	run_child(call_some);
	ok(read(fd, values, sizeof(values)) == sizeof(values) && values[0] == HITS && values[1] > 0,
	   "a child's lost samples are counted: %lu of %lu", (unsigned long)values[1],
	   (unsigned long)values[0]);
	close_plain();
}

static void grandchild(void)
{
	run_child(call_some);
}

static void check_grandchild(void)
{
	open_plain();
	run_child(grandchild);
	is(drain(&ring).samples, HITS, "a grandchild's samples come as well");
	is(perf_value(fd), HITS, "and are counted");
	close_plain();
}

static void trap(int signo)
{
	count_signal(signo);
}

static void call_and_count(void)
{
	signal(SIGTRAP, trap);
	signals = 0;
	call_some();
	_exit(signals == HITS ? 0 : 1);
}

/* SIGTRAP goes to the thread that made it. */
static void check_sigtrap(void)
{
	struct perf_event_attr attr = inherited_attr(0);
	pid_t child;
	int status = -1;

	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = 42;
	fd = open_inherited(attr);
	ok(fd >= 0, "an inherited event with sigtrap: %s", fd < 0 ? strerror(errno) : "");
	child = fork();
	if (!child)
		call_and_count();
	waitpid(child, &status, 0);
	is(status, 0, "a child gets its own SIGTRAPs");
	close(fd);
}

int main(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		check_field(fields[i].name, fields[i].type);
	check_sigio();
	check_poll();
	check_watermark();
	check_pause();
	check_output();
	check_output_later();
	check_limit();
	check_disabled();
	check_lost();
	check_grandchild();
	check_sigtrap();
	return tap_end();
}
