/* SPDX-License-Identifier: BSD-2-Clause */
/* The console as a terminal: tty_ioctl(4). */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include <stdint.h>

struct file;

/* The terminal's session, and the process group in front. 0: it controls none. Context: start,
 * task. */
void tty_control(int session);
/* file_ops.ioctl of the console. */
long tty_ioctl(struct file *file, unsigned command, uint64_t argument);
/* Of /dev/tty: ENXIO for processes without a terminal. */
extern const struct inode_ops tty_inode_ops;

#endif
