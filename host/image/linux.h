/* SPDX-License-Identifier: BSD-2-Clause */
/* Debian's kernel, the reference: its file, command line and first process. */
#ifndef HOST_IMAGE_LINUX_H
#define HOST_IMAGE_LINUX_H

#include <stdbool.h>

#include "host/options.h"

/* Returns the path of a bzImage on this host; ends the command when there is none. */
char *linux_kernel(void);
/* Unpacks the ELF file in it; false: not packed in a known way. */
bool linux_unpack(const char *path, struct buffer *out);
/* As linux_unpack(), but ends the command where that returns false. */
struct buffer linux_vmlinux(const char *path);
char *linux_command_line(const struct options *options);
/* Adds its first process, mount points and the program's input. */
void linux_files(struct buffer *archive, const struct options *options);
/* Adds the modules that show the host's directories, unless the kernel has them built in. */
void linux_modules(struct buffer *archive);

#endif
