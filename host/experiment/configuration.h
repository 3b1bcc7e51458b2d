/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores in files: `--core @FILE`, and `--dump-core`, which writes one. */
#ifndef HOST_EXPERIMENT_CONFIGURATION_H
#define HOST_EXPERIMENT_CONFIGURATION_H

/* Returns the file's core as a text of --core, allocated; ends the command with the file's name and
 * line for a key or value that is wrong. */
char *configuration_read(const char *path);

/* Writes the core of a text of --core as a file, to standard output. */
void configuration_write(const char *core);

#endif
