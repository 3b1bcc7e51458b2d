/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands: each one's options, help, and function. */
#ifndef HOST_COMMANDS_H
#define HOST_COMMANDS_H

#include <getopt.h>

#include "host/options.h"

/* Properties of a command. */
enum command_trait {
	COMMAND_MAIN = 1 << 0,    /* has a line of its own in the short usage */
	COMMAND_PROGRAM = 1 << 1, /* ends without a PROGRAM */
	COMMAND_HOST = 1 << 2,    /* PROGRAM starts in "/": it does not see the working directory */
	COMMAND_HARDWARE = 1 << 3, /* --pmu defaults to the machine's own PMU */
	COMMAND_FILES = 1 << 4,    /* its help has the options for files in the image */
	COMMAND_PROFILE = 1 << 6,  /* takes the options of host/profile/request.h */
	COMMAND_MACHINE = 1 << 5   /* and of the emulated machine */
};

struct command {
	const char *name;
	unsigned traits;
	const char *arguments, *summary; /* of the help's first lines */
	const char *help; /* its own options, a row each as usage.c explains; NULL: none */
	const struct option
	    *options; /* its own long options; they win over the machine's. NULL: none */
	const struct option *host_options; /* further ones, for the host alone; NULL: none */
	const char *letters;               /* short options besides -h, -q and -v; NULL: none */
	const char *passed; /* the short options that the application in the image handles */
	bool permutes;      /* options may follow other arguments */
	/* Rewrites argv before it is parsed; NULL: nothing to do. */
	void (*prepare)(int argc, char **argv);
	/* Takes the arguments after the options from options->program; NULL: they are PROGRAM. */
	void (*operands)(struct options *options, int argc);
	/* Ends the command for options that conflict; NULL: all agree. */
	void (*check)(struct options *options);
	/* Ends the command for a long option of the machine that this one does not take; NULL:
	 * takes all. */
	void (*check_option)(const char *name);
	/* Returns the exit status. */
	int (*run)(struct options *options);
	/* Replaces all of the above: parses the arguments after the command's name itself. NULL:
	 * none. */
	int (*run_arguments)(char **arguments);
};

/* In the order of the help, ended by a NULL name. */
extern const struct command commands[];

/* Returns the command, or ends with a line that names the closest one or perf's. */
const struct command *command_find(const char *name);

/* new.c: a directory with a program to begin with. `arguments` follow the command's name. */
int new_project(char **arguments);
/* report/helpers.c: shows a profile. Returns the exit status. */
int show_report(char **arguments);
/* report_machine.c: prints the report of a self-test. */
int show_machine_report(char **arguments);

#endif
