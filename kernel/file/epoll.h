/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of watched files: epoll(7). Context of all: task. */
#ifndef KERNEL_EPOLL_H
#define KERNEL_EPOLL_H

#include <linux/eventpoll.h>
#include <stdbool.h>
#include <stdint.h>

struct file;

/* A new set as an open file, or NULL. */
struct file *epoll_open(void);
/* True if the open file is a set; the functions below accept only sets. */
bool file_is_epoll(const struct file *file);

/* EPOLL_CTL_ADD, MOD and DEL of the file behind descriptor `fd`: 0 or a negative errno. */
int epoll_add(struct file *set, struct file *file, int fd, const struct epoll_event *event);
int epoll_modify(struct file *set, struct file *file, int fd, const struct epoll_event *event);
int epoll_remove(struct file *set, struct file *file, int fd);

/* Writes at most `most` events to the user's array, sleeping until there is one (deadline 0:
 * never). Returns how many, 0 at the deadline, -EINTR or -EFAULT. */
long epoll_wait(struct file *set, uint64_t user, unsigned most, uint64_t deadline_ns);

/* Removes a closed open file from all sets. */
void epoll_forget(struct file *file);

#endif
