/* SPDX-License-Identifier: BSD-2-Clause */
/* Every wrong attr, argument, ioctl and mapping gets Linux's errno. Linux 6.1 passes the same
 * table. */
#include "tests/guest/perf.h"
#include "tests/guest/count/attr_cases.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

static void expect(int got, int wanted, const char *name)
{
	bool good = wanted ? got == wanted : got >= 0;

	if (!good)
		printf("# got %d, wanted %d\n", got, wanted);
	ok(good, "%s", name);
	if (got >= 0)
		close(got);
}

static void attrs(bool hardware)
{
	for (unsigned i = 0; i < sizeof(attr_cases) / sizeof(attr_cases[0]); i++) {
		const struct attr_case *c = &attr_cases[i];
		struct perf_event_attr attr =
		    perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

		if (c->hardware) {
			attr.type = PERF_TYPE_HARDWARE;
			attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		}
		c->change(&attr);
		if (c->hardware && !hardware)
			skip(c->name, "no PMU");
		else
			expect(perf_try(&attr, 0, -1, -1, 0), of_vendor(c->wanted), c->name);
	}
}

/* ---- sizes of all versions ---- */

static void sizes(void)
{
	union {
		struct perf_event_attr attr;
		unsigned char bytes[4096 + 64];
	} big;
	static const uint32_t good[] = {0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 4096};
	static const uint32_t wrong[] = {1, 63, 4097, 65536, 0xffffffff};

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(&big, 0, sizeof(big));
		big.attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
		big.attr.size = good[i];
		expect(perf_try(&big.attr, 0, -1, -1, 0), 0, "size of a version");
	}
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		big.attr.size = wrong[i];
		expect(perf_try(&big.attr, 0, -1, -1, 0), -E2BIG, "impossible size");
		ok(big.attr.size >= PERF_ATTR_SIZE_VER7 && big.attr.size <= 256,
		   "the right size is written back");
	}
	big.attr.size = 4096;
	big.bytes[4000] = 1;
	expect(perf_try(&big.attr, 0, -1, -1, 0), -E2BIG, "a field from the future");
	expect(perf_try(NULL, 0, -1, -1, 0), -EFAULT, "no attr");
	expect(perf_try((void *)0xffff888000000000, 0, -1, -1, 0), -EFAULT,
	       "an attr in the kernel");
}

/* ---- the other arguments ---- */

static void arguments(bool hardware)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY),
			       other = attr;
	int leader = perf_open(&attr, 0, -1, -1, 0), on_cpu = perf_open(&attr, -1, 0, -1, 0);
	int pipes[2];

	expect(perf_try(&attr, 0, -1, -1, 16), -EINVAL, "unknown flag");
	expect(perf_try(&attr, -1, -1, -1, 0), -EINVAL, "no task and no processor");
	expect(perf_try(&attr, 0, 100000, -1, 0), -EINVAL, "a processor that cannot exist");
	expect(perf_try(&attr, 0, -2, -1, 0), -EINVAL, "processor -2");
	expect(perf_try(&attr, 0, 0, -1, 0), 0, "this task on processor 0");
	expect(perf_try(&attr, -1, 0, -1, 0), 0, "all tasks on processor 0");
	expect(perf_try(&attr, 4000000, -1, -1, 0), -ESRCH, "no such task");
	expect(perf_try(&attr, -2, -1, -1, 0), -ESRCH, "task -2");
	expect(perf_try(&attr, getpid(), -1, -1, 0), 0, "this task by its number");
	expect(perf_try(&attr, 0, -1, 1000, 0), -EBADF, "group: not a descriptor");
	expect(perf_try(&attr, 0, -1, -2, 0), -EBADF, "group: descriptor -2");
	expect(perf_try(&attr, 0, -1, 1, 0), -EBADF, "group: not an event");
	expect(perf_try(&attr, 0, -1, -1, PERF_FLAG_PID_CGROUP), -EINVAL,
	       "cgroup without processor");
	expect(perf_try(&attr, -1, 0, -1, PERF_FLAG_PID_CGROUP), -EINVAL,
	       "cgroup without descriptor");
	expect(perf_try(&attr, 1000, 0, -1, PERF_FLAG_PID_CGROUP), -EBADF,
	       "cgroup: not a descriptor");
	if (!pipe(pipes)) {
		expect(perf_try(&attr, pipes[0], 0, -1, PERF_FLAG_PID_CGROUP), -EBADF,
		       "cgroup: not a cgroup");
		expect(perf_try(&attr, 0, -1, pipes[0], 0), -EBADF, "group: a pipe");
	}
	expect(perf_try(&attr, 0, -1, leader, 0), 0, "a group");
	expect(perf_try(&attr, 0, 0, leader, 0), -EINVAL, "group on another processor");
	expect(perf_try(&attr, 0, -1, on_cpu, 0), -EINVAL, "group of a processor");
	expect(perf_try(&attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP), 0,
	       "a leader that is not to lead");
	expect(perf_try(&attr, 0, -1, leader, PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP), -EINVAL,
	       "output to an event without buffer");
	other.inherit = 1;
	expect(perf_try(&other, 0, -1, leader, 0), -EINVAL, "group with another inherit");
	other = attr;
	other.pinned = 1;
	expect(perf_try(&other, 0, -1, leader, 0), -EINVAL, "pinned sibling");
	other = attr;
	other.exclusive = 1;
	expect(perf_try(&other, 0, -1, leader, 0), -EINVAL, "exclusive sibling");
	other = attr;
	other.use_clockid = 1;
	other.clockid = 1;
	expect(perf_try(&other, 0, -1, leader, 0), -EINVAL, "group of two clocks");
	int sibling = perf_open(&attr, 0, -1, leader, 0);

	expect(perf_try(&attr, 0, -1, sibling, 0), -EINVAL, "a sibling cannot lead");
	other = attr;
	other.sigtrap = other.remove_on_exec = 1;
	expect(perf_try(&other, -1, 0, -1, 0), -EINVAL, "sigtrap without a task");
	expect(perf_try(&other, 0, -1, -1, 0), 0, "sigtrap");
	if (hardware) {
		other = perf_user_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
		expect(perf_try(&other, 0, -1, leader, 0), 0,
		       "hardware event in a group of software events");
	}
	int closes = perf_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	ok(fcntl(closes, F_GETFD) == FD_CLOEXEC, "PERF_FLAG_FD_CLOEXEC");
	ok(fcntl(leader, F_GETFD) == 0, "an event without PERF_FLAG_FD_CLOEXEC");
	ok((fcntl(leader, F_GETFL) & O_ACCMODE) == O_RDWR,
	   "an event is open for reading and writing");
	close(closes);
	close(sibling);
	close(leader);
	close(on_cpu);
	close(pipes[0]);
	close(pipes[1]);
}

/* A group with more members than there are counters. */
static void large_group(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_RAW, 0x412e);
	int fds[64], n = 0, err = 0;

	attr.disabled = 0;
	while (n < 64 && (err = perf_try(&attr, 0, -1, n ? fds[0] : -1, 0)) >= 0)
		fds[n++] = err;
	ok(err == -EINVAL && n >= 2 && n <= 32, "a group that cannot fit: EINVAL after %d members",
	   n);
	while (n)
		close(fds[--n]);
}

/* ---- ioctl, read, mmap ---- */

static int control(int fd, unsigned long command, void *argument)
{
	return ioctl(fd, command, argument) < 0 ? -errno : 0;
}

static void ioctls(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY),
			       other = attr;
	int counting = perf_open(&attr, 0, -1, -1, 0), sampling, inherited;
	uint64_t value = 0, id = 0;
	char page[8192];

	attr.sample_period = 1000;
	sampling = perf_open(&attr, 0, -1, -1, 0);
	attr.inherit = 1;
	inherited = perf_open(&attr, 0, -1, -1, 0);
	expect(control(counting, PERF_EVENT_IOC_REFRESH, (void *)1), -EINVAL,
	       "REFRESH of a counting event");
	expect(control(inherited, PERF_EVENT_IOC_REFRESH, (void *)1), -EINVAL,
	       "REFRESH of an inherited event");
	expect(control(counting, PERF_EVENT_IOC_PERIOD, &value), -EINVAL,
	       "PERIOD of a counting event");
	expect(control(sampling, PERF_EVENT_IOC_PERIOD, &value), -EINVAL, "PERIOD 0");
	value = 1ull << 63;
	expect(control(sampling, PERF_EVENT_IOC_PERIOD, &value), -EINVAL, "PERIOD of 64 bits");
	expect(control(sampling, PERF_EVENT_IOC_PERIOD, NULL), -EFAULT, "PERIOD from nowhere");
	value = 5;
	ok(control(sampling, PERF_EVENT_IOC_PERIOD, &value) == 0, "PERIOD");
	ok(control(sampling, PERF_EVENT_IOC_ID, &id) == 0 && id != 0, "ID");
	expect(control(sampling, PERF_EVENT_IOC_ID, NULL), -EFAULT, "ID to nowhere");
	expect(control(sampling, PERF_EVENT_IOC_SET_OUTPUT, (void *)1000), -EBADF,
	       "SET_OUTPUT: not a descriptor");
	expect(control(sampling, PERF_EVENT_IOC_SET_OUTPUT, (void *)1), -EBADF,
	       "SET_OUTPUT: not an event");
	expect(control(sampling, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)sampling), -EINVAL,
	       "SET_OUTPUT to itself");
	expect(control(sampling, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)counting), -EINVAL,
	       "SET_OUTPUT without buffer");
	ok(control(sampling, PERF_EVENT_IOC_SET_OUTPUT, (void *)-1) == 0, "SET_OUTPUT to none");
	expect(control(sampling, PERF_EVENT_IOC_PAUSE_OUTPUT, (void *)1), -EINVAL,
	       "PAUSE_OUTPUT without buffer");
	expect(control(sampling, PERF_EVENT_IOC_SET_FILTER, "x"), -EINVAL, "SET_FILTER");
	expect(control(sampling, PERF_EVENT_IOC_SET_FILTER, NULL), -EFAULT,
	       "SET_FILTER from nowhere");
	memset(page, 'x', sizeof(page));
	expect(control(sampling, PERF_EVENT_IOC_SET_FILTER, page), -EINVAL,
	       "SET_FILTER without end");
	expect(control(sampling, PERF_EVENT_IOC_SET_BPF, (void *)1000), -EBADF,
	       "SET_BPF: not a descriptor");
	expect(control(sampling, PERF_EVENT_IOC_SET_BPF, (void *)(long)sampling), -EINVAL,
	       "SET_BPF: not a program");
	expect(control(sampling, PERF_EVENT_IOC_QUERY_BPF, page), -EINVAL, "QUERY_BPF");
	expect(control(sampling, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other), -EOPNOTSUPP,
	       "MODIFY_ATTRIBUTES");
	other.type = PERF_TYPE_RAW;
	expect(control(sampling, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other), -EINVAL,
	       "MODIFY_ATTRIBUTES of another type");
	expect(control(sampling, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, NULL), -EFAULT,
	       "MODIFY_ATTRIBUTES from nowhere");
	expect(control(sampling, _IO('$', 99), NULL), -ENOTTY, "unknown ioctl");
	expect(control(sampling, 0, NULL), -ENOTTY, "ioctl 0");
	errno = 0;
	ok(write(sampling, page, 8) == -1 && errno == EINVAL, "an event cannot be written");
	errno = 0;
	ok(lseek(sampling, 0, SEEK_SET) == -1 && errno == ESPIPE, "an event cannot seek: ESPIPE");
	errno = 0;
	ok(read(sampling, page, 4) == -1 && errno == ENOSPC, "read into too small a buffer");
	errno = 0;
	ok(syscall(SYS_read, sampling, 8, 8) == -1 && errno == EFAULT, "read to nowhere");
	struct pollfd poll_fd = {.fd = sampling, .events = POLLIN};

	ok(poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLHUP, "poll without buffer: POLLHUP");
	close(counting);
	close(sampling);
	close(inherited);
}

static int map_errno(int fd, size_t bytes, int prot, int flags, long offset)
{
	void *map = mmap(NULL, bytes, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, bytes);
	return 0;
}

static void expect_map(int got, int wanted, const char *name)
{
	if (got != wanted)
		printf("# got %d, wanted %d\n", got, wanted);
	ok(got == wanted, "%s", name);
}

static void mappings(void)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int fd = perf_open(&attr, 0, -1, -1, 0), second = perf_open(&attr, 0, -1, -1, 0), inherited,
	    on_cpu;
	const int rw = PROT_READ | PROT_WRITE;
	void *map;

	attr.inherit = 1;
	inherited = perf_open(&attr, 0, -1, -1, 0);
	on_cpu = perf_open(&attr, 0, 0, -1, 0);
	expect_map(map_errno(fd, 4096, rw, MAP_SHARED, 0), 0, "map the user page alone");
	expect_map(map_errno(fd, 2 * 4096, rw, MAP_SHARED, 0), 0, "map 1 + 1 pages");
	expect_map(map_errno(fd, 9 * 4096, PROT_READ, MAP_SHARED, 0), 0,
		   "map 1 + 8 pages to read only");
	expect_map(map_errno(fd, 4 * 4096, rw, MAP_SHARED, 0), -EINVAL, "map 1 + 3 pages");
	expect_map(map_errno(fd, 8 * 4096, rw, MAP_SHARED, 0), -EINVAL, "map 1 + 7 pages");
	expect_map(map_errno(fd, 9 * 4096, rw, MAP_PRIVATE, 0), -EINVAL, "map privately");
	expect_map(map_errno(fd, 9 * 4096, rw, MAP_SHARED, 4096), -EINVAL, "map from page 1");
	expect_map(map_errno(inherited, 9 * 4096, rw, MAP_SHARED, 0), -EINVAL,
		   "map an inherited event on any processor");
	expect_map(map_errno(on_cpu, 9 * 4096, rw, MAP_SHARED, 0), 0,
		   "map an inherited event of one processor");
	map = mmap(NULL, 9 * 4096, rw, MAP_SHARED, fd, 0);
	expect_map(map_errno(fd, 5 * 4096, rw, MAP_SHARED, 0), -EINVAL,
		   "map again with another size");
	expect_map(map_errno(fd, 9 * 4096, rw, MAP_SHARED, 0), 0, "map again with the same size");
	expect_map(map_errno(fd, 4096, rw, MAP_SHARED, 9 * 4096), -EINVAL,
		   "map an AUX area that is not there");
	ok(control(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, (void *)1) == 0, "PAUSE_OUTPUT with a buffer");
	expect_map(control(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)second), -EINVAL,
		   "SET_OUTPUT of a mapped event");
	ok(control(second, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)fd) == 0,
	   "SET_OUTPUT to a mapped event");
	struct perf_event_mmap_page *page = map;

	ok(page->version == 0 && page->compat_version == 0 && page->data_offset == 4096 &&
	       page->data_size == 8 * 4096 && page->aux_offset == 0 && page->aux_size == 0 &&
	       page->cap_bit0 == 0 && page->cap_bit0_is_deprecated == 1 &&
	       page->size == __builtin_offsetof(struct perf_event_mmap_page, __reserved),
	   "the user page says what it is");
	page->aux_offset = 16 * 4096;
	page->aux_size = 4 * 4096;
	expect_map(map_errno(fd, 4 * 4096, rw, MAP_SHARED, 16 * 4096), -EOPNOTSUPP,
		   "map an AUX area of a PMU that has none");
	munmap(map, 9 * 4096);
	struct pollfd poll_fd = {.fd = second, .events = POLLIN};

	ok(poll(&poll_fd, 1, 0) == 1 && poll_fd.revents == POLLHUP,
	   "a buffer that nobody maps is gone for all that used it");
	close(fd);
	close(second);
	close(inherited);
	close(on_cpu);
}

int main(void)
{
	bool hardware = have_hardware();

	setvbuf(stdout, NULL, _IOLBF, 0);
	attrs(hardware);
	sizes();
	arguments(hardware);
	if (hardware)
		large_group();
	ioctls();
	mappings();
	return tap_end();
}
