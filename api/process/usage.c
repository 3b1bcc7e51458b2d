/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource use of processes: getrusage(2), times(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include <linux/times.h>
#include "api/calls.h"
#include "api/process/usage.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/system_time.h"
#include "kernel/time/clock.h"

#define NS_PER_TICK 10000000ull /* of times(2): AT_CLKTCK is 100 */

static struct __kernel_old_timeval timeval_of(uint64_t ns)
{
	return (struct __kernel_old_timeval){.tv_sec = (long)(ns / NS_PER_SEC),
					     .tv_usec = (long)(ns % NS_PER_SEC / 1000)};
}

void usage_to_rusage(const struct usage *usage, struct rusage *rusage)
{
	memset(rusage, 0, sizeof(*rusage));
	rusage->ru_utime = timeval_of(usage->runtime_ns - usage->system_ns);
	rusage->ru_stime = timeval_of(usage->system_ns);
	rusage->ru_maxrss = (long)(usage->max_rss * (PAGE_SIZE / 1024));
	rusage->ru_minflt = (long)usage->min_faults;
	rusage->ru_majflt = (long)usage->maj_faults;
	rusage->ru_nvcsw = (long)usage->nvcsw;
	rusage->ru_nivcsw = (long)usage->nivcsw;
}

long sys_getrusage(uint64_t who, uint64_t user)
{
	struct usage usage;
	struct rusage rusage;

	system_time_wanted(current_task()->process);
	switch ((int)who) {
	case RUSAGE_SELF:
		process_usage(current_task()->process, &usage);
		break;
	case RUSAGE_CHILDREN:
		usage = current_task()->process->children;
		break;
	case RUSAGE_THREAD:
		task_usage(current_task(), &usage);
		break;
	default:
		return -EINVAL;
	}
	usage_to_rusage(&usage, &rusage);
	return copy_to_user(user, &rusage, sizeof(rusage));
}

long sys_times(uint64_t user)
{
	const struct usage *children = &current_task()->process->children;
	struct usage usage;
	struct tms times = {0};

	system_time_wanted(current_task()->process);
	process_usage(current_task()->process, &usage);
	times.tms_utime = (long)((usage.runtime_ns - usage.system_ns) / NS_PER_TICK);
	times.tms_stime = (long)(usage.system_ns / NS_PER_TICK);
	times.tms_cutime = (long)((children->runtime_ns - children->system_ns) / NS_PER_TICK);
	times.tms_cstime = (long)(children->system_ns / NS_PER_TICK);
	if (user && copy_to_user(user, &times, sizeof(times)))
		return -EFAULT;
	return (long)(clock_ns() / NS_PER_TICK);
}
