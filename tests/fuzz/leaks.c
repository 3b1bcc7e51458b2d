/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing comes out of the kernel that is not the caller's: memory of tasks that ended, padding of
 * structs, rings. */
#include "tests/fuzz/fuzz.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/ucontext.h>
#include <sys/utsname.h>

#define SECRET       0x5ec2e75ec2e75ec2ul /* bytes that the dead task leaves everywhere */
#define SECRET_BYTES (8ul << 20)
#define HEAP_BYTES   (1ul << 20)

static void fill(volatile uint64_t *words, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = SECRET;
}

/* The words that hold the secret, or point into the kernel. */
static long suspects(const void *memory, size_t bytes)
{
	const uint64_t *words = memory;
	long found = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		found += words[i] == SECRET ||
			 (words[i] >= KERNEL_MAP && words[i] < UINT64_MAX - (1ul << 32) + 1);
	return found;
}

/* The heap's next pages. */
static void *grow_heap(void)
{
	unsigned long end = (unsigned long)syscall(SYS_brk, 0), start = (end + PAGE - 1) & -PAGE;

	syscall(SYS_brk, start + HEAP_BYTES);
	return (void *)start;
}

/* Fills memory, stack, pipes, files and vector registers, and dies. */
__attribute__((noinline)) static void leave_secrets(uint64_t unused)
{
	uint64_t *map =
	    mmap(NULL, SECRET_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile uint64_t stack[32768];
	int ends[2], file = open("/tmp/secret", O_CREAT | O_RDWR | O_TRUNC, 0600);

	(void)unused;
	fill(map, SECRET_BYTES);
	fill(stack, sizeof(stack));
	fill(grow_heap(), HEAP_BYTES);
	write(file, map, 1 << 20);
	unlink("/tmp/secret");
	pipe(ends);
	write(ends[1], map, 60000);
	__asm__ volatile("movq %0, %%xmm0; movq %0, %%xmm7; movq %0, %%xmm15; movq %0, %%mm3"
			 :
			 : "r"(SECRET)
			 : "xmm0", "xmm7", "xmm15", "mm3");
	raise(SIGKILL);
}

static void test_fresh_memory(void)
{
	void *map =
	    mmap(NULL, SECRET_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *shared =
	    mmap(NULL, SECRET_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *brk = grow_heap();

	is(suspects(map, SECRET_BYTES), 0, "fresh memory is zero");
	is(suspects(shared, SECRET_BYTES), 0, "shared as well");
	is(suspects(brk, HEAP_BYTES), 0, "fresh heap is zero");
	munmap(map, SECRET_BYTES);
	munmap(shared, SECRET_BYTES);
}

/* The stack below what this program ever used. */
__attribute__((noinline)) static void test_fresh_stack(void)
{
	volatile uint64_t deep[65536];
	long found = 0;

	__asm__ volatile("" : "=m"(deep)); /* whatever is there */
	for (size_t i = 0; i < COUNT(deep) - 1024; i++)
		found += deep[i] == SECRET;
	is(found, 0, "the stack grows into zeros");
}

static void test_fresh_files(void)
{
	static uint64_t bytes[1 << 17];
	int file = open("/tmp/hole", O_CREAT | O_RDWR | O_TRUNC, 0600);
	void *map;

	pwrite(file, "x", 1, sizeof(bytes) - 1);
	is(pread(file, bytes, sizeof(bytes), 0) == sizeof(bytes) && !suspects(bytes, sizeof(bytes)),
	   1, "holes of a file are zeros");
	ftruncate(file, 100);
	ftruncate(file, sizeof(bytes));
	map = mmap(NULL, sizeof(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	is(suspects(map, sizeof(bytes)), 0, "the part that a file grows by is zero");
	munmap(map, sizeof(bytes));
	close(file);
	unlink("/tmp/hole");
}

static void test_fresh_ring(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	char *map = mmap(NULL, 65 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ok(map != MAP_FAILED && !suspects(map + PAGE, 64 * PAGE), "a ring begins empty");
	/* The user page's fields end at 1120; time_zero may be any number. */
	ok(map != MAP_FAILED && !suspects(map + 1120, PAGE - 1120),
	   "the rest of a fresh ring's first page is zero");
	munmap(map, 65 * PAGE);
	close(fd);
}

static void test_fresh_vectors(void)
{
	uint64_t values[4];

	__asm__ volatile("movq %%xmm7, %0; movq %%xmm15, %1; movq %%mm3, %2; movq %%xmm0, %3"
			 : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3]));
	is(suspects(values, sizeof(values)), 0, "vector registers hold nothing of another task's");
}

/* Every call that fills a struct, into memory that was marked. */
static union {
	uint64_t words[512];
	struct stat stat;
	struct statfs statfs;
	struct rusage rusage;
	struct utsname name;
	struct sysinfo info;
	struct tms times;
	siginfo_t siginfo;
	stack_t stack;
	struct rlimit limit;
	struct timespec time;
} out;

static long call(unsigned which)
{
	static int ends[2];
	uint64_t mask = 1ul << (SIGUSR1 - 1);

	switch (which) {
	case 0:
		return syscall(SYS_stat, "/proc/self/exe", &out);
	case 1:
		return syscall(SYS_fstat, 0, &out);
	case 2:
		return syscall(SYS_statfs, "/", &out);
	case 3:
		return syscall(SYS_getrusage, RUSAGE_SELF, &out);
	case 4:
		return syscall(SYS_uname, &out);
	case 5:
		return syscall(SYS_sysinfo, &out);
	case 6:
		return syscall(SYS_times, &out);
	case 7:
		return syscall(SYS_statx, AT_FDCWD, "/", 0, 0x7ff, &out);
	case 8:
		return syscall(SYS_sigaltstack, NULL, &out);
	case 9:
		return syscall(SYS_getdents64, open("/proc/self", O_RDONLY), &out, sizeof(out));
	case 10:
		return syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &out);
	case 11:
		if (!fork())
			_exit(1);
		return syscall(SYS_waitid, P_ALL, 0, &out, WEXITED, NULL);
	case 12:
		raise(SIGUSR1);
		return syscall(SYS_rt_sigtimedwait, &mask, &out, NULL, 8);
	case 13:
		return syscall(SYS_rt_sigaction, SIGUSR2, NULL, &out, 8);
	case 14:
		return syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &out);
	case 15:
		return syscall(SYS_getitimer, 0, &out);
	case 16:
		return syscall(SYS_sched_getaffinity, 0, sizeof(out), &out);
	case 17:
		return pipe(ends) || syscall(SYS_fstat, ends[0], &out);
	default:
		return syscall(SYS_readlink, "/proc/self/cwd", &out, sizeof(out)) < 0;
	}
}

static void test_structs(void)
{
	sigset_t set;
	long found = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (unsigned which = 0; which <= 18; which++) {
		memset(&out, 0x11, sizeof(out));
		if (call(which) < 0 || suspects(&out, sizeof(out))) {
			printf("# call %u: %s\n", which, strerror(errno));
			found++;
		}
	}
	is(found, 0, "no struct that a call fills tells more than its fields");
}

static long in_frame = -1;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo;
	/* From the siginfo to the end of the vector state, all is of the kernel's making. */
	in_frame = suspects(info, sizeof(*info)) + suspects(user, sizeof(*user)) +
		   (user->uc_mcontext.fpregs ? suspects(user->uc_mcontext.fpregs, 512 + 64) : 0);
}

static void test_frames(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	is(in_frame, 0, "a signal's frame holds nothing of the kernel's");
}

int main(void)
{
	for (unsigned i = 0; i < 3; i++)
		contained(leave_secrets, 0, ENDS_MS);
	test_fresh_vectors();
	test_fresh_memory();
	test_fresh_stack();
	test_fresh_files();
	test_fresh_ring();
	test_structs();
	test_frames();
	return tap_end();
}
