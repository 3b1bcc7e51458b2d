/* SPDX-License-Identifier: BSD-2-Clause */
/* Times from ring 3. Context of all: task. */
#ifndef API_CLOCK_H
#define API_CLOCK_H

#include "kernel/task/alarm.h"

/* A clock of a call. */
struct clock_id {
	enum alarm_clock clock;
	uint64_t offset;   /* of ALARM_TIME: what its readings are ahead of clock_ns() */
	struct task *task; /* of processor clocks: referenced */
};

/* Finds a clock by its number: 0 or -EINVAL. */
int clock_find(int clock, struct clock_id *id);
void clock_put(struct clock_id *id);
/* Returns its time in nanoseconds. */
uint64_t clock_now(const struct clock_id *id);

/* Converts a user's relative timeout to a deadline on clock_ns(); address 0: WAITQ_FOREVER. Returns
 * 0, -EFAULT, -EINVAL. A restarted call gets its original deadline. */
int deadline_from_user(uint64_t user, uint64_t *deadline);
/* As deadline_from_user(), for a length in nanoseconds. */
uint64_t deadline_after(uint64_t ns);
/* The call has ended: it has no deadline to restart with unless a signal interrupted it (result
 * -EINTR). Returns the result. */
long deadline_done(long result);

/* Converts a timespec to nanoseconds, capped; or returns -EINVAL. */
int64_t timespec_ns(int64_t seconds, int64_t nanoseconds);
/* Writes a timespec. Returns 0 or -EFAULT. */
int ns_to_user(uint64_t user, uint64_t ns);
/* Reads a user's struct itimerspec in nanoseconds: 0, -EFAULT, -EINVAL. */
int itimerspec_from_user(uint64_t user, uint64_t *value, uint64_t *period);
/* Writes an alarm's remaining time and period. Returns 0 or -EFAULT. */
int alarm_to_user(const struct alarm *alarm, uint64_t user);
/* Rearms an alarm (value 0: disarms it); absolute values are on a clock `offset` ahead of the
 * alarm's. */
void alarm_set(struct alarm *alarm, uint64_t value, uint64_t period, bool absolute,
	       uint64_t offset);
/* Writes the time until the deadline to a user's timespec. */
int remaining_to_user(uint64_t user, uint64_t deadline);

/* The real time was set: cancels the timers of timerfd_create(2) that asked for it. */
void timer_files_clock_set(void);

#endif
