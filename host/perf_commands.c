/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of perf that barepmu lacks, and our kernel for perf's cache of build ids. */
#include "host/perf_commands.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/lib/home.h"
#include "host/lib/report.h"

/* Each with the own way to its result, if there is one. */
static const struct perf_command {
	const char *name, *own;
} perf_commands[] = {
    {"annotate", "`barepmu report --annotate` or "},
    {"diff", "`barepmu report --flame FILE.svg --diff OLD` or "},
    {"archive", ""},
    {"buildid-cache", ""},
    {"buildid-list", ""},
    {"c2c", ""},
    {"config", ""},
    {"daemon", ""},
    {"data", ""},
    {"evlist", ""},
    {"ftrace", ""},
    {"inject", ""},
    {"iostat", ""},
    {"kallsyms", ""},
    {"kmem", ""},
    {"kvm", ""},
    {"kwork", ""},
    {"lock", ""},
    {"mem", ""},
    {"probe", ""},
    {"sched", ""},
    {"script", ""},
    {"test", ""},
    {"timechart", ""},
    {"top", ""},
};

void perf_commands_refer(const char *name)
{
	for (size_t i = 0; i < sizeof(perf_commands) / sizeof(perf_commands[0]); i++)
		if (!strcmp(perf_commands[i].name, name))
			die(STATUS_OURS, "'%s' is a command of perf: %s`barepmu perf %s ...`", name,
			    perf_commands[i].own, name);
}

static bool has_word(char **arguments, const char *word)
{
	while (*arguments && strcmp(*arguments, word))
		arguments++;
	return *arguments;
}

/* An argument of the sampled program may be such a word: that only adds the kernel once more. */
static bool is_recording(char **arguments)
{
	return has_word(arguments, "record") && !has_word(arguments, "-N") &&
	       !has_word(arguments, "--no-buildid-cache");
}

void perf_commands_keep_kernel(char **arguments)
{
	char *kernel = find_home_file("kernel.elf");
	pid_t pid = kernel && is_recording(arguments) ? fork() : -1;

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		execlp("perf", "perf", "buildid-cache", "--add", kernel, (char *)NULL);
		_exit(STATUS_NOT_FOUND);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0); /* if it failed, only names are missing */
}
