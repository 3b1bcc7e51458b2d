/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands and options of perf that barepmu lacks, and our kernel for perf's cache of build ids. */
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

/* Options of perf 6.1 to 6.12 that barepmu's command of that name lacks, separated by spaces. */
static const struct perf_options {
	const char *command, *names;
} perf_options[] = {
    {"stat",
     "-D --delay -G --cgroup -g --group -i --no-inherit -n --null -S --sync -T --transaction "
     "--all-kernel --all-user --append --bpf-counters --bpf-prog --control --cputype --filter "
     "--for-each-cgroup --hybrid-merge --interval-clear --interval-count --iostat --log-fd "
     "--metric-no-group --metric-no-merge --metric-no-threshold --no-csv-summary --no-merge "
     "--no-scale --per-cache --per-cluster --per-die --per-node --per-socket --per-thread "
     "--percore-show-thread --post --pre --scale --smi-cost --summary --td-level"},
    {"record",
     "-B --no-buildid -D --delay -G --cgroup -I --intr-regs -i --no-inherit -j --branch-filter -k "
     "--clockid -N --no-buildid-cache -n --no-samples -P --period -R --raw-samples -r --realtime "
     "-S --snapshot -s --stat -T --timestamp -u --uid -z --compression-level --affinity --aio "
     "--all-cgroups --all-kernel --all-user --aux-sample --buildid-all --buildid-mmap "
     "--code-page-size --control --data-page-size --debuginfod --dry-run --exclude-perf --filter "
     "--group --kcore --kernel-callchains --max-size --mmap-flush --namespaces --no-bpf-event "
     "--no-buffering --off-cpu --overwrite --per-thread --running-time --sample-cpu "
     "--sample-identifier --setup-filter --strict-freq --switch-events --switch-max-files "
     "--switch-output-event --synth --tail-synthesize --threads --timestamp-boundary "
     "--timestamp-filename --transaction --user-callchains --user-regs --vmlinux"},
};

/* True if `names` has the word `name` of `length` bytes. */
static bool has_name(const char *names, const char *name, size_t length)
{
	while (*names) {
		size_t size = strcspn(names, " ");

		if (size == length && !strncmp(names, name, length))
			return true;
		names += size + (names[size] == ' ');
	}
	return false;
}

void perf_options_refer(const char *command, const char *typed)
{
	size_t length = strcspn(typed, "=");

	for (size_t i = 0; i < sizeof(perf_options) / sizeof(perf_options[0]); i++)
		if (!strcmp(perf_options[i].command, command) &&
		    has_name(perf_options[i].names, typed, length))
			die(STATUS_OURS,
			    "%.*s is an option of perf's own %s: `barepmu perf %s %s ...`",
			    (int)length, typed, command, command, typed);
}
