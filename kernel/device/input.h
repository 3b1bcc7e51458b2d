/* SPDX-License-Identifier: BSD-2-Clause */
/* Input from the terminal, or from the host command's standard input. */
#ifndef KERNEL_INPUT_H
#define KERNEL_INPUT_H

#include "kernel/device/line.h"
#include "kernel/file/file.h"
#include "kernel/task/waitq.h"

/* The one terminal's line. Context: task, interrupts masked where a byte may be typed. */
extern struct line tty_line;
/* Where readers sleep. */
extern struct waitq input_waiters;

/* Prepares both. Needs host_init(). Context: start. */
void input_init(void);

/* Standard input that is not a terminal. */
extern const struct file_ops input_ops;
/* For files on the terminal: file_ops.read, readv, write and poll. Context: task. */
long tty_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);
long tty_readv(struct file *file, const struct iovec *vectors, uint64_t count);
long tty_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset);
unsigned tty_poll(struct file *file, struct poll_table *table);

/* Outputs the user's bytes in order, in pieces. Returns how many, or -EFAULT. Context: task. */
long output_pieces(struct file *file, uint64_t buffer, size_t bytes,
		   void (*send)(struct file *, const void *, size_t));

#endif
