/* SPDX-License-Identifier: BSD-2-Clause */
/* demo: counts and samples the workload and prints its profile. It is the image's default
 * program. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/lib/workload.h"

/* Runs one command to its end; returns its status in the shell's form. */
static int run(char *const *argv)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(STATUS_NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return STATUS_OURS;
	return workload_status(argv[0], status);
}

int main(void)
{
	static char *const commands[][10] = {
	    {"/bin/stat", "--", "/bin/work", NULL},
	    {"/bin/record", "-e", "cycles:u", "-g", "-o", "/out/perf.data", "--", "/bin/work",
	     NULL},
	    {"/bin/report", "-i", "/out/perf.data", NULL},
	    {"/bin/list", NULL},
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		int status = run(commands[i]);

		if (status) {
			fprintf(stderr, "demo: %s ended with status %d\n", commands[i][0], status);
			return status;
		}
	}
	return 0;
}
