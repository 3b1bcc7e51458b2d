/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2)'s other arguments: task, processor, group, flags; and members of groups. */
#include "oracle.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct perf_event_attr dummy(void)
{
	return perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

/* Every combination of arguments; the order of the checks shows where several are wrong. */
static void arguments(void)
{
	struct perf_event_attr attr = dummy();
	int leader = perf_open(&attr, 0, -1, -1, 0), on_cpu = perf_open(&attr, -1, 0, -1, 0),
	    pipes[2];
	const struct {
		const char *name;
		int fd;
	} groups[] = {{"-1", -1},      {"-2", -2}, {"leader", leader}, {"cpu leader", on_cpu},
		      {"closed", 900}, {"pipe", 0}};
	static const int pids[] = {0, -1, -2, 1, 4000000, 0x7fffffff},
			 cpus[] = {-1, 0, 1, -2, 8191, 0x7fffffff};
	static const unsigned long flags[] = {0, 1,  2,  3,         4,         5,        6,
					      8, 12, 16, 1ul << 31, 1ul << 32, 1ul << 63};

	if (pipe(pipes))
		return;
	for (unsigned p = 0; p < COUNT(pids); p++)
		for (unsigned c = 0; c < COUNT(cpus); c++)
			for (unsigned g = 0; g < COUNT(groups); g++) {
				row("pid %d cpu %d group %s, flags", pids[p], cpus[c],
				    groups[g].name);
				for (unsigned f = 0; f < COUNT(flags); f++)
					cell(try_open(&attr, pids[p], cpus[c],
						      g == 5 ? pipes[0] : groups[g].fd, flags[f]));
				row_end();
			}
	close(leader);
	close(on_cpu);
	close(pipes[0]);
	close(pipes[1]);
}

/* The arguments are ints: what the upper halves of the registers hold does not matter. */
static void upper_halves(void)
{
	struct perf_event_attr attr = dummy();
	long fd = syscall(SYS_perf_event_open, &attr, 0xabcd00000000ul, 0x1234ffffffff,
			  0x5678fffffffful, 0);

	report(failed(fd), "upper halves of pid, cpu and group");
}

/* The members that a group takes, by the differences between leader and member. */
struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

struct variant {
	const char *name;
	uint64_t flags;
	int clock;
};

static struct perf_event_attr attr_of(const struct event *event, const struct variant *variant)
{
	struct perf_event_attr attr = perf_user_attr(event->type, event->config);

	*attr_flags(&attr) |= variant->flags;
	attr.clockid = variant->clock;
	return attr;
}

static int try_pair(const struct event *one, const struct variant *first, const struct event *two,
		    const struct variant *second)
{
	struct perf_event_attr attr = attr_of(one, first);
	int leader = perf_try(&attr, 0, -1, -1, 0), member;

	if (leader < 0)
		return leader;
	attr = attr_of(two, second);
	member = try_open(&attr, 0, -1, leader, 0);
	close(leader);
	return member;
}

static void groups(void)
{
	static const struct event events[] = {
	    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	    {"raw", PERF_TYPE_RAW, 0x412e}};
	static const struct variant variants[] = {
	    {"plain", 0, -1},          {"inherit", 1 << 1, -1},
	    {"pinned", 1 << 2, -1},    {"exclusive", 1 << 3, -1},
	    {"freq", 1 << 10, -1},     {"watermark", 1 << 14, -1},
	    {"monotonic", 1 << 25, 1}, {"raw clock", 1 << 25, 4},
	    {"backward", 1 << 27, -1}, {"exclude_user", 1 << 4, -1},
	    {"on_exec", 1 << 12, -1}};

	for (unsigned a = 0; a < COUNT(events); a++)
		for (unsigned b = 0; b < COUNT(events); b++) {
			/* All pairs of plain events; all variants of two of the pairs. */
			bool all = (a == 0 && b == 0) || (a == 3 && b == 3);

			for (unsigned one = 0; one < (all ? COUNT(variants) : 1); one++) {
				row("%s %s leads %s of all variants", events[a].name,
				    variants[one].name, events[b].name);
				for (unsigned two = 0; two < (all ? COUNT(variants) : 1); two++)
					cell(try_pair(&events[a], &variants[one], &events[b],
						      &variants[two]));
				row_end();
			}
		}
}

/* How many members of a kind a group takes; enabled or not, alone or with others. */
static void group_sizes(void)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} events[] = {{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		      {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		      {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
		      {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		      {"l1d misses", PERF_TYPE_HW_CACHE, 0x10000},
		      {"raw 48", PERF_TYPE_RAW, 0x148},
		      {"raw a3", PERF_TYPE_RAW, 0x1a3},
		      {"raw edge", PERF_TYPE_RAW, 0x4003c}};

	for (unsigned e = 0; e < COUNT(events); e++)
		for (unsigned disabled = 0; disabled < 2; disabled++) {
			struct perf_event_attr attr =
			    perf_user_attr(events[e].type, events[e].config);
			int fds[24], n = 0, result = 0;

			attr.disabled = disabled;
			while (n < 24) {
				result = perf_try(&attr, 0, -1, n ? fds[0] : -1, 0);
				if (result < 0)
					break;
				fds[n++] = result;
			}
			printf("group of %s, disabled %u: %d members, then %s\n", events[e].name,
			       disabled, n, outcome(result));
			while (n)
				close(fds[--n]);
		}
}

/* A sibling whose leader is closed leads itself; one whose group lost it can be led again. */
static void regrouping(void)
{
	struct perf_event_attr attr = dummy();
	int leader = perf_open(&attr, 0, -1, -1, 0), sibling = perf_open(&attr, 0, -1, leader, 0),
	    other;

	report(try_open(&attr, 0, -1, sibling, 0), "member of a sibling");
	report(try_open(&attr, 0, -1, sibling, PERF_FLAG_FD_NO_GROUP),
	       "member of a sibling, not to be led");
	close(leader);
	other = perf_try(&attr, 0, -1, sibling, 0);
	report(other, "member of a former sibling");
	close(other);
	close(sibling);
}

/* Events of other tasks: a child that lives, one that ended, one that was waited for, a thread's
 * number. */
static void tasks(void)
{
	struct perf_event_attr attr = dummy();
	siginfo_t info;
	int gate, fd;
	pid_t child = gated_child(&gate);

	if (child < 0)
		return;
	if (!child)
		_exit(0);
	fd = perf_try(&attr, child, -1, -1, 0);
	report(fd, "event of a child");
	attr.inherit = attr.enable_on_exec = 1;
	report(try_open(&attr, child, 0, -1, 0), "inherited event of a child on a processor");
	close(gate);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	report(try_open(&attr, child, -1, -1, 0), "event of a zombie");
	waitpid(child, NULL, 0);
	report(try_open(&attr, child, -1, -1, 0), "event of one that is gone");
	uint64_t value;

	printf("read of the child's event: %ld\n", (long)read(fd, &value, sizeof(value)));
	close(fd);
}

/* Prints the descriptor's type and flags. */
static void descriptors(void)
{
	struct perf_event_attr attr = dummy();
	char name[64] = "";
	int fd = perf_open(&attr, 0, -1, -1, 0),
	    cloexec = perf_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), copy;

	printf("F_GETFD %d and %d\n", fcntl(fd, F_GETFD), fcntl(cloexec, F_GETFD));
	printf("F_GETFL %x\n", (unsigned)fcntl(fd, F_GETFL) & ~0100000u);
	report(failed(write(fd, name, 8)), "write");
	report(failed(lseek(fd, 0, SEEK_SET)), "lseek");
	report(failed(pread(fd, name, 64, 0)), "pread");
	report(failed(ftruncate(fd, 0)), "ftruncate");
	report(failed(fsync(fd)), "fsync");
	copy = dup(fd);
	close(fd);
	printf("read of the copy: %ld\n", (long)read(copy, name, 64));
	close(copy);
	close(cloexec);
}

/* Writes a limit and shows what it is then. */
static void set_limit(const char *name, const char *value)
{
	char path[128], text[64] = "";
	int file;

	snprintf(path, sizeof(path), "/proc/sys/kernel/perf_event_%s", name);
	file = open(path, O_WRONLY | O_TRUNC);
	report(failed(file < 0 ? -1 : write(file, value, strlen(value))), "%s = '%s'", name, value);
	close(file);
	file = open(path, O_RDONLY);
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(file);
	printf("%s: %s%s", name, text, strchr(text, '\n') ? "" : "?\n");
}

static void limit_time(const char *percent)
{
	int fd = open("/proc/sys/kernel/perf_cpu_time_max_percent", O_WRONLY);

	if (write(fd, percent, strlen(percent)) < 0)
		printf("perf_cpu_time_max_percent: %s\n", strerror(errno));
	close(fd);
}

static void limits(void)
{
	static const char *const values[] = {"-1", "0",   " 1 ",         "2\n", "",
					     "x",  "1x",  "99999999999", "-2",  "- 1",
					     "+1", "0x1", "01",          "08",  "1 x"};
	struct perf_event_attr attr = dummy();

	for (unsigned i = 0; i < COUNT(values); i++)
		set_limit("paranoid", values[i]);
	set_limit("mlock_kb", "1000");
	set_limit("max_stack", "640");
	set_limit("max_stack", "-1");
	set_limit("max_stack", "127");
	limit_time("25"); /* without a limit, which spares Linux a busy host, the rate stays */
	set_limit("max_sample_rate", "0");
	set_limit("max_sample_rate", "-5");
	set_limit("max_sample_rate", "2000");
	attr.freq = 1;
	attr.sample_freq = 2001;
	report(try_attr(&attr), "a frequency above the limit");
	attr.sample_freq = 2000;
	report(try_attr(&attr), "a frequency at the limit");
	set_limit("max_sample_rate", "100000"); /* restores the limit for later programs */
	limit_time("0");
}

/* With no descriptor left: which errors come before that of the table. */
static void full_table(void)
{
	struct perf_event_attr attr = dummy(), unknown = dummy(), damaged = dummy(),
			       too_new = dummy(), fast = dummy();
	struct rlimit old, none;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	unknown.type = 999;
	damaged.sample_type = 1ull << 63;
	too_new.size = 0xffff;
	fast.freq = 1;
	fast.sample_freq = 1ull << 40;
	getrlimit(RLIMIT_NOFILE, &old);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	row("full table: good, type, reserved, size, frequency, pid, cpu, group, no group, flags, "
	    "cgroup");
	cell(try_attr(&attr));
	cell(try_attr(&unknown));
	cell(try_attr(&damaged));
	cell(try_attr(&too_new));
	cell(try_attr(&fast));
	cell(try_open(&attr, 4000000, -1, -1, 0));
	cell(try_open(&attr, 0, 8191, -1, 0));
	cell(try_open(&attr, 0, -1, fd, 0));
	cell(try_open(&attr, 0, -1, 900, 0));
	cell(try_open(&attr, 0, -1, -1, 1ul << 31));
	cell(try_open(&attr, -1, 0, -1, PERF_FLAG_PID_CGROUP));
	row_end();
	setrlimit(RLIMIT_NOFILE, &old);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	arguments();
	upper_halves();
	groups();
	group_sizes();
	regrouping();
	tasks();
	full_table();
	descriptors();
	limits();
	return 0;
}
