/* SPDX-License-Identifier: BSD-2-Clause */
/* For each state in which a task can stay: the largest process is in it when memory is short. A
 * smaller one that needs memory must continue. */
#include "tests/fuzz/fuzz.h"
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#define MIB       (1ul << 20)
#define USER      1000
#define LARGE     65 /* percent of free memory: what stays */
#define SMALL     45 /* and of the smaller one: more than is left */
#define TABLE     (2 * MIB)
#define SPARSE_AT 0x100000000000ul

static uint64_t free_at_start;

static void touch(uint64_t bytes)
{
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		_exit(9);
	for (uint64_t i = 0; i < bytes; i += PAGE)
		map[i] = 1;
}

static void touch_percent(uint64_t percent)
{
	touch(free_at_start / 100 * percent / PAGE * PAGE);
}

/* ---- the states ---- */

static void stay(void)
{
	for (;;)
		pause();
}

static void stop_itself(void)
{
	touch_percent(LARGE);
	raise(SIGSTOP);
}

static void wait_for_vfork(void)
{
	touch_percent(LARGE);
	if (!vfork())
		stay();
}

/* Half of its pages are page tables. */
static void be_sparse(void)
{
	uint64_t pages = free_at_start / 100 * LARGE / 2 / PAGE;

	for (uint64_t i = 0; i < pages; i++) {
		char *map = mmap((void *)(SPARSE_AT + i * TABLE), PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

		if (map == MAP_FAILED)
			_exit(9);
		*map = 1;
	}
	stay();
}

/* Makes a tracee that stops with `options`, lets it do its work up to the next stop, and leaves it
 * there. */
static void trace_one(void (*work)(void), uintptr_t options)
{
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		work();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, options);
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, NULL, WUNTRACED);
	stay();
}

static void touch_all(void)
{
	touch(1ul << 40);
}

static void touch_and_exit(void)
{
	touch_percent(LARGE);
}

static void stop_at_kill(void)
{
	trace_one(touch_all, PTRACE_O_TRACEEXIT);
}

static void stop_at_exit(void)
{
	trace_one(touch_and_exit, PTRACE_O_TRACEEXIT);
}

static void stop_at_signal(void)
{
	trace_one(stop_itself, 0);
}

static int exec_later(void *argument)
{
	const struct timespec nap = {.tv_nsec = 2000000};

	nanosleep(&nap, NULL);
	execl("/proc/self/exe", "fuzz", "well", (char *)NULL);
	return argument != NULL;
}

/* One thread executes, and waits for the other, which stops at its end. */
static void touch_beside_exec(void)
{
	static char stack[4 * PAGE];

	touch_percent(LARGE);
	clone(exec_later, stack + sizeof(stack),
	      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
	      NULL);
	stay();
}

static void stop_beside_exec(void)
{
	trace_one(touch_beside_exec, PTRACE_O_TRACEEXIT);
}

static const struct {
	const char *name;
	void (*body)(void);
} states[] = {
    {"stopped by SIGSTOP", stop_itself},
    {"waiting for its vfork child", wait_for_vfork},
    {"with tables as large as its pages", be_sparse},
    {"left by its tracer at a signal", stop_at_signal},
    {"left by its tracer at its exit", stop_at_exit},
    {"killed for memory and left by its tracer at its exit", stop_at_kill},
    {"executing beside a thread that its tracer left at its exit", stop_beside_exec},
};

static void run_state(unsigned i)
{
	setsid();
	if (setgid(USER) || setuid(USER))
		_exit(8);
	states[i].body();
	_exit(0);
}

static void need_some(uint64_t percent)
{
	touch_percent(percent);
}

/* A killed process needs a while to free its memory. */
static void wait_for_free(uint64_t from, uint64_t to)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < 500 && (free_memory() < from || free_memory() > to); ms++)
		nanosleep(&nap, NULL);
}

static void check_state(unsigned i)
{
	pid_t large = fork();
	int status;

	if (!large)
		run_state(i);
	wait_for_free(0, free_at_start / 2);
	status = contained(need_some, SMALL, ENDS_MS / 60);
	ok(status == 0, "a smaller process goes on beside the largest: %s", states[i].name);
	if (status)
		printf("# its status: %x\n", (unsigned)status);
	kill(-large, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	wait_for_free(free_at_start / 100 * 95, UINT64_MAX);
}

int main(int argc, char **argv)
{
	be_well_first(argc, argv);
	free_at_start = free_memory();
	for (unsigned i = 0; i < COUNT(states); i++)
		check_state(i);
	system_is_well("all this");
	return tap_end();
}
