/* SPDX-License-Identifier: BSD-2-Clause */
/* The first program's descriptors 0, 1 and 2. */
#ifndef KERNEL_STDIO_H
#define KERNEL_STDIO_H

#define TTY_MAJOR         5
#define TTY_MINOR_TTY     0
#define TTY_MINOR_CONSOLE 1

struct file_ops;
struct files;

/* Operations of files on the console. */
extern const struct file_ops console_ops;

/*
 * Opens them: pipes to the host command, or the terminal, which then is controlled by session
 * `sid`. Without a host command input is at its end and the console is the terminal. Returns 0 or
 * -ENOMEM. Context: start.
 */
int stdio_open(struct files *files, int sid);

#endif
