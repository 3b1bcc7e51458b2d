/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events: clocks, page faults, dummies; their samples; SIGIO and SIGTRAP. They need no
 * PMU. */
#include "tests/guest/perf.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

#define PAGES 64

static struct perf_record record;
static unsigned char *pages;

static struct perf_event_attr software(uint64_t config)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, config);

	attr.disabled = 1;
	return attr;
}

static void fresh_pages(void)
{
	pages =
	    mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void touch_pages(void)
{
	for (unsigned i = 0; i < PAGES; i++)
		((volatile unsigned char *)pages)[i * 4096 + 8] = 1;
}

static void drop_pages(void)
{
	munmap(pages, PAGES * 4096);
}

static uint64_t faults(uint64_t config, bool user, bool kernel)
{
	struct perf_event_attr attr = software(config);
	uint64_t count;
	int fd;

	attr.exclude_user = !user;
	attr.exclude_kernel = !kernel;
	fd = perf_open(&attr, 0, -1, -1, 0);
	fresh_pages();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch_pages();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drop_pages();
	count = perf_value(fd);
	close(fd);
	return count;
}

static void counts(void)
{
	static const uint64_t never[] = {PERF_COUNT_SW_DUMMY,
					 PERF_COUNT_SW_ALIGNMENT_FAULTS,
					 PERF_COUNT_SW_EMULATION_FAULTS,
					 PERF_COUNT_SW_CPU_MIGRATIONS,
					 PERF_COUNT_SW_BPF_OUTPUT,
					 PERF_COUNT_SW_CGROUP_SWITCHES,
					 PERF_COUNT_SW_PAGE_FAULTS_MAJ};

	is(faults(PERF_COUNT_SW_PAGE_FAULTS, true, true), PAGES, "page faults");
	is(faults(PERF_COUNT_SW_PAGE_FAULTS_MIN, true, true), PAGES, "minor page faults");
	is(faults(PERF_COUNT_SW_PAGE_FAULTS, true, false), PAGES, "page faults of ring 3");
	is(faults(PERF_COUNT_SW_PAGE_FAULTS, false, true), 0, "page faults of ring 0");
	for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		is(faults(never[i], true, true), 0, "events that do not happen");
}

/* A page fault of the kernel on behalf of the program. */
static void kernel_faults(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	int fd, zero = open("/dev/zero", O_RDONLY);

	if (zero < 0) {
		skip("page faults of user copies", "no /dev/zero");
		return;
	}
	attr.exclude_user = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	fresh_pages();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (read(zero, pages, PAGES * 4096) != PAGES * 4096)
		pages[0] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drop_pages();
	is(perf_value(fd), PAGES, "page faults of user copies count in ring 0");
	close(fd);
	close(zero);
}

static void fault_samples(uint64_t period, uint64_t type, unsigned wanted)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	unsigned samples = 0, right = 0;
	struct perf_ring ring;
	int fd;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_ADDR | type;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	fresh_pages();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	touch_pages();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		uint64_t offset = record.words[0] - (uintptr_t)pages;

		samples++;
		right += offset < PAGES * 4096 && offset % 4096 == 8;
	}
	drop_pages();
	ok(samples == wanted && right == wanted,
	   "every %lluth page fault is sampled with its address%s", (unsigned long long)period,
	   type & PERF_SAMPLE_PERIOD ? " (with PERIOD: every one)" : "");
	perf_unmap(&ring);
	close(fd);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void clocks(uint64_t config, const char *name)
{
	struct perf_event_attr attr = software(config);
	uint64_t start, inside, outside;
	int fd = perf_open(&attr, 0, -1, -1, 0);

	start = now(CLOCK_MONOTONIC);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	inside = now(CLOCK_MONOTONIC);
	perf_loop(500000);
	inside = now(CLOCK_MONOTONIC) - inside;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	outside = now(CLOCK_MONOTONIC) - start;
	ok(perf_value(fd) >= inside * 9 / 10 && perf_value(fd) <= outside, "%s counts nanoseconds",
	   name);
	close(fd);
}

static void clock_samples(uint64_t config, bool frequency)
{
	struct perf_event_attr attr = software(config);
	uint64_t first = 0, last = 0;
	unsigned samples = 0, in_loop = 0;
	struct perf_ring ring;
	int fd;

	attr.freq = frequency;
	attr.sample_period = frequency ? 10000 : 100000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 16, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	perf_loop(2500000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_next(&ring, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		in_loop += record.words[0] >= (uintptr_t)perf_loop_begin &&
			   record.words[0] <= (uintptr_t)perf_loop_end;
		first = first ? first : record.words[1];
		last = record.words[1];
		samples += record.words[2] == 100000;
	}
	printf("# %u samples, %u in the loop, in %llu ns\n", samples, in_loop,
	       (unsigned long long)(last - first));
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		skip("a clock samples the loop", "the host's time drives several processors");
	} else {
		ok(samples > 5 && in_loop >= samples - 1, "a clock samples the loop");
		ok(samples > 1 && (last - first) / (samples - 1) >= 99000 &&
		       (last - first) / (samples - 1) < 200000,
		   "every 100 us");
	}
	perf_unmap(&ring);
	close(fd);
}

/* Time stamps by the clock that use_clockid names. */
static void clockids(void)
{
	static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
					CLOCK_MONOTONIC_RAW, CLOCK_TAI};

	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
		struct perf_ring ring;
		uint64_t before, after;
		int fd;

		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_TIME;
		attr.use_clockid = 1;
		attr.clockid = ids[i];
		fd = perf_open(&attr, 0, -1, -1, 0);
		perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
		fresh_pages();
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		before = now(ids[i]);
		touch_pages();
		after = now(ids[i]);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		/* The clocks' own pages may fault as well, before. */
		ok(perf_next(&ring, &record), "a sample with clock %d", (int)ids[i]);
		while (record.words[0] < before && perf_next(&ring, &record))
			;
		ok(record.words[0] >= before && record.words[0] <= after,
		   "a sample's time is between two reads of its clock");
		drop_pages();
		perf_unmap(&ring);
		close(fd);
	}
}

static volatile sig_atomic_t signals, bands, last_fd;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	signals++;
	bands |= info->si_code == POLL_HUP ? 2 : info->si_code == POLL_IN ? 1 : 4;
	last_fd = info->si_fd;
}

/* fcntl's O_ASYNC: a signal for each sample; the last of REFRESH reports that no more will come. */
static void sigio(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct perf_ring ring;
	int fd;

	sigaction(SIGRTMIN, &action, NULL);
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	fcntl(fd, F_SETSIG, SIGRTMIN);
	fcntl(fd, F_SETOWN, getpid());
	fresh_pages();
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 5);
	touch_pages();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drop_pages();
	printf("# %d signals, codes %d\n", (int)signals, (int)bands);
	ok(signals == 5, "five samples send five signals");
	ok(bands == 3, "four with POLL_IN, the last with POLL_HUP");
	is((uint64_t)last_fd, (uint64_t)fd, "si_fd names the event");
	perf_unmap(&ring);
	close(fd);
}

static volatile uint64_t trap_data, trap_address, trap_count;

static void on_trap(int signo, siginfo_t *info, void *context)
{
	/* si_perf_data and si_perf_type follow si_addr; C libraries of 2023 have no names for
	 * them. */
	(void)signo, (void)context;
	trap_count += info->si_code == TRAP_PERF;
	trap_address = (uintptr_t)info->si_addr;
	memcpy((void *)&trap_data, (char *)&info->si_addr + sizeof(void *), sizeof(trap_data));
}

static void sigtrap(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
	int fd;

	sigaction(SIGTRAP, &action, NULL);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_ADDR;
	attr.exclude_kernel = 1;
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = 0x1234567890abcdef;
	fd = perf_open(&attr, 0, -1, -1, 0);
	fresh_pages();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	((volatile unsigned char *)pages)[3 * 4096 + 8] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	is(trap_count, 1, "sigtrap: one sample, one SIGTRAP");
	is(trap_data, 0x1234567890abcdef, "SIGTRAP has sig_data");
	is(trap_address, (uintptr_t)pages + 3 * 4096 + 8, "SIGTRAP has the sample's address");
	drop_pages();
	close(fd);
}

static volatile uint64_t late_traps, wrong_traps;

/* A trap of a counter has no address; `late`: its PMI came in ring 0, so that it comes after a
 * SYSCALL. */
static void on_late_trap(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *user = context;
	const char *after = (const char *)user->uc_mcontext.gregs[REG_RIP];

	on_trap(signo, info, context);
	late_traps += !memcmp(after - 2, "\x0f\x05", 2);
	wrong_traps += trap_address || trap_data != 0xfedcba0987654321;
}

static void late_sigtrap(void)
{
	struct perf_event_attr attr =
	    perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct sigaction action = {.sa_sigaction = on_late_trap, .sa_flags = SA_SIGINFO};
	int fd;

	if (!have_hardware()) {
		skip("late traps", "no PMU");
		return;
	}
	sigaction(SIGTRAP, &action, NULL);
	trap_count = 0;
	attr.sample_period = 1009;
	attr.sample_type = PERF_SAMPLE_ADDR;
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = 0xfedcba0987654321;
	fd = perf_open(&attr, 0, -1, -1, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 20000 && late_traps < 4; i++)
		syscall(SYS_getppid);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ok(late_traps > 0, "%lu of %lu traps of a counter are late", (unsigned long)late_traps,
	   (unsigned long)trap_count);
	is(wrong_traps, 0, "late SIGTRAPs have sig_data and no address");
	close(fd);
}

/* A group of software events is read at once. */
static void group(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t values[8];
	int leader, sibling;

	attr.read_format =
	    PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	leader = perf_open(&attr, 0, -1, -1, 0);
	attr.disabled = 0;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	sibling = perf_open(&attr, 0, -1, leader, 0);
	fresh_pages();
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	touch_pages();
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	drop_pages();
	is((uint64_t)read(leader, values, sizeof(values)), 40, "a group is read");
	ok(values[0] == 2 && values[1] == values[2] && values[3] == PAGES && values[4] == PAGES,
	   "the group's members ran together");
	close(sibling);
	close(leader);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	counts();
	kernel_faults();
	fault_samples(1, 0, PAGES);
	fault_samples(7, 0, PAGES / 7);
	fault_samples(7, PERF_SAMPLE_PERIOD, PAGES);
	clocks(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	clocks(PERF_COUNT_SW_TASK_CLOCK, "task-clock");
	clock_samples(PERF_COUNT_SW_CPU_CLOCK, false);
	clock_samples(PERF_COUNT_SW_TASK_CLOCK, true);
	clockids();
	group();
	sigio();
	sigtrap();
	late_sigtrap();
	return tap_end();
}
