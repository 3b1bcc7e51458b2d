/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel memory charged to each user: one account for all processes of a real user id. */
#ifndef KERNEL_ACCOUNT_H
#define KERNEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

enum account_kind {
	ACCOUNT_TASKS,     /* threads and processes, zombies included */
	ACCOUNT_SIGNALS,   /* queued siginfo, and timers of timer_create(2) */
	ACCOUNT_FILES,     /* open files on their way through sockets */
	ACCOUNT_WATCHES,   /* files in epoll sets */
	ACCOUNT_PIPES,     /* pages that pipes may hold */
	ACCOUNT_RINGS,     /* pages of rings, as far as perf_event_mlock_kb covers them */
	ACCOUNT_INSTANCES, /* of inotify */
	ACCOUNT_INOTIFY,   /* watches of inotify */
	ACCOUNT_NOTES,     /* bytes of inotify's unread events */
	ACCOUNT_IPC,       /* bytes of semaphores, messages and segments of System V */
	ACCOUNT_TEXTS,     /* bytes of open files whose text is made when they are opened */
	NR_ACCOUNTS,
};

/* No limit. */
#define ACCOUNT_FREE UINT64_MAX

/* Adds `amount` to the user's account. False, with nothing added, if that would exceed `limit` or
 * memory is short. Context of all: any but NMI. */
bool account_take(uint32_t uid, enum account_kind kind, uint64_t amount, uint64_t limit);
/* Subtracts `amount` from the account. */
void account_give(uint32_t uid, enum account_kind kind, uint64_t amount);
uint64_t account_held(uint32_t uid, enum account_kind kind);

#endif
