/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts QEMU for the options: processor, accelerator, kernel or visor. */
#ifndef HOST_MACHINE_MACHINE_H
#define HOST_MACHINE_MACHINE_H

#include "host/options.h"

/* Runs the machine with the archive until it ends; returns the command's status. */
int run_machine(const struct options *options, struct buffer *initrd);
/* Adds QEMU's arguments for processor, memory and accelerator. */
void machine_words(struct words *words, const struct options *options);
/* Returns the descriptor of a file in memory, which QEMU inherits and nothing has to remove. */
int memory_file(const struct buffer *content);
/* As memory_file(), for the visor's initrd: the kernel to start, that kernel's initrd, and the
 * names of their files (NULL: none). */
int bundle_file(const struct buffer *kernel, const struct buffer *initrd, const char *kernel_name,
		const char *initrd_name);
/* Returns the visor's own options ("pmu=... icount=..."); NULL: no visor is needed. */
char *visor_options(const struct options *options);

#endif
