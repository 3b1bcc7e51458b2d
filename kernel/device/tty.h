/* SPDX-License-Identifier: BSD-2-Clause */
/* The console as a terminal: tty_ioctl(4). */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/host/host.h"

struct file;

/* Reads the options of the command line. Returns which of the descriptors 0 to 2 are the terminal,
 * as bits. Needs host_init(). Context: start, once. */
unsigned tty_init(void);
/* Returns the type of frame that carries its output. Context: any. */
enum host_frame tty_stream(void);
/* True if the terminal has an input device. Context: any. */
bool tty_has_input(void);
/* Signals the foreground group; without a session the first program's. Context: task or
 * interrupt. */
void tty_signal(int signo);
/* The window was resized: SIGWINCH. Context: task or interrupt. */
void tty_resize(uint16_t rows, uint16_t cols);
/* Returns 0, or for a background process -EIO or, stopped by SIGTTIN, -EINTR. Context: task. */
int tty_may_read(void);

/* Sets the terminal's session, whose group becomes the foreground group. 0: it controls none.
 * Context: start, task. */
void tty_control(int session);
/* file_ops.ioctl of the console. Context: task. */
long tty_ioctl(struct file *file, unsigned command, uint64_t argument);
/* Operations of /dev/tty: ENXIO for processes without a terminal. */
extern const struct inode_ops tty_inode_ops;

#endif
