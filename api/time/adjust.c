/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock's discipline, which is read only: adjtimex(2), clock_adjtime(2). Setting the clock:
 * clock_settime(2), settimeofday(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include <linux/timex.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/time/clock.h"
#include "kernel/vm/vdso.h"

/* The state that Linux reports for a clock that nothing has disciplined since start. */
#define ERROR_US     16000000     /* the largest error */
#define TOLERANCE    (500l << 16) /* parts per million, with 16 bits of fraction */
#define TICK_US      10000
#define TIME_CONST   2
#define PRECISION_US 1

/* The modes of adjtime(3) that only read. */
#define MODE_READ_SINGLE 0xa001

struct discipline { /* as struct timex */
	uint32_t modes, pad;
	int64_t offset, frequency, error_max, error;
	int32_t status, pad2;
	int64_t constant, precision, tolerance;
	int64_t seconds, microseconds;
	int64_t tick, pps_frequency, jitter;
	int32_t shift, pad3;
	int64_t stability, jitter_count, calibrations, errors, stability_count;
	int32_t tai, reserved[11];
};
_Static_assert(sizeof(struct discipline) == 208, "struct timex");

static bool only_reads(const struct discipline *request)
{
	return !request->modes || request->modes == MODE_READ_SINGLE;
}

static long adjust(uint64_t user)
{
	struct discipline request;
	int64_t ns = clock_real_ns();

	if (copy_from_user(&request, user, sizeof(request)))
		return -EFAULT;
	if (!only_reads(&request))
		return capable(CAP_SYS_TIME) ? -EOPNOTSUPP : -EPERM;
	request = (struct discipline){
	    .modes = request.modes,
	    .error_max = ERROR_US,
	    .error = ERROR_US,
	    .status = STA_UNSYNC,
	    .constant = TIME_CONST,
	    .precision = PRECISION_US,
	    .tolerance = TOLERANCE,
	    .seconds = ns / NS_PER_SEC,
	    .microseconds = ns % NS_PER_SEC / 1000,
	    .tick = TICK_US,
	};
	return copy_to_user(user, &request, sizeof(request)) ? -EFAULT : TIME_ERROR;
}

long sys_adjtimex(uint64_t user)
{
	return adjust(user);
}

long sys_clock_adjtime(uint64_t clock, uint64_t user)
{
	struct clock_id id;
	int err = clock_find((int)clock, &id);

	if (err)
		return err;
	clock_put(&id);
	return (int)clock == CLOCK_REALTIME ? adjust(user) : -EOPNOTSUPP;
}

/* Timers that are armed for a time of day keep the time that they are due by the old clock. */
long sys_clock_settime(uint64_t clock, uint64_t user)
{
	struct __kernel_timespec time;
	struct clock_id id;
	int err = clock_find((int)clock, &id);

	if (err)
		return err;
	clock_put(&id);
	if ((int)clock != CLOCK_REALTIME)
		return -EINVAL;
	if (copy_from_user(&time, user, sizeof(time)))
		return -EFAULT;
	if (time.tv_nsec < 0 || time.tv_nsec >= NS_PER_SEC || time.tv_sec < 0 ||
	    time.tv_sec > INT64_MAX / NS_PER_SEC - 1)
		return -EINVAL;
	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	clock_set_real_ns(time.tv_sec * NS_PER_SEC + time.tv_nsec);
	vdso_clock_set();
	timer_files_clock_set();
	return 0;
}
