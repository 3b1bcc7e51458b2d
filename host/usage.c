/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of --help: of all commands, or of one. */
#include "host/usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/commands.h"
#include "host/lib/report.h"

/* clang-format off */
static const char files_text[] =
    "  --add HOSTFILE[:PATH]  puts a file or a directory into the image; relative names are in the\n"
    "                         program's directory\n"
    "  --env K=V | K          a variable of the program's environment. Without --env it is yours,\n"
    "                         except variables of your session (image: only paths of libraries)\n"
    "  --ignore-environment   passes nothing of yours, so counts do not depend on its size\n"
    "  --cwd DIR              the program's directory\n";

static const char machine_text[] =
    "  --pmu NAME             host, none or an emulated one; `--pmu help` lists them\n"
    "                         (default: host where KVM offers one, else skylake)\n"
    "  --core NAME[,TERM...]  the simulated core behind an emulated PMU's events, changed by terms;\n"
    "                         none: fixed shares; `--core help` (default: the PMU's own)\n"
    "  --time core|instructions  the machine's clocks follow the simulated core's cycles, at 1 GHz\n"
    "                         (default), or instructions, one a nanosecond\n"
    "  --firmware ovmf|pvh    boots by UEFI, or directly (default: pvh)\n"
    "  --exact                single-steps: branches are exact without a simulated core; slow\n"
    "  --smp N                processors (default: 1)\n"
    "  --memory MIB           memory (default: 512)\n"
    "  --parallel             runs several processors at the same time; runs do not repeat then.\n"
    "                         Otherwise they take turns\n"
    "  --share DIR[:rw]       also shows the program this host directory, at its own path (always\n"
    "                         shown: the working directory, /usr, /lib*, /bin, /sbin, /etc);\n"
    "                         changes stay in the image, except changes in DIR:rw\n"
    "  --no-share             shows no other host directory than those of --share\n"
    "  --timeout S            stops the machine after S seconds with status 124 (default: 300; of\n"
    "                         boot: none)\n"
    "  --abi VERSION          offers the perf interface of Linux 6.1 (the default) to 6.19, as 6.18\n"
    "  --append ARGS          adds ARGS to the kernel's command line\n"
    "  -q, -v, --quiet, --verbose  print less or more of the kernel's log\n"
    "\n"
    "A program that sleeps skips virtual time: the clock jumps, `/bin/sleep 30` ends at once.\n";
/* clang-format on */

/* Prints the command's own options and the ones that it shares. */
static void print_options(const struct command *command)
{
	if (command->help)
		printf("\n%s", command->help);
	if (command->traits & COMMAND_FILES)
		printf("\n%s", files_text);
	if (command->traits & COMMAND_MACHINE)
		printf("%s", machine_text);
}

static void print_all(void)
{
	for (const struct command *c = commands; c->name; c++)
		printf("%s barepmu %s %s\n", c == commands ? "usage:" : "      ", c->name,
		       c->arguments);
	puts("       barepmu --version [-v] | --help, and -h for each command\n");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-14s %s\n", c->name, c->summary);
	printf("\nOptions of commands that boot:\n\n%s%s", files_text, machine_text);
	for (const struct command *c = commands; c->name; c++)
		if (c->help)
			printf("\n%s:\n%s", c->name, c->help);
}

void usage_print(const struct command *command)
{
	if (command) {
		printf("usage: barepmu %s %s\n\n%s: %s.\n", command->name, command->arguments,
		       command->name, command->summary);
		print_options(command);
	} else {
		print_all();
	}
	if (fflush(stdout) || ferror(stdout))
		die(STATUS_OURS, "cannot write the help: %s", strerror(errno));
}

_Noreturn void usage_complain(void)
{
	fputs("usage: barepmu COMMAND [OPTIONS] [-- PROGRAM [ARG...]]\n", stderr);
	for (const struct command *c = commands; c->name; c++)
		if (c->traits & COMMAND_MAIN)
			fprintf(stderr, "  %-7s %s\n", c->name, c->summary);
	fputs("\nOthers:", stderr);
	for (const struct command *c = commands; c->name; c++)
		if (!(c->traits & COMMAND_MAIN))
			fprintf(stderr, " %s", c->name);
	fputs(". First: barepmu stat -- ls\n"
	      "Options: barepmu COMMAND -h; all of them: barepmu --help; manual: man barepmu\n",
	      stderr);
	exit(STATUS_OURS);
}
