/* SPDX-License-Identifier: BSD-2-Clause */
/* The help texts. */
#ifndef HOST_USAGE_H
#define HOST_USAGE_H

/* Prints help to stdout, of one command, or of all (`command` NULL or without a page of its own);
 * ends the command when it cannot be written. */
void usage_print(const char *command);
/* Prints all help to stderr and ends the command. */
_Noreturn void usage_complain(void);

#endif
