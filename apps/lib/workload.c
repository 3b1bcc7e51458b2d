/* SPDX-License-Identifier: BSD-2-Clause */
/* Forks a program, holds it before exec by a pipe, and reports how it ended. */
#include "apps/lib/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child: waits until the parent closes its end, then executes the program. */
static void child(int go, int failed, char **argv)
{
	char byte;
	int error;

	if (read(go, &byte, 1) != 1)
		_exit(STATUS_OURS); /* cancelled, or the parent died */
	execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(STATUS_OURS);
	_exit(STATUS_NOT_FOUND);
}

int workload_fork(struct workload *workload, char **argv)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return -1;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -1;
	}
	workload->pid = fork();
	if (workload->pid == 0) {
		close(go[1]);
		close(failed[0]);
		if (workload->prints_to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		child(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	workload->go = go[1];
	workload->failed = failed[0];
	if (workload->pid < 0) {
		close(go[1]);
		close(failed[0]);
		return -1;
	}
	signal(SIGINT, SIG_IGN); /* a Ctrl-C ends the program; we still report */
	return 0;
}

int workload_start(struct workload *workload)
{
	int error = 0;
	ssize_t n = write(workload->go, "", 1);

	close(workload->go);
	if (n == 1) {
		do
			n = read(workload->failed, &error, sizeof(error));
		while (n < 0 && errno == EINTR);
	}
	close(workload->failed);
	if (error)
		waitpid(workload->pid, NULL, 0);
	return error;
}

void workload_cancel(struct workload *workload)
{
	close(workload->go);
	close(workload->failed);
	waitpid(workload->pid, NULL, 0);
}

int workload_status(const char *program, int wait_status)
{
	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	fprintf(stderr, "%s: %s\n", program, strsignal(WTERMSIG(wait_status)));
	return 128 + WTERMSIG(wait_status);
}

int workload_exec_error(const char *app, const char *program, int error)
{
	fprintf(stderr, "%s: cannot run '%s': %s\n", app, program, strerror(error));
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXEC;
}
