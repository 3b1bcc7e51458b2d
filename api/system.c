/* SPDX-License-Identifier: BSD-2-Clause */
/* The system and what processes use of it: uname(2), sysinfo(2), getrusage(2), getrlimit(2),
 * getrandom(2), arch_prctl(2), and on which processors they run. */
#include <asm/prctl.h>
#include <linux/errno.h>
#include <linux/random.h>
#include <linux/sysinfo.h>
#include <linux/time.h>
#include <linux/times.h>
#include <linux/utsname.h>
#include "api/calls.h"
#include "api/usage.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/cpu/switch.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/time/clock.h"
#include "kernel/process/exec.h"
#include "kernel/base/hooks.h"
#include "kernel/signal/interval.h"
#include "kernel/process/process.h"
#include "kernel/task/random.h"
#include "kernel/task/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/base/string.h"
#include "kernel/base/system.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"

#define NS_PER_TICK 10000000ull /* of times(2): AT_CLKTCK is 100 */
#define NR_LIMITS   16

long sys_uname(uint64_t user)
{
	static const struct new_utsname name = {
	    .sysname = "Linux",
	    .nodename = SYSTEM_NODE,
	    .release = SYSTEM_RELEASE,
	    .version = SYSTEM_VERSION,
	    .machine = "x86_64",
	    .domainname = "(none)",
	};

	return copy_to_user(user, &name, sizeof(name));
}

static uint16_t count_processes(void)
{
	struct task *task;
	uint16_t count = 0;

	list_for_each(task, &all_tasks, task_link)
		count++;
	return count;
}

long sys_sysinfo(uint64_t user)
{
	struct sysinfo info = {
	    .uptime = (long)(clock_ns() / NS_PER_SEC),
	    .totalram = memory_total_pages(),
	    .freeram = memory_free_pages(),
	    .procs = count_processes(),
	    .mem_unit = PAGE_SIZE,
	};

	return copy_to_user(user, &info, sizeof(info));
}

void usage_to_rusage(const struct usage *usage, struct rusage *rusage)
{
	memset(rusage, 0, sizeof(*rusage));
	rusage->ru_utime.tv_sec = (long)(usage->runtime_ns / NS_PER_SEC);
	rusage->ru_utime.tv_usec = (long)(usage->runtime_ns % NS_PER_SEC / 1000);
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
	struct usage usage;
	struct tms times = {0};

	process_usage(current_task()->process, &usage);
	times.tms_utime = (long)(usage.runtime_ns / NS_PER_TICK);
	times.tms_cutime = (long)(current_task()->process->children.runtime_ns / NS_PER_TICK);
	if (user && copy_to_user(user, &times, sizeof(times)))
		return -EFAULT;
	return (long)(clock_ns() / NS_PER_TICK);
}

/* Sets a limit: 0, -EINVAL (soft above hard), -EPERM. */
static int set_limit(struct task *task, const struct rlimit64 *new, unsigned resource)
{
	uint64_t *limit = task->process->limits[resource];

	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	if (resource == RLIMIT_NOFILE && new->rlim_max > 1ul << 20)
		return -EPERM;
	if (new->rlim_max > limit[1] && !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	limit[0] = new->rlim_cur;
	limit[1] = new->rlim_max;
	if (resource == RLIMIT_STACK && task->mm)
		task->mm->stack_limit = new->rlim_cur;
	return resource == RLIMIT_CPU ? interval_limit(task->process) : 0;
}

/* Whether the current task may read and set limits of the process: all numbers are its own. */
static bool limits_permitted(const struct process *process)
{
	const struct cred *own = &current_task()->cred, *other = &process->leader->cred;
	const struct ids *uid = &other->uid, *gid = &other->gid;

	if (process == current_task()->process || capable(CAP_SYS_RESOURCE))
		return true;
	return uid->real == own->uid.real && uid->effective == own->uid.real &&
	       uid->saved == own->uid.real && gid->real == own->gid.real &&
	       gid->effective == own->gid.real && gid->saved == own->gid.real;
}

long sys_prlimit64(uint64_t pid, uint64_t resource, uint64_t new_user, uint64_t old_user)
{
	struct task *task;
	struct rlimit64 new, old;
	uint64_t *limit;
	int err = 0;

	if (resource >= NR_LIMITS)
		return -EINVAL;
	if (new_user && copy_from_user(&new, new_user, sizeof(new)))
		return -EFAULT;
	task = task_find(pid ? (int)pid : current_task()->pid);
	if (!task)
		return -ESRCH;
	if (!limits_permitted(task->process)) {
		task_put(task);
		return -EPERM;
	}
	limit = task->process->limits[resource];
	old.rlim_cur = limit[0];
	old.rlim_max = limit[1];
	if (new_user)
		err = set_limit(task, &new, (unsigned)resource);
	task_put(task);
	if (!err && old_user)
		err = copy_to_user(old_user, &old, sizeof(old));
	return err;
}

long sys_getrlimit(uint64_t resource, uint64_t user)
{
	return sys_prlimit64(0, resource, 0, user);
}

long sys_setrlimit(uint64_t resource, uint64_t user)
{
	return user ? sys_prlimit64(0, resource, user, 0) : -EFAULT;
}

long sys_getrandom(uint64_t buffer, uint64_t bytes, uint64_t flags)
{
	if (flags & ~(uint64_t)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE) ||
	    (flags & (GRND_RANDOM | GRND_INSECURE)) == (GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	return random_to_user(buffer, bytes < INT32_MAX ? bytes : INT32_MAX);
}

/* Sets a thread pointer: the task's copy and the register. */
static long set_base(uint64_t *base, uint64_t value)
{
	struct task *task = current_task();
	uint64_t flags;

	if (value >= USER_END)
		return -EPERM;
	flags = irq_save();
	*base = value;
	switch_tls(task->fs_base, task->gs_base);
	irq_restore(flags);
	return 0;
}

long sys_arch_prctl(uint64_t option, uint64_t value)
{
	struct task *task = current_task();

	switch (option) {
	case ARCH_SET_FS:
		return set_base(&task->fs_base, value);
	case ARCH_SET_GS:
		return set_base(&task->gs_base, value);
	case ARCH_GET_FS:
		return copy_to_user(value, &task->fs_base, sizeof(task->fs_base));
	case ARCH_GET_GS:
		return copy_to_user(value, &task->gs_base, sizeof(task->gs_base));
	default:
		return -EINVAL;
	}
}

long sys_sched_yield(void)
{
	schedule();
	return 0;
}

long sys_getcpu(uint64_t cpu, uint64_t node)
{
	const uint32_t numbers[2] = {this_cpu_read(id), 0};

	if (cpu && copy_to_user(cpu, &numbers[0], sizeof(numbers[0])))
		return -EFAULT;
	return node ? copy_to_user(node, &numbers[1], sizeof(numbers[1])) : 0;
}

/* 0 is the current one. With a reference taken, or NULL. */
static struct task *task_of(uint64_t pid)
{
	return task_find(pid ? (int)pid : current_task()->pid);
}

long sys_sched_getaffinity(uint64_t pid, uint64_t bytes, uint64_t user)
{
	struct task *task;
	uint64_t mask;

	if (bytes * 8 < nr_cpus || bytes % sizeof(mask))
		return -EINVAL;
	task = task_of(pid);
	if (!task)
		return -ESRCH;
	mask = task->affinity & cpus_online();
	task_put(task);
	return copy_to_user(user, &mask, sizeof(mask)) ? -EFAULT : (long)sizeof(mask);
}

/* One's own, or by CAP_SYS_NICE. */
static bool may_place(const struct task *task)
{
	uint32_t own = current_task()->cred.uid.effective;

	return own == task->cred.uid.effective || own == task->cred.uid.real ||
	       capable(CAP_SYS_NICE);
}

long sys_sched_setaffinity(uint64_t pid, uint64_t bytes, uint64_t user)
{
	struct task *task;
	uint64_t mask = 0;
	long err = 0;

	if (copy_from_user(&mask, user, bytes < sizeof(mask) ? bytes : sizeof(mask)))
		return -EFAULT;
	task = task_of(pid);
	if (!task)
		return -ESRCH;
	if (!may_place(task))
		err = -EPERM;
	else if (!(mask & cpus_online()))
		err = -EINVAL;
	else
		sched_set_affinity(task, mask);
	task_put(task);
	return err;
}
