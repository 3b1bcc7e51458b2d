/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that start no machine. Each ends the command; `arguments` follow its name. */
#ifndef HOST_COMMANDS_H
#define HOST_COMMANDS_H

#include "host/options.h"

/* new.c: a directory with a program to begin with. */
int new_project(char **arguments);
/* new.c: the application report on the host; `arguments` begin with its name. */
int show_report(char **arguments) __attribute__((noreturn));
/* report_machine.c: prints the report of a self-test. */
int show_machine_report(char **arguments);

#endif
