/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile pointers: each pointer of each system call, and each that the kernel finds in a struct or
 * uses later, is an address of the kernel (its data, the same by the direct map's large page, an
 * object, a task's credentials), not canonical, in the last page, unmapped or read only. No call
 * may succeed with one that is not the program's, and the kernel's memory stays the same.
 */
#include "tests/debug/pointers.h"
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

#define MS 3000 /* for one call with all addresses */

static const struct {
	const char *name;
	bool readable; /* a call that only reads there may succeed */
} kinds[] = {
    {"data", false},          {"direct map", false}, {"object", false},    {"credentials", false},
    {"not canonical", false}, {"sign", false},       {"last page", false}, {"end of it", false},
    {"unmapped", false},      {"read only", true},
};

static uint64_t addresses[COUNT(kinds)];
static char *own; /* two pages of zeros, except for fields that calls need */
static int fds[128];

static void find_addresses(void)
{
	void *read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t found[] = {
	    (uint64_t)debug_control(DEBUG_VICTIM, VICTIM_DATA, 0) + 64,
	    (uint64_t)debug_control(DEBUG_VICTIM, VICTIM_ALIAS, 0) + 64,
	    (uint64_t)debug_control(DEBUG_VICTIM, VICTIM_OBJECT, 0) + 64,
	    (uint64_t)debug_control(DEBUG_VICTIM, VICTIM_TASK, 0),
	    0x0000800000000000ul,
	    0x8000000000000000ul,
	    0x00007ffffffff000ul,
	    0x00007ffffffffffcul,
	    0x10,
	    (uint64_t)(uintptr_t)read_only,
	};

	memcpy(addresses, found, sizeof(found));
}

/* Outlives the processes that use it. */
static void make_set(void)
{
	fds['x'] = semget(IPC_PRIVATE, 1, 0600);
}

/* More come than there are addresses. */
static void make_sockets(void)
{
	const struct sockaddr name = {AF_UNIX, "\0pointed"};

	fds['u'] = socket(AF_UNIX, SOCK_STREAM, 0);
	fds['b'] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	bind(fds['b'], &name, sizeof(name));
	listen(fds['b'], 2 * COUNT(kinds));
	for (unsigned i = 0; i < 2 * COUNT(kinds); i++)
		connect(socket(AF_UNIX, SOCK_STREAM, 0), &name, sizeof(name));
}

static void make_objects(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK};
	int ends[2];

	mkdir("/tmp", 0777);
	fds['f'] = open("/tmp/pointed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ftruncate(fds['f'], 8192);
	fds['d'] = AT_FDCWD;
	fds['D'] = open("/", O_RDONLY);
	pipe(ends);
	fds['r'] = ends[0];
	fds['w'] = ends[1];
	write(ends[1], "12345678", 8);
	fds['e'] = epoll_create1(0);
	epoll_ctl(fds['e'], EPOLL_CTL_ADD, fds['w'], &(struct epoll_event){.events = EPOLLOUT});
	fds['n'] = inotify_init1(0);
	fds['t'] = timerfd_create(CLOCK_MONOTONIC, 0);
	fds['v'] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	fds['s'] = ends[0];
	write(ends[1], "12345678", 8);
	make_sockets();
	own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static uint64_t plain(char letter)
{
	switch (letter) {
	case 'p':
	case 'o':
	case 'm':
		return (uint64_t)(uintptr_t)own;
	case 'l':
		own[PAGE] = 16;
		return (uint64_t)(uintptr_t)own + PAGE;
	case '/':
		return (uint64_t)(uintptr_t) "/tmp/pointed";
	case 'P':
		return (uint64_t)getpid();
	case 'T':
		return 0;
	case 'S':
		return SIGUSR1;
	case 'k':
		return PAGE;
	default:
		return letter >= '0' && letter <= '9' ? (uint64_t)(letter - '0')
						      : (uint64_t)fds[(int)letter];
	}
}

/* In a process of its own: one pointer of the call has each address. Writes a byte for each: what
 * it led to. */
static void try_addresses(const struct pointer_call *call, unsigned which, int report)
{
	size_t count = strlen(call->arguments);

	signal(SIGUSR1, SIG_IGN);
	make_objects();
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		uint64_t arguments[6] = {0};
		char outcome;

		for (size_t k = 0; k < count; k++)
			arguments[k] = plain(call->arguments[k]);
		arguments[which] = addresses[i];
		/* A plain pointer that may be missing is, where it would make the call wait or fail
		 * sooner. */
		outcome = raw_syscall(call->number, arguments) < 0 ? 'E' : 'S';
		write(report, &outcome, 1);
	}
}

/* Returns how many addresses were tried, or -1. */
static int try_pointer(const struct pointer_call *call, unsigned which)
{
	char outcomes[COUNT(kinds)] = "", letter = call->arguments[which];
	long sum = debug_control(DEBUG_CHECKSUM, 0, 0);
	int ends[2], wrong = 0;
	size_t got = 0;
	ssize_t n;
	pid_t child;

	pipe(ends);
	child = fork();
	if (!child) {
		close(ends[0]);
		alarm(MS / 1000);
		try_addresses(call, which, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], outcomes + got, sizeof(outcomes) - got)) > 0)
		got += (size_t)n;
	close(ends[0]);
	waitpid(child, NULL, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	for (size_t i = 0; i < got; i++) {
		if (outcomes[i] != 'S' || kinds[i].readable || letter == 'o')
			continue;
		printf("# %s, argument %u: %s was taken\n", call->name, which, kinds[i].name);
		wrong++;
	}
	if (debug_control(DEBUG_CHECKSUM, 0, 0) != sum) {
		printf("# %s, argument %u: the kernel's memory changed\n", call->name, which);
		wrong++;
	}
	return wrong ? -1 : (int)got;
}

static int try_calls(const char *only)
{
	int total = 0;

	for (const struct pointer_call *call = pointer_calls; call->name; call++) {
		int tried = 0;

		if (only && strcmp(only, call->name) != 0)
			continue;
		for (unsigned which = 0; call->arguments[which]; which++) {
			int some =
			    strchr("pol/", call->arguments[which]) ? try_pointer(call, which) : 0;

			tried = some < 0 || tried < 0 ? -1 : tried + some;
		}
		if (*call->arguments)
			ok(tried >= 0, "%s: %d hostile pointers", call->name, tried);
		total += tried > 0 ? tried : 0;
	}
	return total;
}

static int try_later(const struct later_pointer *later, const char *only)
{
	int total = 0;

	for (; later->name; later++) {
		long sum = debug_control(DEBUG_CHECKSUM, 0, 0);

		if (only && strcmp(only, later->name) != 0)
			continue;
		for (unsigned i = 0; i < COUNT(kinds); i++) {
			contained(later->use, addresses[i], MS);
			total++;
		}
		ok(debug_control(DEBUG_CHECKSUM, 0, 0) == sum,
		   "%s: the kernel's memory is the same", later->name);
	}
	return total;
}

static void test_complete(void)
{
	static const char *const names[] = {
#define X(name) #name,
#include "tests/debug/calls.inc"
#undef X
	};
	unsigned missing = 0;

	for (unsigned i = 0; i < COUNT(names); i++) {
		const struct pointer_call *call = pointer_calls;

		while (call->name && strcmp(call->name, names[i]) != 0)
			call++;
		if (!call->name)
			printf("# pointers_calls.c lacks %s\n", names[i]);
		missing += !call->name;
	}
	is(missing, 0, "every call of the kernel's table is known");
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	int total;
	long constants;

	be_well_first(argc, argv);
	if (debug_control(DEBUG_THERE, 0, 0) != 1)
		return tap_skip_all("this is no debug kernel");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	find_addresses();
	prepare_objects();
	make_set();
	constants = debug_control(DEBUG_CONSTANT, 0, 0);
	test_complete();
	total = try_calls(only) + try_later(later_pointers, only) + try_later(later_objects, only);
	is(debug_control(DEBUG_CONSTANT, 0, 0), constants,
	   "the kernel's text and constants are the same");
	debug_control(DEBUG_CHECK, 0, 0);
	printf("# %d hostile pointers\n", total);
	return tap_end();
}
