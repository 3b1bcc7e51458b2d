/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of perf that barepmu does not have. */
#ifndef HOST_PERF_COMMANDS_H
#define HOST_PERF_COMMANDS_H

/* Ends with a line that names `barepmu perf NAME ...` if the name is one of them. */
void perf_commands_refer(const char *name);

#endif
