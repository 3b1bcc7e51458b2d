/* SPDX-License-Identifier: BSD-2-Clause */
/* What the first program finds at descriptors 0, 1 and 2. */
#ifndef KERNEL_STDIO_H
#define KERNEL_STDIO_H

struct files;

/* Opens them: input is at its end; output goes to the host command, or to the console. Returns 0 or
 * -ENOMEM. Context: start. */
int stdio_open(struct files *files);

#endif
