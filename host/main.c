/* SPDX-License-Identifier: BSD-2-Clause */
/* barepmu: runs, counts and samples Linux programs in the barepmu image under QEMU. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/commands.h"
#include "host/usage.h"
#include "host/version.h"

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

int main(int argc, char **argv)
{
	static struct options options;
	const struct command *command;

	if (argc < 2)
		usage_complain();
	if (is_help(argv[1]) || !strcmp(argv[1], "help")) {
		usage_print(argc > 2 ? command_find(argv[2]) : NULL);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		version_print(argc > 2 && !strcmp(argv[2], "-v"));
		return 0;
	}
	command = command_find(argv[1]);
	if (command->run_arguments) {
		if (argc < 3 || !is_help(argv[2]))
			return command->run_arguments(argv + 2);
		usage_print(command);
		return 0;
	}
	parse_options(&options, command, argc, argv);
	return command->run(&options);
}
