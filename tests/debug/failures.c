/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each step of each call fails once: the n-th object, page, descriptor or user copy, for every n
 * until the call needs no more. Afterwards the kernel has as many objects, pages and tasks as
 * before and the user's accounts are what they were; a call that failed left no descriptor behind.
 */
#include "tests/debug/debug.h"
#include <stddef.h>
#include <sys/prctl.h>
#include "tests/debug/failures.h"

#define MOST_STEPS 2000
#define MS         20000

static const char *const made[] = {FAILURES_DIRECTORY "/file", FAILURES_DIRECTORY "/other",
				   FAILURES_DIRECTORY "/directory", FAILURES_DIRECTORY "/socket",
				   FAILURES_DIRECTORY};

static const char *const kinds[NR_FAIL_KINDS] = {"object", "page", "descriptor", "user copy"};

static unsigned descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 300; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

enum { LEFT_DESCRIPTOR = 77, REFUSED = 78 };

/* Runs the call in a process of its own; n = 0: nothing fails. */
static int run(const struct failing_call *call, enum fail_kind kind, uint64_t n)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		unsigned before;
		long result;

		signal(SIGALRM, SIG_DFL);
		alarm(MS / 1000);
		if (call->prepare)
			call->prepare();
		before = descriptors();
		debug_control(DEBUG_ARM, kind, n);
		result = call->call();
		debug_control(DEBUG_DISARM, 0, 0);
		if (result < 0 && descriptors() != before)
			_exit(LEFT_DESCRIPTOR);
		_exit(result < 0 ? REFUSED : 0);
	}
	waitpid(child, &status, 0);
	while (waitpid(-1, NULL, 0) > 0)
		; /* its children are ours now */
	clean_objects();
	clean_ipc();
	for (unsigned i = 0; i < COUNT(made); i++)
		if (unlink(made[i]))
			rmdir(made[i]);
	return status;
}

/* Returns how many steps failed, or -1 after one that left something behind. */
static int fail_each(const struct failing_call *call, enum fail_kind kind)
{
	for (uint64_t n = 1; n < MOST_STEPS; n++) {
		struct debug_count before = debug_count(), after;
		uint64_t serial = (uint64_t)debug_control(DEBUG_SERIAL, 0, 0);
		int status = run(call, kind, n);
		long failed = debug_control(DEBUG_DISARM, 0, 0);

		after = debug_count();
		if (memcmp(&before, &after, offsetof(struct debug_count, stacks)) ||
		    (WIFEXITED(status) && WEXITSTATUS(status) == LEFT_DESCRIPTOR) ||
		    (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)) {
			printf("# %s, %s %lu: status %x, objects %+ld, large %+ld, pages %+ld, "
			       "locked %+ld, accounts %+ld, tasks %+ld\n",
			       call->name, kinds[kind], (unsigned long)n, (unsigned)status,
			       (long)(after.small - before.small),
			       (long)(after.large - before.large),
			       (long)(after.pages - before.pages),
			       (long)(after.locked_pages - before.locked_pages),
			       (long)(after.accounts - before.accounts),
			       (long)(after.tasks - before.tasks));
			debug_control(DEBUG_BLAME, serial, 0);
			return -1;
		}
		if (!failed)
			return (int)n - 1;
	}
	return -1;
}

/* Returns how many steps of all calls failed. `all_well`: each succeeds when none does. */
static int fail_all(const struct failing_call *call, const char *only, bool all_well)
{
	int total = 0;

	for (; call->name; call++) {
		int steps = 0, status;

		if (only && strcmp(only, call->name) != 0)
			continue;
		run(call, FAIL_KALLOC, 0); /* objects of the first call that stay permanently */
		status = run(call, FAIL_KALLOC, 0);
		if (status && all_well)
			ok(false, "%s: well when nothing fails: %x", call->name, (unsigned)status);
		for (unsigned kind = 0; kind < NR_FAIL_KINDS; kind++) {
			int failed = fail_each(call, kind);

			steps = failed < 0 || steps < 0 ? -1 : steps + failed;
		}
		ok(steps >= 0, "%s: %d steps failed, and nothing was left", call->name, steps);
		total += steps > 0 ? steps : 0;
	}
	return total;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	int total;

	be_well_first(argc, argv);
	if (debug_control(DEBUG_THERE, 0, 0) != 1)
		return tap_skip_all("this is no debug kernel");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	total = fail_all(calls_of_files, only, false) + fail_all(calls_of_sockets, only, true) +
		fail_all(calls_of_tasks, only, false) + fail_all(calls_of_objects, only, true) +
		fail_all(calls_of_ipc, only, true);
	debug_control(DEBUG_CHECK, 0, 0);
	printf("# %d failures\n", total);
	return tap_end();
}
