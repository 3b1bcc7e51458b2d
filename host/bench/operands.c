/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments and checks that single commands have for themselves. */
#include "host/bench/operands.h"
#include "host/firmware/boot.h"

#include <string.h>
#include <unistd.h>

#include "host/image/image.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

static bool is_chains(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "lbr") || !strncmp(word, "dwarf", 5);
}

void take_call_graph(int argc, char **argv)
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

void take_filter(struct options *options, int argc)
{
	(void)argc;
	options->filter = options->program;
	for (; *options->program; options->program++)
		add_word(&options->pass, *options->program);
}

void take_suite(struct options *options, int argc)
{
	(void)argc;
	options->bench.suite = *options->program;
	if (*options->program && options->program[1])
		die(STATUS_OURS, "bench takes one suite, not '%s' besides", options->program[1]);
	while (*options->program)
		options->program++;
}

void take_perf(struct options *options, int argc)
{
	char **program = allocate(((size_t)argc + 2) * sizeof(*program)), *here = getcwd(NULL, 0);

	program[0] = "perf";
	for (int i = 0; options->program[i]; i++)
		program[i + 1] = options->program[i];
	options->program = program;
	if (here && strcmp(here, "/") && !access(here, W_OK))
		add_word(&options->share_both, here);
}

/* The table goes to stderr, as in perf. */
void check_stat(struct options *options)
{
	if (options->output && !strcmp(options->output, "-"))
		options->output = NULL;
}

void check_record(struct options *options)
{
	if (!options->output)
		options->output = DEFAULT_OUTPUT;
	if (!strcmp(options->output, "-") && isatty(STDOUT_FILENO))
		die(STATUS_OURS, "-o -: samples are not for a terminal: `| perf report -i -`");
}

void check_linux(struct options *options)
{
	if (options->firmware == FIRMWARE_OVMF)
		die(STATUS_OURS, "linux starts through --firmware pvh only");
	if (options->share_both.nr)
		die(STATUS_OURS, "linux brings no changes of '%s' back: write to /out",
		    options->share_both.word[0]);
}

void check_boot(struct options *options)
{
	if (*options->program && !options->profile.diff)
		die(STATUS_OURS, "boot takes no '%s'", *options->program);
	boot_check(options);
}

void check_image(struct options *options)
{
	image_check(options);
}
