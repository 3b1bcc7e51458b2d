/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of files that became ready: fcntl(2), F_SETOWN and F_SETSIG. */
#ifndef KERNEL_SIGIO_H
#define KERNEL_SIGIO_H

struct file;

/*
 * Sends the signal that F_SETOWN, F_SETSIG and O_ASYNC ask for: `band` holds the POLL* bits, `fd`
 * goes to siginfo (-1: the descriptor that O_ASYNC was set by). Nothing happens without O_ASYNC.
 * Context: task or interrupt, not NMI.
 */
void file_send_sigio(struct file *file, unsigned band, int fd);

#endif
