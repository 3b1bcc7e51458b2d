/* SPDX-License-Identifier: BSD-2-Clause */
/* What --help says: of all commands, or of one. */
#include "host/usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/report.h"

/* Which of the machine's options a command takes. */
enum machine { MACHINE_NONE, MACHINE_FILES, MACHINE_ALL };

static const struct usage {
	const char *command, *arguments, *says;
	enum machine machine;
	const char *options; /* its own; NULL: none */
} usages[] = {
    {"run", "[OPTIONS] -- PROGRAM [ARG...]", "runs an x86-64 Linux program in the image",
     MACHINE_ALL, NULL},
    {"stat", "[OPTIONS] [-e EVENTS] [-r N] [-x SEP | -j] [-o FILE] -- PROGRAM [ARG...]",
     "counts events while a program runs", MACHINE_ALL,
     "  -e EVENTS      what to count, as perf or the vendor names it: `barepmu list`\n"
     "  -d             caches too; -d -d, -d -d -d: and TLBs, and prefetches\n"
     "  -M METRICS     ratios of several events by name (`-M help`); --topdown: TopdownL1\n"
     "  -r N           run it N times: means and deviations; --table: each one's time\n"
     "  --warm-up N    N runs before, which are not counted\n"
     "  -I MS          counts of each MS milliseconds (of the machine's clock)\n"
     "  --plot FILE.svg  with -I: a picture of them over time\n"
     "  -a, -C CPUS    all that runs on all processors, on these\n"
     "  --per-core, -A a line for each core, each processor\n"
     "  --no-big-num   digits without commas\n"
     "  -x SEP, -j     perf's columns, separated by SEP; lines of JSON\n"
     "  -o FILE        where the table goes (default: stderr)\n"},
    {"record",
     "[OPTIONS] [-e EVENT] [-c PERIOD | -F HZ] [-g] [-b] [-o perf.data] -- PROGRAM [ARG...]",
     "samples a program, for `perf report` and `report`", MACHINE_ALL,
     "  -e EVENT       what to sample (default cycles)\n"
     "  -c PERIOD      a sample each PERIOD events\n"
     "  -F HZ          HZ samples a second (default 4000)\n"
     "  -g [fp|dwarf|lbr]  with call chains: by frame pointers, by copies of the stack\n"
     "                 (for perf's unwinder), by the processor's branch records; as --call-graph\n"
     "  -b             with the last branches\n"
     "  -W, -d         with latencies; with the addresses of data; --phys-data: physical ones\n"
     "  -a, -C CPUS    all that runs on all processors, on these\n"
     "  --switch-output=SIZE|TIME  further files, FILE.TIMESTAMP\n"
     "  -o FILE        where the samples go (default perf.data); -: to a pipe, as in\n"
     "                 `record -o - -- PROGRAM | perf report -i -`; the program prints to "
     "stderr\n"},
    {"list", "[OPTIONS] [WORD...]", "lists the events that the PMU offers", MACHINE_ALL,
     "  WORD           hw, sw, cache, pmu, vendor, or a part of a name or description\n"},
    {"bench", "[OPTIONS] --asm TEXT | --code FILE | SUITE",
     "measures a piece of code in ring 0 or 3, or by a suite", MACHINE_ALL,
     "  --asm TEXT     nasm's syntax, statements ended by ; or @FILE\n"
     "  --init TEXT    what is executed before, not measured\n"
     "  --code FILE    machine code, or with --call FUNCTION an object file or archive\n"
     "  --ring 0|3, --unroll N (100), --loop N, --warm-up N (5), --runs N (10)\n"
     "  --min | --median | --mean, --basic (nothing subtracted)\n"
     "  --events LIST, --cpu N, --memory SIZE[,aligned][,huge[=1G]]\n"
     "  --flush, --prefetch off, --cold i,d,tlb,branch\n"
     "  --range X=1..64[:STEP], --csv, --json, --plot FILE.svg\n"
     "  SUITE          memory, tlb, branches, instructions, cores, syscalls\n"},
    {"report",
     "[--sort KEYS] [--children] [--callers] [--annotate[=NAME] | --flame FILE.svg [--diff OLD] | "
     "--html FILE.html] [perf.data]",
     "shows a profile as table, flame graph or page", MACHINE_NONE,
     "  --sort KEYS    lines by comm, dso, symbol\n"
     "  --children     each function with what it called\n"
     "  --callers      below each function who called it\n"
     "  --annotate[=NAME]  the code of the hottest function, or of this one, with its samples\n"},
    {"perf", "[OPTIONS] ARGS...",
     "runs the host's perf in the image; its files come to the working folder", MACHINE_ALL, NULL},
    {"gdb", "[OPTIONS] -- PROGRAM [ARG...]",
     "runs the program in a machine that waits for gdb, on the kernel's and the program's symbols",
     MACHINE_ALL, NULL},
    {"linux", "[OPTIONS] -- PROGRAM [ARG...]",
     "runs the program on Debian's kernel in the same emulator", MACHINE_ALL, NULL},
    {"boot", "--pmu NAME (--kernel FILE [--initrd FILE] [--append ARGS] | --efi FILE)",
     "starts another kernel under the emulated PMU", MACHINE_ALL, NULL},
    {"image",
     "[--pmu NAME] [--end ACTION] [--upload ADDRESS] [--force] -o FILE [--self-test | -- PROGRAM "
     "[ARG...]]",
     "makes a bootable disk", MACHINE_FILES,
     "  -o FILE        a file, or a disk (--force: without asking); FILE.efi: one EFI program,\n"
     "                 for a network boot\n"
     "  --end ACTION   after the jobs: wait (default), reboot, poweroff\n"
     "  --pmu NAME     bring the visor, for machines without a PMU, as plain QEMU\n"
     "  --append ARGS  further kernel command line\n"
     "  --self-test    the job tells which machine it is and checks its PMU\n"
     "  --upload tftp://[SERVER][:PORT][/FOLDER]  send results there, too, as archives, by the\n"
     "                 firmware's network; SERVER an IPv4 address, or the one that DHCP names\n"},
    {"report-machine", "FILE", "shows a self-test's report.json", MACHINE_NONE, NULL},
    {"new", "DIR", "begins a program for barepmu.h", MACHINE_NONE, NULL},
};

static const char files_text[] =
    "  --add HOSTFILE[:PATH]  put a file or a folder into the image; relative names are in the\n"
    "                         program's folder\n"
    "  --env K=V | K          a variable of the program's environment; else it is yours, but for\n"
    "                         what tells of your session (image: only paths of libraries)\n"
    "  --ignore-environment   nothing of yours: counts are the same for everybody\n"
    "  --cwd DIR              the program's folder\n";

static const char machine_text[] =
    "  --pmu NAME             host, none or an emulated one; `--pmu help` lists them\n"
    "                         (default: host where KVM offers one, else skylake)\n"
    "  --core NAME[,WORD...]  the simulated core behind an emulated PMU's events, changed by "
    "words;\n"
    "                         none: fixed shares; `--core help` (default: the PMU's own)\n"
    "  --time core|instructions  what the machine's clocks follow: the simulated core's cycles at\n"
    "                         1 GHz (default), or instructions, one a nanosecond\n"
    "  --firmware ovmf|pvh    which door the image boots through (default pvh)\n"
    "  --exact                single-step: branches are exact too; slow\n"
    "  --smp N, --memory MIB  processors (1), memory (512)\n"
    "  --parallel             several processors run beside each other, and runs do not repeat;\n"
    "                         else those of run, stat, record and bench take turns\n"
    "  --share DIR[:rw]       show the program this host folder, too, at its own path\n"
    "                         (always: the working folder and /usr, /lib*, /bin, /sbin, /etc);\n"
    "                         changes stay in the image, but those to DIR:rw come back\n"
    "  --timeout S            stop the machine after S seconds with status 124 (default 300;\n"
    "                         of boot none)\n"
    "  --append ARGS          further kernel command line\n"
    "  -q, -v                 less, more of what the kernel says\n"
    "\n"
    "Who sleeps skips virtual time: the machine's clock jumps, `/bin/sleep 30` ends at once.\n";

#define NR_USAGES (sizeof(usages) / sizeof(usages[0]))

static void print_options(const struct usage *usage)
{
	if (usage->options)
		printf("\n%s", usage->options);
	if (usage->machine != MACHINE_NONE)
		printf("\n%s", files_text);
	if (usage->machine == MACHINE_ALL)
		printf("%s", machine_text);
}

static void print_all(FILE *to)
{
	for (size_t i = 0; i < NR_USAGES; i++)
		fprintf(to, "%s barepmu %-6s %s\n", i ? "      " : "usage:", usages[i].command,
			usages[i].arguments);
	fputs("       barepmu --version | --help, and -h for each command\n\n", to);
	for (size_t i = 0; i < NR_USAGES; i++)
		fprintf(to, "  %-6s %s\n", usages[i].command, usages[i].says);
	fprintf(to, "\nOptions of commands that boot:\n\n%s%s", files_text, machine_text);
	for (size_t i = 0; i < NR_USAGES; i++)
		if (usages[i].options)
			fprintf(to, "\n%s:\n%s", usages[i].command, usages[i].options);
}

void usage_print(const char *command)
{
	const struct usage *usage = NULL;

	for (size_t i = 0; command && i < NR_USAGES; i++)
		if (!strcmp(usages[i].command, command))
			usage = &usages[i];
	if (usage) {
		printf("usage: barepmu %s %s\n\n%s: %s.\n", usage->command, usage->arguments,
		       usage->command, usage->says);
		print_options(usage);
	} else {
		print_all(stdout);
	}
	if (fflush(stdout))
		die(STATUS_OURS, "cannot write the help: %s", strerror(errno));
}

_Noreturn void usage_complain(void)
{
	print_all(stderr);
	exit(STATUS_OURS);
}
