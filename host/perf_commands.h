/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands and options of perf that barepmu lacks, and our kernel for perf's cache of build ids. */
#ifndef HOST_PERF_COMMANDS_H
#define HOST_PERF_COMMANDS_H

/* Ends with a line that names `barepmu perf NAME ...` if the name is one of them. */
void perf_commands_refer(const char *name);
/* If perf's `arguments` were a recording: adds our kernel to the cache of build ids, as perf adds
 * the programs that it samples. Then perf on the host finds the kernel's functions. */
void perf_commands_keep_kernel(char **arguments);

/* As perf_commands_refer(), if `typed`, "--null", "--delay=5" or "-n", is an option of perf's
 * command of that name. */
void perf_options_refer(const char *command, const char *typed);

#endif
