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
#include "host/bench/bench.h"
#include "host/commands.h"
#include "host/core.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/qemu.h"
#include "host/perf_commands.h"
#include "host/usage.h"
#include "host/values.h"
#include "host/vendor.h"

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
	OPTION_NO_SHARE,
	OPTION_TIMEOUT,
	OPTION_ABI,
	OPTION_APPEND,
	OPTION_KERNEL,
	OPTION_INITRD,
	OPTION_EFI,
	OPTION_END,
	OPTION_FORCE,
	OPTION_SECTOR,
	OPTION_BIOS,
	OPTION_SELF_TEST,
	OPTION_UPLOAD,
	OPTION_BASELINE,
	OPTION_TOLERANCE,
	OPTION_COMPARISON,
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
    {"no-share", no_argument, NULL, OPTION_NO_SHARE},
    {"cwd", required_argument, NULL, OPTION_CWD},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"abi", required_argument, NULL, OPTION_ABI},
    {"append", required_argument, NULL, OPTION_APPEND},
    {"verbose", no_argument, NULL, 'v'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

const struct option boot_long_options[] = {
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"initrd", required_argument, NULL, OPTION_INITRD},
    {"efi", required_argument, NULL, OPTION_EFI},
    PROFILE_OPTIONS,
    {NULL, 0, NULL, 0},
};

const struct option image_long_options[] = {
    {"end", required_argument, NULL, OPTION_END},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"sector", required_argument, NULL, OPTION_SECTOR},
    {"bios", no_argument, NULL, OPTION_BIOS},
    {"self-test", no_argument, NULL, OPTION_SELF_TEST},
    {"upload", required_argument, NULL, OPTION_UPLOAD},
    {NULL, 0, NULL, 0},
};

const struct option stat_host_options[] = {
    {"baseline", required_argument, NULL, OPTION_BASELINE},
    {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
    {"report", required_argument, NULL, OPTION_COMPARISON},
    {NULL, 0, NULL, 0},
};

/* The kernel's system_init() knows the same versions. */
#define ABI_NEWEST 19

static const char *check_abi(const char *text)
{
	unsigned minor;
	char rest;

	if (sscanf(text, "6.%u%c", &minor, &rest) != 1 || !minor || minor > ABI_NEWEST)
		die(STATUS_OURS, "--abi %s: a version of Linux from 6.1 to 6.%u", text, ABI_NEWEST);
	return text;
}

/* Options whose text sets one field of struct options. */
static const struct text_option {
	int option;
	size_t field;
	const char *(*check)(const char *text); /* dies of a wrong one; NULL: all are right */
} text_options[] = {
    {OPTION_PMU, offsetof(struct options, pmu), pmu_value},
    {OPTION_CORE, offsetof(struct options, core), check_core},
    {OPTION_TIME, offsetof(struct options, time), check_time},
    {OPTION_CWD, offsetof(struct options, cwd), directory_value},
    {OPTION_ABI, offsetof(struct options, abi), check_abi},
    {OPTION_APPEND, offsetof(struct options, append), NULL},
    {OPTION_KERNEL, offsetof(struct options, kernel), readable_value},
    {OPTION_INITRD, offsetof(struct options, initrd), readable_value},
    {OPTION_EFI, offsetof(struct options, efi), readable_value},
    {OPTION_END, offsetof(struct options, end), NULL},
    {OPTION_UPLOAD, offsetof(struct options, upload), NULL},
    {OPTION_SECTOR, offsetof(struct options, sector), NULL},
    {OPTION_BASELINE, offsetof(struct options, baseline), NULL},
    {OPTION_TOLERANCE, offsetof(struct options, tolerance), NULL},
    {OPTION_COMPARISON, offsetof(struct options, comparison), NULL},
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
	case OPTION_NO_SHARE:
		options->no_share = true;
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
	case OPTION_BIOS:
		options->bios = true;
		break;
	case OPTION_FORCE:
		options->force = true;
		break;
	case OPTION_TIMEOUT:
		options->timeout = number_value("--timeout", argument, 1, MAX_TIMEOUT);
		break;
	default:
		usage_print(command_find(options->command));
		exit(0);
	}
}

/* Returns the option of this name, or NULL; `options` may be NULL. */
static const struct option *find_option(const struct option *options, const char *name)
{
	for (const struct option *o = options; o && o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

/* Returns the command's own long options, and the machine's except the ones that it has itself. */
static const struct option *options_of(const struct command *command)
{
	static struct option all[120];
	size_t nr = 0;

	for (const struct option *o = command->options; o && o->name; o++)
		all[nr++] = *o;
	for (const struct option *o = command->host_options; o && o->name; o++)
		all[nr++] = *o;
	for (const struct option *o = long_options; o->name; o++)
		if (!find_option(command->options, o->name))
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
		usage_print(command);
		exit(0);
	}
	if (letter == 'q')
		options->verbosity = -1;
	else if (letter == 'v')
		options->verbosity = options->verbosity < 0 ? 1 : options->verbosity + 1;
	else if (letter == 'o')
		options->output = argument;
	if (letter == 'l' || (letter == 'e' && command->options == bench_long_options))
		bench_letter(options, letter, argument);
	if (letter == 'p')
		die(STATUS_OURS,
		    "-p: nothing runs in the image but what is started there: "
		    "`/bin/%s -p PID` in a script of `barepmu run`",
		    command->name);
	if (letter == 'I')
		number_value("-I", argument, 1, 1000000000);
	if (letter == 'c' || (letter == 'F' && strcmp(argument, "max")))
		number_value(letter == 'c' ? "-c" : "-F", argument, 1, 2147483647);
	if (letter == 'r')
		number_value("-r", argument, 1, 1000000);
	if (!command->passed || !strchr(command->passed, letter))
		return;
	add_word(&options->pass, format_text("-%c", letter));
	if (argument)
		add_word(&options->pass, argument);
}

/* Ends the command for an option of other commands, and names them. */
static void check_owner(const char *typed)
{
	char *name = format_text("%s", typed + 2), *owners = NULL;

	name[strcspn(name, "=")] = '\0';
	for (const struct command *c = commands; c->name; c++)
		if (find_option(c->options, name) || find_option(c->host_options, name)) {
			char *more = owners ? format_text("%s, `barepmu %s`", owners, c->name)
					    : format_text("`barepmu %s`", c->name);

			free(owners);
			owners = more;
		}
	if (owners)
		die(STATUS_OURS, "--%s belongs to %s", name, owners);
	free(name);
}

static _Noreturn void bad_letter(const char *command, const char *typed)
{
	perf_options_refer(command, typed);
	unknown_word("option", typed, NULL);
}

/* Rejects an option that no command has, or not this one. `typed` is the argument with it. */
static _Noreturn void bad_option(const char *command, const struct option *longs, int letter,
				 const char *typed)
{
	struct closest search = {.word = typed};
	char short_name[3] = {'-', (char)letter, '\0'};

	if (strncmp(typed, "--", 2) || letter)
		bad_letter(command, letter ? short_name : typed);
	check_owner(typed);
	perf_options_refer(command, typed);
	for (const struct option *o = longs; o->name; o++)
		closest_offer(&search, format_text("--%s", o->name));
	unknown_word("option", typed, search.best);
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

/* Returns the program's working directory: ours, where the machine sees it. */
static const char *default_directory(const struct command *command)
{
	char *here = getcwd(NULL, 0);

	return here && !(command->traits & COMMAND_HOST) ? here : "/";
}

/* True for `stat -M help`, which lists metrics and runs nothing. */
static bool requests_list(const struct words *pass)
{
	for (int i = 0; i + 1 < pass->nr; i++)
		if (!strcmp(pass->word[i], "-M") && !strcmp(pass->word[i + 1], "help"))
			return true;
	return false;
}

/* True if the machine has an emulated PMU. */
static bool has_visor(const struct options *options)
{
	return strcmp(options->pmu, "host") && strcmp(options->pmu, "none");
}

static void check_combination(struct options *options, const struct command *command)
{
	if (options->experiment.dump) {
		core_dump(options);
		exit(0);
	}
	options->cwd_chosen = options->cwd;
	if (!options->cwd)
		options->cwd = default_directory(command);
	if (command->traits & COMMAND_PROGRAM && !*options->program &&
	    !requests_list(&options->pass))
		die(STATUS_OURS, "%s wants a PROGRAM: barepmu %s [OPTIONS] -- PROGRAM [ARG...]",
		    command->name, command->name);
	if (command->check)
		command->check(options);
	if (options->output && strcmp(options->output, "-"))
		check_output(options->output);
	if (options->core && strcmp(options->core, "none") && !profile_wanted(&options->profile) &&
	    !has_visor(options))
		die(STATUS_OURS, "--core needs an emulated PMU, not --pmu %s", options->pmu);
	if (options->exact && !has_visor(options))
		die(STATUS_OURS, "--exact needs an emulated PMU, not --pmu %s", options->pmu);
	if (options->processors > VISOR_PROCESSORS && has_visor(options))
		die(STATUS_OURS,
		    "--smp: an emulated PMU has at most %d processors; --pmu none has up to %d",
		    VISOR_PROCESSORS, MAX_PROCESSORS);
}

/* Handles one option that getopt_long() returned; `named` is its row if it is a long one. */
static void take_option(struct options *options, const struct command *command, int option,
			const struct option *named)
{
	if (option >= OPTION_PMU && command->check_option)
		command->check_option(named->name);
	if (option >= EXPERIMENT_OPTION_FIRST && option < EXPERIMENT_OPTION_LAST)
		experiment_take(options, option, optarg);
	else if (option >= TRACE_OPTION_FIRST && option < TRACE_OPTION_LAST)
		trace_take(options, option, optarg);
	else if (option >= PROFILE_OPTION_FIRST ||
		 (command->traits & COMMAND_PROFILE && option < OPTION_PMU &&
		  strchr(PROFILE_LETTERS, option)))
		profile_take(&options->profile, option, optarg);
	else if (option >= APP_OPTION_FIRST)
		pass_long(options, named->name, optarg);
	else if (option >= BENCH_OPTION_FIRST)
		bench_option(options, named, optarg);
	else if (option >= OPTION_PMU)
		long_option(options, option, optarg);
	else
		short_option(options, command, option, optarg);
}

void parse_options(struct options *options, const struct command *command, int argc, char **argv)
{
	const struct option *longs = options_of(command);
	char *letters = format_text("%s:hqv%s", command->permutes ? "" : "+",
				    command->letters ? command->letters : "");
	int option, index = 0;

	*options = (struct options){.command = command->name, .memory = 512, .processors = 1};
	if (command->prepare)
		command->prepare(argc, argv);
	bench_defaults(&options->bench);
	optind = 2;
	opterr = 0;
	while ((option = getopt_long(argc, argv, letters, longs, &index)) != -1) {
		if (option == ':')
			die(STATUS_OURS, "option '%s' wants a value", argv[optind - 1]);
		if (option == '?')
			bad_option(command->name, longs, optopt, argv[optind - 1]);
		take_option(options, command, option, &longs[index]);
	}
	free(letters);
	options->program = argv + optind;
	if (command->operands)
		command->operands(options, argc);
	if (!options->pmu && profile_wanted(&options->profile))
		options->pmu = "none"; /* a profile needs no PMU */
	if (!options->pmu)
		options->pmu =
		    command->traits & COMMAND_HARDWARE || kvm_offers_pmu() ? "host" : "skylake";
	check_combination(options, command);
	resolve_events(options);
}
