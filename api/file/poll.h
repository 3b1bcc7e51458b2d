/* SPDX-License-Identifier: BSD-2-Clause */
/* Timeouts and signal masks of the calls that wait for files. Context of all: task. */
#ifndef API_POLL_H
#define API_POLL_H

#include <stdint.h>

/* Deadlines on clock_ns(); a timeout that does not sleep is deadline 0. */
/* From milliseconds; negative: WAITQ_FOREVER. */
uint64_t deadline_from_ms(int ms);
/* From the timespec at `user`, as deadline_from_user(). */
int poll_deadline(uint64_t user, uint64_t *deadline);
/* Sets the signal mask of such a call until it returns; address 0: none. Returns 0, -EINVAL,
 * -EFAULT. */
int block_for_call(uint64_t mask_user, uint64_t size);

#endif
