/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures in a task of its own in shared memory, which this one waits for: code that ends the
 * program by a system call ends that task, and this one reports it. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "apps/bench/bench.h"

#define STACK_BYTES (1ul << 20) /* large objects are static */

struct guarded {
	int (*run)(void *data);
	void *data;
};

static bool came_back; /* it ended as we wanted it to */

void guard_leave(void)
{
	came_back = true;
}

static int begin(void *data)
{
	const struct guarded *guarded = data;
	int status = guarded->run(guarded->data);

	guard_leave();
	return status;
}

/* Ends the program as the task ended. */
static int conclude(int status)
{
	if (came_back && WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WIFEXITED(status))
		fail("the code ended the program, with exit status %d: there is no result",
		     WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int guard_run(int (*run)(void *data), void *data)
{
	struct guarded guarded = {run, data};
	uint8_t *stack = need_memory(STACK_BYTES);
	int task = clone(begin, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &guarded),
	    status;

	if (task < 0)
		fail("no second task: %s", strerror(errno));
	while (waitpid(task, &status, 0) < 0)
		if (errno != EINTR)
			fail("the task is lost: %s", strerror(errno));
	return conclude(status);
}
