/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of perf that barepmu does not have. */
#include "host/perf_commands.h"

#include <string.h>

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
