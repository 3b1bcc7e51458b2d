/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands, a row each. */
#include "host/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/app_options.h"
#include "apps/lib/closest.h"
#include "host/bench/bench.h"
#include "host/bench/operands.h"
#include "host/experiment/compare.h"
#include "host/experiment/request.h"
#include "host/firmware/boot.h"
#include "host/image/image.h"
#include "host/image/initrd.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/list.h"
#include "host/machine/debugger.h"
#include "host/machine/machine.h"
#include "host/machine/qemu.h"
#include "host/perf_commands.h"
#include "host/stat/baseline.h"
#include "host/values.h"
#include "host/vendor.h"

/* Returns the default in seconds: a slow host's environment may raise it. */
static int usual_timeout(void)
{
	const char *usual = getenv("BAREPMU_TIMEOUT");

	return usual ? number_value("BAREPMU_TIMEOUT", usual, 1, MAX_TIMEOUT) : DEFAULT_TIMEOUT;
}

/* Runs options->program, or the application of the command's name, in the image. */
static int run_in_machine(struct options *options)
{
	struct buffer initrd;
	int status;

	if (!options->timeout)
		options->timeout = usual_timeout();
	qemu_query(); /* it answers while we read files */
	experiment_prepare(options);
	initrd = build_initrd(options);
	status = run_machine(options, &initrd);
	experiment_finish(options);
	return status;
}

static int run_bench(struct options *options)
{
	bench_prepare(options);
	return run_in_machine(options);
}

static int run_stat(struct options *options)
{
	baseline_prepare(options);
	return baseline_check(options, run_in_machine(options));
}

static int run_perf(struct options *options)
{
	int status = run_in_machine(options);

	perf_commands_keep_kernel(options->program + 1);
	return status;
}

static int run_list(struct options *options)
{
	bool json = list_is_json(options);
	int status;

	if (json && !*options->filter)
		list_choices();
	fflush(stdout);
	status = run_in_machine(options);
	if (!status)
		list_vendor_events(options, json);
	return status;
}

static int run_debugger(struct options *options)
{
	options->timeout = MAX_TIMEOUT;
	debugger_prepare();
	return run_in_machine(options);
}

/* Returns the name of an empty file. */
static char *temporary_file(void)
{
	const char *directory = getenv("TMPDIR");
	char *path = format_text("%s/barepmu-trace-XXXXXX", directory ? directory : "/tmp");
	int fd = mkstemp(path);

	if (fd < 0)
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	close(fd);
	return path;
}

/* Records into a temporary file, or takes the user's, and shows it. */
static int run_trace(struct options *options)
{
	struct options machine = *options;
	char *path;
	int status;

	if (options->trace.input)
		return trace_show(options, options->trace.input);
	path = temporary_file();
	machine.command = "record";
	machine.output = path;
	status = run_in_machine(&machine);
	if (status != STATUS_OURS && trace_show(options, path))
		status = STATUS_OURS;
	unlink(path);
	free(path);
	return status;
}

static int make_image(struct options *options)
{
	struct buffer initrd = build_initrd(options);

	write_image(options, &initrd);
	return 0;
}

#define RUNS (COMMAND_MACHINE | COMMAND_FILES)

/* clang-format off */
const struct command commands[] = {
    {
        .name = "run",
        .traits = COMMAND_MAIN | COMMAND_PROGRAM | RUNS,
        .arguments = "[OPTIONS] -- PROGRAM [ARG...]",
        .summary = "runs an x86-64 Linux program in the image",
        .help =
            "  --stats FILE.json|.csv|.txt  statistics of the simulated core: docs/experiments.md\n"
            "  --skip N               leaves the program's first N instructions unsimulated,\n"
            "  --warm-up N|all        then simulates N without measuring (all: from the start),\n"
            "  --measure N            and then measures N (default: all others)\n"
            "  --roi FUNCTION|marks   starts the three above at each call of the function, or at the\n"
            "                         program's marks: barepmu.h's, Sniper's, SSC marks, gem5's m5 ops\n"
            "  --interval N           with --stats: counts of each N measured instructions\n"
            "  --bbv FILE[:N]         basic-block vectors of each N instructions (10M) for SimPoint\n"
            "  --simpoints FILE[:N]   measures the intervals of N instructions (10M) that SimPoint has chosen,\n"
            "  --weights FILE         each warmed up by --warm-up; ratios are weighted by its weights\n"
            "  --reuse                with --stats: reuse distances of the program's lines\n"
            "  --trace FILE           a trace of the region; .xz and .gz are packed\n"
            "  --trace-format champsim|branches|bt9|text  (default: champsim)\n"
            "  --dump-core            prints the core of --core as a file for --core @FILE\n",
        .options = experiment_long_options,
        .run = run_in_machine,
    },
    {
        .name = "stat",
        .traits = COMMAND_MAIN | COMMAND_PROGRAM | RUNS,
        .arguments = "[OPTIONS] [-e EVENTS] [-r N] [-x SEP | -j] [-o FILE] -- PROGRAM [ARG...]",
        .summary = "counts events while a program runs",
        .help =
            "  -e EVENTS              events to count, by perf's or the vendor's names: `barepmu list`\n"
            "  -d                     also caches; -d -d: and TLBs; -d -d -d: and prefetches\n"
            "  -M METRICS             ratios of several events by name (`-M help` lists them)\n"
            "  --topdown              the first level of the top-down method, as -M TopdownL1\n"
            "  -r N                   runs the program N times: means and deviations\n"
            "  --table                with -r: the time of each run\n"
            "  --warm-up N            N uncounted runs first\n"
            "  -I MS                  counts of each MS milliseconds (of the machine's clock)\n"
            "  --plot FILE.svg        with -I: a picture of them over time\n"
            "  -a                     all tasks on all processors\n"
            "  -C CPUS                all tasks on these processors, as 0,2-3\n"
            "  --per-core             with -a or -C: a line for each core\n"
            "  -A                     with -a or -C: a line for each processor\n"
            "  --no-big-num           digits without commas (-B: with them, the default)\n"
            "  --metric-only          the ratios without the counts\n"
            "  -x SEP                 perf's columns, separated by SEP\n"
            "  -j                     lines of JSON\n"
            "  -o FILE                writes the table to FILE (default: stderr)\n"
            "  --baseline FILE        compares with counts of `stat -j`; exit status 1 if one differs.\n"
            "                         Without FILE, writes it\n"
            "  --tolerance PERCENT%   with --baseline: allows differences up to this (default: 0)\n"
            "  --report FILE          with --baseline: the comparison as JUnit (FILE.xml) or JSON\n",
        .options = stat_long_options,
        .host_options = stat_host_options,
        .letters = TARGET_LETTERS STAT_LETTERS,
        .passed = STAT_LETTERS,
        .check = check_stat,
        .run = run_stat,
    },
    {
        .name = "record",
        .traits = COMMAND_MAIN | COMMAND_PROGRAM | RUNS,
        .arguments = "[OPTIONS] [-e EVENT] [-c PERIOD | -F HZ] [-g] [-b] [-o perf.data] -- PROGRAM [ARG...]",
        .summary = "samples a program, for `barepmu report` and perf",
        .help =
            "  -e EVENT               the event to sample (default: cycles)\n"
            "  -c PERIOD              a sample each PERIOD events\n"
            "  -F HZ|max              HZ samples a second (default: 4000), or as many as allowed\n"
            "  -g [fp|dwarf|lbr]      with call chains: by frame pointers (default), by copies of the\n"
            "                         stack, by the processor's branch records\n"
            "  --call-graph KIND      as -g KIND; dwarf,BYTES: the size of each copy\n"
            "  -b                     with the last branches\n"
            "  -W                     with latencies\n"
            "  -d                     with the addresses of data\n"
            "  --phys-data            with physical addresses of data\n"
            "  -m PAGES               the size of the ring buffer\n"
            "  -a                     all tasks on all processors\n"
            "  -C CPUS                all tasks on these processors, as 0,2-3\n"
            "  --switch-output=SIZE|TIME  further files, FILE.TIMESTAMP\n"
            "  -o FILE                writes the samples to FILE (default: perf.data); -: to a pipe, as in\n"
            "                         `record -o - -- PROGRAM | perf report -i -`; the program then\n"
            "                         prints to stderr\n",
        .options = record_long_options,
        .letters = TARGET_LETTERS RECORD_LETTERS,
        .passed = RECORD_LETTERS,
        .prepare = take_call_graph,
        .check = check_record,
        .run = run_in_machine,
    },
    {
        .name = "trace",
        .traits = COMMAND_MAIN | RUNS,
        .arguments = "[OPTIONS] [--instructions | --functions | --svg FILE.svg | --html FILE.html] -- PROGRAM [ARG...]",
        .summary = "lists or draws a program's calls over time, by Processor Trace",
        .help =
            "  --instructions         each instruction in place of calls\n"
            "  --functions            a table: calls, instructions and time of each function\n"
            "  --svg FILE.svg         a timeline of calls that can be searched and zoomed\n"
            "  --html FILE.html       one page with the timeline and the table\n"
            "  --depth N              lists only calls up to this depth\n"
            "  --kernel               the kernel's code, too\n"
            "  --input FILE           a trace of `barepmu record -e intel_pt//u` or of perf's; nothing runs\n"
            "  -o FILE                where the list goes (default: standard output)\n",
        .options = trace_long_options,
        .letters = "o:",
        .check = trace_check,
        .run = run_trace,
    },
    {
        .name = "report",
        .traits = COMMAND_MAIN,
        .arguments =
            "[--sort KEYS] [--children] [--callers] [--annotate[=NAME] | --flame FILE.svg [--diff OLD] |\n"
            "                      --html FILE.html | --callgrind FILE] [[-i] perf.data]",
        .summary = "shows a profile as table, flame graph or page",
        .help =
            "  -i FILE                the profile (default: perf.data)\n"
            "  --sort KEYS            lines by comm, dso, symbol\n"
            "  --children             each function with the functions that it called\n"
            "  --callers              below each function its callers\n"
            "  --callgrind FILE       the profile for KCachegrind and callgrind_annotate\n"
            "  --no-demangle          leaves names of C++ and Rust mangled\n"
            "  --annotate[=NAME]      the code of the hottest function, or of this one, with its samples\n"
            "  --flame FILE.svg       a flame graph that can be searched and zoomed\n"
            "  --diff OLD             with --flame: red parts have grown since the profile OLD, blue ones shrunk\n"
            "  --html FILE.html       one page with tables, pictures and code\n"
            "  -o FILE                the file of --flame, --html or --callgrind, if they name none\n",
        .run_arguments = show_report,
    },
    {
        .name = "list",
        .traits = COMMAND_MAIN | RUNS,
        .arguments = "[OPTIONS] [WORD...]",
        .summary = "lists the events that the PMU offers",
        .options = list_long_options,
        .help =
            "  WORD                   hw, sw, cache, pmu, vendor, or a part of a name or description\n"
            "  --json                 a line of JSON for each event, with the class of its counts; and,\n"
            "                         without WORD, for each PMU, each core and each term of --core\n",
        .operands = take_filter,
        .run = run_list,
    },
    {
        .name = "bench",
        .traits = COMMAND_MAIN | RUNS,
        .arguments = "[OPTIONS] --asm TEXT | --code FILE [--call FUNCTION] | SUITE",
        .summary = "measures a piece of code in ring 0 or 3, or by a suite",
        .help =
            "  --asm TEXT             the measured code: nasm's syntax, statements ended by ;, or @FILE\n"
            "  --init TEXT            code that is executed before it, unmeasured\n"
            "  --code FILE            machine code, or with --call an object file or archive\n"
            "  --init-code FILE       machine code that is executed before it, unmeasured\n"
            "  --call FUNCTION        the function of --code\n"
            "  -l NAME, --library NAME  an archive that it needs, as to a linker: -lm (musl's), or its path\n"
            "  --list all|FILE        with instructions: all forms, or the forms in FILE, a line each:\n"
            "                         `imul r64+, r64` (+ read and written, = written)\n"
            "  --ports                with instructions: operations on each port of the processor\n"
            "  SUITE                  memory, tlb, branches, instructions, cores, syscalls\n"
            "  --ring 0|3             the privilege level (default: 3)\n"
            "  --unroll N             instances in a row (default: 100)\n"
            "  --loop N               rounds of a loop around them (default: none)\n"
            "  --warm-up N            uncounted runs first (default: 5)\n"
            "  --runs N               counted runs (default: 10)\n"
            "  --min                  the result is the least of the runs\n"
            "  --median               the result is their median (default)\n"
            "  --mean                 the result is their mean\n"
            "  --basic                subtracts nothing\n"
            "  -e LIST, --events LIST  events to count, as stat -e (default: cycles,instructions)\n"
            "  --cpu N                the processor\n"
            "  --memory SIZE[,aligned][,huge[=1G]]  the area at R14\n"
            "  --flush                empties the caches before each run\n"
            "  --cold i,d,tlb,branch  empties before each run: code and data caches, TLBs,\n"
            "                         branch predictors\n"
            "  --prefetch off         without hardware prefetchers\n"
            "  --harness-offset BYTES  where in a page bench keeps its own data: a multiple of 64\n"
            "                         below 4096 (default: 0); -v prints its cache sets\n"
            "  --range X=A..B[:STEP]  a sweep over X, which the text names\n"
            "  --csv                  the result as comma-separated columns\n"
            "  --json                 the result as JSON\n"
            "  --tsc                  also ticks of the time-stamp counter (RDTSC)\n"
            "  --energy               also joules of the package\n"
            "  --plot FILE.svg        a picture of the result\n",
        .options = bench_long_options,
        .letters = "e:l:",
        .permutes = true,
        .operands = take_suite,
        .run = run_bench,
    },
    {
        .name = "perf",
        .traits = COMMAND_MAIN | RUNS,
        .arguments = "[OPTIONS] ARGS...",
        .summary = "runs the host's perf in the image; its files appear in the working directory",
        .operands = take_perf,
        .run = run_perf,
    },
    {
        .name = "linux",
        .traits = COMMAND_MAIN | COMMAND_PROGRAM | RUNS,
        .arguments = "[OPTIONS] -- PROGRAM [ARG...]",
        .summary = "runs the program on Debian's kernel in the same emulator",
        .check = check_linux,
        .run = run_in_machine,
    },
    {
        .name = "gdb",
        .traits = COMMAND_PROGRAM | RUNS,
        .arguments = "[OPTIONS] -- PROGRAM [ARG...]",
        .summary = "runs the program in a machine that waits for gdb, with the symbols of kernel and program",
        .run = run_debugger,
    },
    {
        .name = "boot",
        .traits = RUNS | COMMAND_PROFILE,
        .arguments =
            "[--pmu NAME] (--kernel FILE [--initrd FILE] [--append ARGS] | --efi FILE)\n"
            "                     [--record FILE] [--stat] [--json FILE] [--until PLACE]",
        .summary = "starts another kernel under the emulated PMU, or profiles what boots",
        .help =
            "  --kernel FILE          the kernel: a bzImage, or an ELF file with a PVH entry\n"
            "  --initrd FILE          its initial files\n"
            "  --efi FILE             a program that UEFI starts\n"
            "  --record FILE          samples of everything from the reset on, for perf\n"
            "                         (docs/firmware.md); --kernel and --efi may then be missing,\n"
            "                         and --pmu is none by default\n"
            "  -e EVENTS              events to sample (default: cycles); instructions alone is fast\n"
            "  -c PERIOD              a sample each PERIOD events\n"
            "  -g                     with call chains, by the calls and returns that ran\n"
            "  --call-graph KIND      calls (as -g), or fp: by frame pointers\n"
            "  --stat                 tables of phases, images and functions, with exact amounts\n"
            "  --symbols FILE[@ADDRESS] | DIR  names of functions: ELF files, lists of nm's, kernels;\n"
            "                         they must match the code that ran\n"
            "  --mark NAME=PLACE      a phase begins at a function, 0xADDRESS, post:NUMBER, text:TEXT\n"
            "                         (of the serial line or the debug port), init\n"
            "  --until PLACE          the machine ends there\n"
            "  --html FILE            a page with a timeline; FILE.svg: the timeline alone\n"
            "  --lcov FILE            lines that ran, of symbol files with line numbers\n"
            "  --json FILE            the totals of phases and images\n"
            "  --baseline FILE --tolerance 2%\n"
            "                         compares with an earlier --json; exit status 1 if this boot takes more\n"
            "  --diff OLD.json NEW.json  compares two files without booting\n"
            "  --no-waits             without samples of loops that wait\n"
            "  --bios FILE            the firmware, as a ROM\n"
            "  --flash FILE           the firmware, as flash: EDK2's code; again: its variables\n"
            "  --disk FILE            a disk to boot from; changes are not kept\n"
            "  --debug-port           a debug port at 402H, for the logs of OVMF and SeaBIOS\n",
        .letters = PROFILE_LETTERS,
        .options = boot_long_options,
        .check = check_boot,
        .run = boot_other,
    },
    {
        .name = "image",
        .traits = COMMAND_HOST | COMMAND_HARDWARE | COMMAND_FILES,
        .arguments =
            "[--pmu NAME] [--end ACTION] [--upload ADDRESS] [--sector BYTES] [--bios] [--force] -o FILE\n"
            "                     [--self-test | -- PROGRAM [ARG...]]",
        .summary = "makes a bootable disk",
        .help =
            "  -o FILE                a file, or a disk; FILE.efi: one EFI program, for a network boot\n"
            "  --bios                 also boots machines without UEFI, by GRUB; results on the console\n"
            "  --sector 4096          for a disk with sectors of 4,096 bytes (-o DISK: its own size)\n"
            "  --force                overwrites a disk or a file without asking\n"
            "  --end ACTION           after the jobs: wait (default), reboot, poweroff\n"
            "  --pmu NAME             adds the visor, for machines without a PMU, such as plain QEMU\n"
            "  --append ARGS          adds ARGS to the kernel's command line\n"
            "  --self-test            the job reports the machine and checks its PMU\n"
            "  --upload tftp://[SERVER][:PORT][/DIRECTORY]  sends results there as archives, by the\n"
            "                         firmware's network; SERVER is an IPv4 address, or the one that\n"
            "                         DHCP names\n",
        .options = image_long_options,
        .letters = "o:",
        .check = check_image,
        .check_option = image_check_option,
        .run = make_image,
    },
    {
        .name = "report-machine",
        .arguments = "FILE",
        .summary = "shows a self-test's report.json",
        .run_arguments = show_machine_report,
    },
    {
        .name = "new",
        .arguments = "[--component KIND] DIR",
        .summary = "creates a program for barepmu.h, or a component of the simulated core",
        .help =
            "  --component KIND       predictor, indirect, policy or prefetcher, for `--core NAME,TERM=FILE.so`\n",
        .run_arguments = new_project,
    },
    {
        .name = "sweep",
        .arguments = "--core 'NAME,TERM={A,B,...}' [OPTIONS] -- PROGRAM [ARG...]",
        .summary = "runs a program on each core of a product, on all host processors",
        .help =
            "  --core NAME,TERM={A,B}  each {A,B,...} is a factor of the product\n"
            "  --dir DIR              the results' directory (default: sweep); existing results are kept\n"
            "  -j N                   runs at the same time (default: the host's processors)\n"
            "  --part I/N             only the I-th of N parts, for several machines with one directory\n"
            "  --csv FILE             the table (default: stdout)\n"
            "  --json FILE            all statistics of all runs\n"
            "  --plot FILE.svg        a picture of each core's IPC\n"
            "  OPTIONS                other options go to `barepmu run`; the program gets no variables of the\n"
            "                         environment but those of --env: results of all machines are alike\n",
        .run_arguments = sweep_runs,
    },
    {
        .name = "compare",
        .arguments = "[--plot FILE.svg] A B",
        .summary = "compares two results of --stats, or two directories of them",
        .help =
            "  --plot FILE.svg        a picture of each program's IPC\n",
        .run_arguments = compare_runs,
    },
    {
        .name = "simulate",
        .arguments = "[OPTIONS] TRACE",
        .summary = "runs the simulator's caches and predictors on a trace, without a guest",
        .help =
            "  TRACE                  ChampSim's format; branches: a name with `branches` in it;\n"
            "                         .xz and .gz are unpacked\n"
            "  --core NAME[,TERM...]  as of `barepmu run` (default: skylake)\n"
            "  --warm-up N            uncounted instructions first\n"
            "  --measure N            and then N counted ones (default: all others)\n"
            "  --stats FILE.json|.csv|.txt  the counts, for `barepmu compare`\n",
        .run_arguments = simulate_trace,
    },
    {.name = NULL},
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	struct closest search = {.word = name};

	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
		closest_offer(&search, c->name);
	}
	perf_commands_refer(name);
	unknown_word("command", name, search.best);
}
