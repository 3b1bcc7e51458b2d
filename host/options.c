/* SPDX-License-Identifier: BSD-2-Clause */
/* The host command's options; stat's and record's are passed on to the program in the image. */
#include "host/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/app_options.h"
#include "apps/lib/closest.h"
#include "apps/lib/event/event.h"
#include "host/bench.h"
#include "host/core.h"
#include "host/image/image.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/qemu.h"
#include "host/usage.h"
#include "host/values.h"
#include "host/vendor.h"

#define VERSION "0.9.0" /* CHANGELOG.md */

enum {
	OPTION_PMU = 256,
	OPTION_FIRMWARE,
	OPTION_CORE,
	OPTION_TIME,
	OPTION_EXACT,
	OPTION_SMP,
	OPTION_PARALLEL,
	OPTION_MEMORY,
	OPTION_ADD,
	OPTION_ENV,
	OPTION_IGNORE_ENVIRONMENT,
	OPTION_CWD,
	OPTION_SHARE,
	OPTION_TIMEOUT,
	OPTION_APPEND,
	OPTION_KERNEL,
	OPTION_INITRD,
	OPTION_EFI,
	OPTION_END,
	OPTION_FORCE,
	OPTION_SELF_TEST,
	OPTION_UPLOAD,
	OPTION_HELP
};

static const struct option long_options[] = {
    {"pmu", required_argument, NULL, OPTION_PMU},
    {"firmware", required_argument, NULL, OPTION_FIRMWARE},
    {"core", required_argument, NULL, OPTION_CORE},
    {"time", required_argument, NULL, OPTION_TIME},
    {"exact", no_argument, NULL, OPTION_EXACT},
    {"smp", required_argument, NULL, OPTION_SMP},
    {"parallel", no_argument, NULL, OPTION_PARALLEL},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"add", required_argument, NULL, OPTION_ADD},
    {"env", required_argument, NULL, OPTION_ENV},
    {"ignore-environment", no_argument, NULL, OPTION_IGNORE_ENVIRONMENT},
    {"share", required_argument, NULL, OPTION_SHARE},
    {"cwd", required_argument, NULL, OPTION_CWD},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"append", required_argument, NULL, OPTION_APPEND},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"initrd", required_argument, NULL, OPTION_INITRD},
    {"end", required_argument, NULL, OPTION_END},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"self-test", no_argument, NULL, OPTION_SELF_TEST},
    {"upload", required_argument, NULL, OPTION_UPLOAD},
    {"efi", required_argument, NULL, OPTION_EFI},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

/* A command: its short options, and which of them an application in the image handles. */
static const struct command {
	const char *name;
	const char *letters; /* for getopt */
	const char *passed;
	bool wants_program;
} commands[] = {
    {"run", "+:hqv", "", true},
    {"stat", "+:hqv" TARGET_LETTERS STAT_LETTERS, STAT_LETTERS, true},
    {"record", "+:hqv" TARGET_LETTERS RECORD_LETTERS, RECORD_LETTERS, true},
    {"list", "+:hqv", "", false},
    {"image", "+:hqvo:", "", false},
    {"linux", "+:hqv", "", true},
    {"gdb", "+:hqv", "", true},
    {"perf", "+:hqv", "", false},
    {"boot", "+:hqv", "", false},
    {"bench", ":hqv", "", false},
    {NULL, NULL, NULL, false},
};

/* Options whose text sets one field of struct options. */
static const struct text_option {
	int option;
	size_t field;
	const char *(*check)(const char *text); /* dies of a wrong one; NULL: all are right */
} text_options[] = {
    {OPTION_PMU, offsetof(struct options, pmu), pmu_value},
    {OPTION_CORE, offsetof(struct options, core), check_core},
    {OPTION_TIME, offsetof(struct options, time), check_time},
    {OPTION_CWD, offsetof(struct options, cwd), folder_value},
    {OPTION_APPEND, offsetof(struct options, append), NULL},
    {OPTION_KERNEL, offsetof(struct options, kernel), readable_value},
    {OPTION_INITRD, offsetof(struct options, initrd), readable_value},
    {OPTION_EFI, offsetof(struct options, efi), readable_value},
    {OPTION_END, offsetof(struct options, end), NULL},
    {OPTION_UPLOAD, offsetof(struct options, upload), NULL},
};

static bool text_option(struct options *options, int option, const char *argument)
{
	for (size_t i = 0; i < sizeof(text_options) / sizeof(text_options[0]); i++) {
		const struct text_option *t = &text_options[i];

		if (t->option != option)
			continue;
		*(const char **)((char *)options + t->field) =
		    t->check ? t->check(argument) : argument;
		return true;
	}
	return false;
}

static void long_option(struct options *options, int option, const char *argument)
{
	if (text_option(options, option, argument))
		return;
	switch (option) {
	case OPTION_FIRMWARE:
		options->firmware = firmware_value(argument);
		break;
	case OPTION_EXACT:
		options->exact = true;
		break;
	case OPTION_SMP:
		options->processors = number_value("--smp", argument, 1, MAX_PROCESSORS);
		break;
	case OPTION_PARALLEL:
		options->parallel = true;
		break;
	case OPTION_MEMORY:
		options->memory = number_value("--memory", argument, 64, 1 << 20);
		break;
	case OPTION_SHARE:
		share_value(options, argument);
		break;
	case OPTION_ADD:
		add_word(&options->add, argument);
		break;
	case OPTION_ENV:
		add_word(&options->env, variable_value(argument));
		break;
	case OPTION_IGNORE_ENVIRONMENT:
		options->own_environment = true;
		break;
	case OPTION_SELF_TEST:
		options->self_test = true;
		break;
	case OPTION_FORCE:
		options->force = true;
		break;
	case OPTION_TIMEOUT:
		options->timeout = number_value("--timeout", argument, 1, MAX_TIMEOUT);
		break;
	default:
		usage_print(options->command);
		exit(0);
	}
}

/* Returns the command's long options: some have more, and bench has another --memory. */
static const struct option *options_of(const struct command *command)
{
	static struct option all[80];
	bool bench = !strcmp(command->name, "bench");
	const struct option *own = bench                              ? bench_long_options
				   : !strcmp(command->name, "stat")   ? stat_long_options
				   : !strcmp(command->name, "record") ? record_long_options
								      : NULL;
	size_t nr = 0;

	if (!own)
		return long_options;
	for (const struct option *o = own; o->name; o++)
		all[nr++] = *o;
	for (const struct option *o = long_options; o->name; o++)
		if (!bench || o->val != OPTION_MEMORY)
			all[nr++] = *o;
	return all;
}

/* The plot of stat leaves the image in a file, like bench's. */
static void pass_long(struct options *options, const char *name, const char *argument)
{
	if (!strcmp(name, "plot")) {
		options->bench.plot = argument;
		argument = "/out/plot.txt";
	}
	add_word(&options->pass,
		 argument ? format_text("--%s=%s", name, argument) : format_text("--%s", name));
}

static void short_option(struct options *options, const struct command *command, int letter,
			 char *argument)
{
	if (letter == 'h') {
		usage_print(command->name);
		exit(0);
	}
	if (letter == 'q')
		options->verbosity = -1;
	else if (letter == 'v')
		options->verbosity = options->verbosity < 0 ? 1 : options->verbosity + 1;
	else if (letter == 'o')
		options->output = argument;
	if (letter == 'p')
		die(STATUS_OURS,
		    "-p: nothing runs in the image but what is started there: "
		    "`/bin/%s -p PID` in a script of `barepmu run`",
		    command->name);
	if (letter == 'I')
		number_value("-I", argument, 1, 1000000000);
	if (letter == 'c' || letter == 'F')
		number_value(letter == 'c' ? "-c" : "-F", argument, 1, 2147483647);
	if (letter == 'r')
		number_value("-r", argument, 1, 1000000);
	if (!strchr(command->passed, letter))
		return;
	add_word(&options->pass, format_text("-%c", letter));
	if (argument)
		add_word(&options->pass, argument);
}

/* Rejects an option that no command has, or not this one. `typed` is the word that contains it. */
static _Noreturn void bad_option(const struct option *longs, int letter, const char *typed)
{
	struct closest search = {.word = typed};
	char short_name[3] = {'-', (char)letter, '\0'};

	if (strncmp(typed, "--", 2) || letter)
		unknown_word("option", letter ? short_name : typed, NULL);
	for (const struct option *o = longs; o->name; o++)
		closest_offer(&search, format_text("--%s", o->name));
	unknown_word("option", typed, search.best);
}

static const struct command *find_command(const char *name)
{
	struct closest search = {.word = name};

	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
		closest_offer(&search, c->name);
	}
	unknown_word("command", name, search.best);
}

/* Checks before the run that a result can be written. Creates nothing yet: the name may be a link
 * that an earlier machine has left in its directory. */
static void check_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	char *copy = format_text("%s", path);

	if (fd < 0 && errno != ENXIO && (errno != ENOENT || access(dirname(copy), W_OK | X_OK)))
		die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(copy);
}

/* Handles `-o -`: samples go to standard output; a table of stat goes to stderr, as in perf. */
static void check_standard_output(struct options *options, const struct command *command)
{
	if (!options->output || strcmp(options->output, "-"))
		return;
	if (!strcmp(command->name, "stat"))
		options->output = NULL;
	else if (!strcmp(command->name, "record") && isatty(STDOUT_FILENO))
		die(STATUS_OURS, "-o -: samples are not for a terminal: `| perf report -i -`");
}

/* Returns the program's working directory: ours, where the machine sees it. */
static const char *default_folder(const struct command *command)
{
	char *here = getcwd(NULL, 0);

	return here && strcmp(command->name, "image") && strcmp(command->name, "linux") ? here
											: "/";
}

/* True for `stat -M help`, which lists metrics and runs nothing. */
static bool asks_for_list(const struct words *pass)
{
	for (int i = 0; i + 1 < pass->nr; i++)
		if (!strcmp(pass->word[i], "-M") && !strcmp(pass->word[i + 1], "help"))
			return true;
	return false;
}

static void check_combination(struct options *options, const struct command *command)
{
	options->cwd_chosen = options->cwd;
	if (!options->cwd)
		options->cwd = default_folder(command);
	if (command->wants_program && !*options->program && !asks_for_list(&options->pass))
		die(STATUS_OURS, "%s wants a PROGRAM: barepmu %s [OPTIONS] -- PROGRAM [ARG...]",
		    command->name, command->name);
	if (!strcmp(command->name, "linux") && options->firmware == FIRMWARE_OVMF)
		die(STATUS_OURS, "linux starts through --firmware pvh only");
	if (!strcmp(command->name, "boot") && *options->program)
		die(STATUS_OURS, "%s takes no '%s'", command->name, *options->program);
	if (!strcmp(command->name, "boot") && !options->kernel == !options->efi)
		die(STATUS_OURS, "boot wants either --kernel FILE or --efi FILE");
	if (strcmp(command->name, "boot") && (options->kernel || options->initrd || options->efi))
		die(STATUS_OURS, "--kernel, --initrd and --efi belong to boot");
	if (!strcmp(command->name, "image"))
		image_check(options);
	else if (options->end || options->force || options->self_test || options->upload)
		die(STATUS_OURS, "--end, --force, --self-test and --upload belong to image");
	if (!strcmp(command->name, "record") && !options->output)
		options->output = DEFAULT_OUTPUT;
	check_standard_output(options, command);
	if (options->output && strcmp(options->output, "-"))
		check_output(options->output);
	if (options->core && strcmp(options->core, "none") &&
	    (!strcmp(options->pmu, "host") || !strcmp(options->pmu, "none")))
		die(STATUS_OURS, "--core needs an emulated PMU, not --pmu %s", options->pmu);
	if (options->exact && (!strcmp(options->pmu, "host") || !strcmp(options->pmu, "none")))
		die(STATUS_OURS, "--exact needs an emulated PMU, not --pmu %s", options->pmu);
}

/* Makes the host's perf the program, and shares the working directory for its output. */
static void take_perf(struct options *options, int argc)
{
	char **program = allocate(((size_t)argc + 2) * sizeof(*program)), *here = getcwd(NULL, 0);

	program[0] = "perf";
	for (int i = 0; options->program[i]; i++)
		program[i + 1] = options->program[i];
	options->program = program;
	if (here && strcmp(here, "/") && !access(here, W_OK))
		add_word(&options->share_both, here);
}

/* Sets the filter of the list: all rows, or rows that match a word after the options. */
static void take_filter(struct options *options)
{
	options->filter = options->program;
	for (; *options->program; options->program++)
		add_word(&options->pass, *options->program);
}

/* Handles the word after the options. */
static void take_suite(struct options *options)
{
	options->bench.suite = *options->program;
	if (*options->program && options->program[1])
		die(STATUS_OURS, "bench takes one suite, not '%s' besides", options->program[1]);
	while (*options->program)
		options->program++;
}

static bool is_chains(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "lbr") || !strncmp(word, "dwarf", 5);
}

/* Turns `-g dwarf` and the like into perf's `--call-graph dwarf`. */
static void take_chains(int argc, char **argv)
{
	static char whole[] = "--call-graph";

	for (int i = 2; i + 1 < argc && strcmp(argv[i], "--"); i++) {
		const char *next = argv[i + 1];

		if (strcmp(argv[i], "-g"))
			continue;
		if (is_chains(next))
			argv[i] = whole;
		else if (*next != '-' && i + 2 < argc && !strcmp(argv[i + 2], "--"))
			die(STATUS_OURS, "-g takes fp, dwarf or lbr, not '%s'", next);
	}
}

void parse_options(struct options *options, int argc, char **argv)
{
	const struct command *command;
	const struct option *longs;
	int option, index = 0;

	*options = (struct options){.memory = 512, .processors = 1, .cwd = NULL};
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		if (argc < 2)
			usage_complain();
		usage_print(NULL);
		exit(0);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("barepmu " VERSION);
		exit(0);
	}
	command = find_command(argv[1]);
	options->command = command->name;
	longs = options_of(command);
	if (!strcmp(command->name, "record"))
		take_chains(argc, argv);
	bench_defaults(&options->bench);
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, command->letters, longs, &index)) != -1) {
		if (option == ':')
			die(STATUS_OURS, "option '%s' wants a value", argv[optind - 1]);
		if (option == '?')
			bad_option(longs, optopt, argv[optind - 1]);
		if (option >= OPTION_PMU && !strcmp(command->name, "image"))
			image_check_option(longs[index].name);
		if (option >= APP_OPTION_FIRST)
			pass_long(options, longs[index].name, optarg);
		else if (option >= BENCH_OPTION_FIRST)
			bench_option(options, &longs[index], optarg);
		else if (option >= OPTION_PMU)
			long_option(options, option, optarg);
		else
			short_option(options, command, option, optarg);
	}
	options->program = argv + optind;
	if (!strcmp(command->name, "bench"))
		take_suite(options);
	if (!strcmp(command->name, "list"))
		take_filter(options);
	if (!strcmp(command->name, "perf"))
		take_perf(options, argc);
	if (!options->pmu) /* an image's is the machine's own */
		options->pmu =
		    !strcmp(command->name, "image") || kvm_offers_pmu() ? "host" : "skylake";
	check_combination(options, command);
	resolve_events(options);
}
