/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of perf that barepmu does not have, and what it does for perf's own. */
#ifndef HOST_PERF_COMMANDS_H
#define HOST_PERF_COMMANDS_H

/* Ends with a line that names `barepmu perf NAME ...` if the name is one of them. */
void perf_commands_refer(const char *name);
/* After a recording by perf (`arguments`: its own): adds our kernel to the cache of build ids of
 * the host's perf, as perf adds what it samples. So `perf report` finds the kernel's functions. */
void perf_commands_keep_kernel(char **arguments);

#endif
