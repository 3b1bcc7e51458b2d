/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of tasks and mappings, under every flag that requests them. */
#include "print.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SIDEBAND_BITS                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP)

static int open_sideband(struct perf_event_attr *attr, uint64_t flags, struct perf_ring *ring,
			 struct expected *e)
{
	int fd;

	*attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr->sample_type = SIDEBAND_BITS;
	*attr_flags(attr) = flags | 1;
	fd = perf_try(attr, 0, attr->inherit ? 0 : -1, -1, 0);
	if (fd < 0 || !perf_map(ring, fd, RING_PAGES, PROT_READ | PROT_WRITE)) {
		printf("sideband %lx: %s\n", (unsigned long)flags, outcome(fd));
		return -1;
	}
	*e = expected_of(fd);
	return fd;
}

static void map_things(void)
{
	char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at, PAGE, PROT_READ | PROT_EXEC);
	munmap(at, 3 * PAGE);
	at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(at, 2 * PAGE);
	at =
	    mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	munmap(at, PAGE);
	at = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	munmap(at, PAGE);
}

/* As a JIT: code page by page, areas that merge, and moves. */
static void map_code(void)
{
	char *at = mmap((void *)0x10000000, 8 * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	mprotect(at + PAGE, PAGE, PROT_READ | PROT_EXEC);
	mprotect(at + 2 * PAGE, 2 * PAGE, PROT_READ | PROT_EXEC);
	mprotect(at + PAGE, PAGE, PROT_READ | PROT_EXEC);
	mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE);
	mprotect(at, 8 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	mremap(at + 4 * PAGE, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at + 64 * PAGE);
	mremap(at, 4 * PAGE, 6 * PAGE, 0);
	mmap(at + 6 * PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	munmap(at, 80 * PAGE);
	sbrk(PAGE);
	sbrk(-PAGE);
}

/* A file under two names, then without one; a part of this program, which has a build id. */
static void map_files(const char *self)
{
	int fd = open("/tmp/first", O_RDWR | O_CREAT, 0600), program = open(self, O_RDONLY);
	void *at;

	if (fd < 0 || program < 0 || ftruncate(fd, PAGE) || link("/tmp/first", "/tmp/second"))
		printf("cannot make files\n");
	for (unsigned step = 0; step < 4; step++) {
		at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, step % 2 ? MAP_SHARED : MAP_PRIVATE,
			  fd, 0);
		munmap(at, PAGE);
		if (step == 0)
			rename("/tmp/first", "/tmp/third");
		if (step == 1)
			unlink("/tmp/third");
		if (step == 2)
			unlink("/tmp/second");
	}
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, program, 0);
	munmap(at, PAGE);
	close(fd);
	close(program);
	fd = open("/dev/zero", O_RDWR);
	for (unsigned shared = 0; shared < 2; shared++) {
		at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		munmap(at, PAGE);
	}
	close(fd);
}

static uint32_t make_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_NAME, "a child of 16 bytes or more", 0, 0, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return (uint32_t)child;
}

/* Calls that leave namespaces report them, and only when they succeed. */
static void part(void)
{
	int first = open("/proc/self/ns/uts", O_RDONLY);

	unshare(0);
	unshare(CLONE_FS);
	unshare(1);
	setns(-1, 0);
	unshare(CLONE_NEWUTS);
	setns(first, CLONE_NEWUTS);
	close(first);
}

/* Flags by their bits: mmap 8, comm 9, task 13, mmap_data 17, sample_id_all 18, mmap2 23, comm_exec
 * 24, switch 26, namespaces 28, build_id 34. */
static void sidebands(const char *self)
{
	static const uint64_t flags[] = {1 << 8,
					 1 << 8 | 1 << 18,
					 1 << 8 | 1 << 23 | 1 << 18,
					 1 << 8 | 1 << 17 | 1 << 18,
					 1 << 8 | 1 << 17 | 1 << 23,
					 1 << 23,
					 1 << 17,
					 1 << 9,
					 1 << 9 | 1 << 18 | 1 << 24,
					 1 << 9 | 1 << 13 | 1 << 18 | 1 << 1,
					 1 << 13 | 1 << 1,
					 1 << 13,
					 1 << 9 | 1 << 13 | 1 << 8 | 1 << 1 | 1 << 18,
					 1 << 28,
					 1 << 28 | 1 << 13 | 1 << 18,
					 1 << 28 | 1 << 9 | 1 << 1,
					 1ul << 34,
					 1ul << 34 | 1 << 8,
					 1ul << 34 | 1 << 8 | 1 << 23,
					 1ul << 34 | 1 << 8 | 1 << 17 | 1 << 18 | 1 << 23};

	for (unsigned i = 0; i < COUNT(flags); i++) {
		struct perf_event_attr attr;
		struct perf_ring ring;
		struct expected e;
		int fd = open_sideband(&attr, flags[i], &ring, &e);

		if (fd < 0)
			continue;
		printf("sideband %lx\n", (unsigned long)flags[i]);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		map_things();
		map_code();
		map_files(self);
		prctl(PR_SET_NAME, "renamed", 0, 0, 0);
		e.child = make_child();
		part();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		drain(&ring, &attr, &e, 100);
		perf_unmap(&ring);
		close(fd);
	}
}

/* Records of a program's start, in the ring of its parent. */
static void execs(char *self)
{
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_ring ring;
	struct expected e;
	int gate, fd;
	pid_t child = gated_child(&gate);

	if (child < 0)
		return;
	if (!child) {
		execl(self, "sidebands", "nothing", NULL);
		_exit(1);
	}
	attr.sample_type = SIDEBAND_BITS;
	attr.enable_on_exec = attr.mmap = attr.comm = attr.task = attr.sample_id_all =
	    attr.comm_exec = 1;
	fd = perf_open(&attr, child, -1, -1, 0);
	perf_map(&ring, fd, RING_PAGES, PROT_READ | PROT_WRITE);
	e = expected_of(fd);
	e.child = (uint32_t)child;
	close(gate);
	waitpid(child, NULL, 0);
	printf("exec\n");
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
}

/* Switches to and from a task that waits. */
static void switches(void)
{
	struct perf_event_attr attr;
	struct perf_ring ring;
	struct expected e;
	int fd = open_sideband(&attr, 1 << 26 | 1 << 18, &ring, &e);

	if (fd < 0)
		return;
	printf("switches\n");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(20000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	drain(&ring, &attr, &e, 2);
	perf_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sidebands(argv[0]);
	execs(argv[0]);
	switches();
	return 0;
}
