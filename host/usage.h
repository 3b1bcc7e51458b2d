/* SPDX-License-Identifier: BSD-2-Clause */
/* The help texts. */
#ifndef HOST_USAGE_H
#define HOST_USAGE_H

struct command;

/* Prints help to stdout, of one command, or of all (NULL); ends the command when it cannot be
 * written. */
void usage_print(const struct command *command);
/* Prints the short usage to stderr and ends the command. */
_Noreturn void usage_complain(void);

#endif
