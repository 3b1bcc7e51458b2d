/* SPDX-License-Identifier: BSD-2-Clause */
/* Random system calls with random, boundary and valid arguments, a few dozen to a process. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sysv.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/resource.h>
#include <sys/time.h>

#define BATCHES    500
#define CALLS      40
#define NUMBERS    601
#define LEAK_BYTES (512 * 1024) /* memory that a second round may cost: tables that grew */

static char *arena; /* rw, ro, none, rw, (nothing) */
static char *const *paths;
static uint64_t pointers[24];
static int home;

static char *const path_strings[] = {"a",          "b",         "b/c",       "",
				     "/",          ".",         "..",        "/proc/self/maps",
				     "l",          "/dev/zero", "/dev/null", "/proc/self/fd/3",
				     "/proc/self", "/nothing",  "a/",        "l/l/l"};

static const uint64_t sizes[] = {
    0,         1,         7,       8,         16,        128,        4095,      4096,
    4097,      65536,     1 << 20, 1ul << 31, 1ul << 32, 1ul << 40,  1ul << 47, 0x7ffffffff000,
    1ul << 62, 1ul << 63, -1ul,    -8ul,      -4096ul,   0x7fffffff, -100ul};

/* Calls that end or hide the process, stop the machine, or reach beyond the process. */
static bool is_excluded(long number)
{
	switch (number) {
	case SYS_exit:
	case SYS_exit_group:
	case SYS_rt_sigreturn:
	case SYS_reboot:
	case SYS_setsid:
	case SYS_setpgid:
	case SYS_kexec_load:
	case SYS_kexec_file_load:
	case SYS_ioperm:
	case SYS_iopl:
	case SYS_vhangup:
	case SYS_syslog:
	case SYS_mount:
	case SYS_umount2:
	case SYS_pivot_root:
	case SYS_chroot:
	case SYS_settimeofday:
	case SYS_clock_settime:
	case SYS_clock_adjtime:
	case SYS_adjtimex:
		return true;
	default:
		return false;
	}
}

/* Calls whose first argument names processes: only the caller, or no process, may be named. */
static bool names_processes(long number)
{
	return number == SYS_kill || number == SYS_tkill || number == SYS_tgkill ||
	       number == SYS_rt_sigqueueinfo || number == SYS_rt_tgsigqueueinfo ||
	       number == SYS_prlimit64 || number == SYS_ptrace || number == SYS_pidfd_open;
}

static void make_arena(void)
{
	const uint64_t list[] = {
	    0,
	    1,
	    PAGE - 1,
	    (uint64_t)arena,
	    (uint64_t)arena + 64,
	    (uint64_t)arena + 1,
	    (uint64_t)arena + PAGE - 8, /* continues read-only */
	    (uint64_t)arena + PAGE,
	    (uint64_t)arena + 2 * PAGE - 4,
	    (uint64_t)arena + 2 * PAGE,
	    (uint64_t)arena + 3 * PAGE,
	    (uint64_t)arena + 4 * PAGE - 1, /* nothing follows */
	    (uint64_t)arena + 4 * PAGE - 64,
	    (uint64_t)arena + 4 * PAGE,
	    USER_LAST,
	    USER_LAST + PAGE - 8,
	    USER_LAST + PAGE,
	    1ul << 47,
	    0x8000000000000000,
	    KERNEL_MAP,
	    KERNEL_MAP - 16,
	    KERNEL,
	    -16ul,
	    -1ul,
	};

	_Static_assert(sizeof(list) == sizeof(pointers), "as many");
	mprotect(arena + PAGE, PAGE, PROT_READ);
	mprotect(arena + 2 * PAGE, PAGE, PROT_NONE);
	munmap(arena + 4 * PAGE, PAGE);
	memcpy(pointers, list, sizeof(list));
}

/* New contents: small numbers, pointers and noise. */
static void fill_arena(void)
{
	uint64_t *words = (uint64_t *)arena;

	for (unsigned i = 0; i < 64; i++)
		words[i] = random_below(3) ? random_below(20) : PICK(pointers);
	words[random_below(64)] = random_u64();
}

static uint64_t random_argument(void)
{
	switch (random_below(8)) {
	case 0:
	case 1:
		return PICK(pointers);
	case 2:
		return (uint64_t)paths[random_below(COUNT(path_strings))];
	case 3:
		return random_below(24); /* a descriptor, a small number */
	case 4:
		return PICK(sizes);
	case 5:
		return 1ul << random_below(64);
	case 6:
		return -(uint64_t)random_below(120);
	default:
		return random_u64() >> random_below(64);
	}
}

static void one_call(void)
{
	long number = random_below(8) ? random_below(NUMBERS) : (long)random_u64();
	uint64_t a[6];

	for (unsigned i = 0; i < 6; i++)
		a[i] = random_argument();
	if ((unsigned)number < NUMBERS)
		number = (unsigned)number;
	if (is_excluded((unsigned)number))
		return;
	if (names_processes((unsigned)number))
		a[0] = random_below(2) ? (uint64_t)home : 0x7ffffff0u - random_below(2);
	raw_syscall(number, a);
	/* A child or thread that was made by this call. */
	if ((int)raw_syscall(SYS_gettid, a) != home)
		raw_syscall(SYS_exit, (uint64_t[6]){0});
}

static void nothing(int signo)
{
	(void)signo;
}

/* One that listens, one that waits to be accepted, one that does nothing. */
static void open_sockets(void)
{
	const struct sockaddr name = {AF_UNIX, "\0fuzz"};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	bind(listener, &name, sizeof(name));
	listen(listener, 3);
	connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), &name, sizeof(name));
	socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
}

/* A descriptor of each kind. */
static void open_kinds(void)
{
	const sigset_t all = {{-1ul}};

	epoll_create1(0);
	timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	signalfd(-1, &all, SFD_NONBLOCK);
	eventfd(1, EFD_NONBLOCK);
	memfd_create("fuzz", MFD_ALLOW_SEALING);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, (int[2]){0, 0});
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, (int[2]){0, 0});
	open_sockets();
	syscall(SYS_pidfd_open, getpid(), 0);
	timer_create(CLOCK_MONOTONIC, NULL, &(timer_t){0});
}

static unsigned base;

static void batch(uint64_t seed)
{
	const struct sigaction wake = {.sa_handler = nothing};
	const struct itimerval often = {{0, 2000}, {0, 2000}};
	const struct rlimit few = {256, 256};

	random_seed(base + seed);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	open("/dev/null", O_RDWR);
	open("a", O_RDWR | O_CREAT, 0600);
	open(".", O_RDONLY);
	pipe((int[2]){0, 0});
	open_kinds();
	setrlimit(RLIMIT_NPROC, &few);
	sigaction(SIGALRM, &wake, NULL); /* ends calls that wait */
	setitimer(ITIMER_REAL, &often, NULL);
	home = (int)syscall(SYS_gettid);
	make_arena();
	for (unsigned i = 0; i < CALLS; i++) {
		fill_arena();
		one_call();
		step_made();
	}
}

/* All batches; returns how many ended by themselves. */
static unsigned round_of_batches(void)
{
	unsigned ended = 0;

	for (unsigned i = 0; i < BATCHES; i++) {
		mkdir("/tmp/fuzz", 0700);
		if (chdir("/tmp/fuzz"))
			break;
		ended += contained(batch, i, 100) != -1;
		for (unsigned j = 0; j < COUNT(path_strings); j++)
			if (path_strings[j][0] && path_strings[j][0] != '/' &&
			    path_strings[j][0] != '.')
				remove(path_strings[j]);
		chdir("/");
		rmdir("/tmp/fuzz");
	}
	remove_sysv();
	return ended;
}

int main(int argc, char **argv)
{
	uint64_t before, after;
	unsigned ended;

	be_well_first(argc, argv);
	base = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	paths = path_strings;
	watch_progress();
	arena = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ended = round_of_batches();
	printf("# %u of %d processes ended in time\n", ended, BATCHES);
	ok(ended > BATCHES / 2, "most processes end");
	system_is_well("random system calls");
	before = free_memory();
	round_of_batches();
	after = free_memory();
	printf("# free: %lu KiB before, %lu KiB after\n", before >> 10, after >> 10);
	ok(after + LEAK_BYTES > before, "the same calls again cost no memory");
	system_is_well("the same calls again");
	return tap_end();
}
