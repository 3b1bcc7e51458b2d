/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: rt_sigaction(2), rt_sigprocmask(2), kill(2) and related calls. */
#include <linux/errno.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/signal_frame.h"
#include "kernel/task/pids.h"

long sys_rt_sigaction(uint64_t signo, uint64_t new_user, uint64_t old_user, uint64_t size)
{
	struct process *process = current_task()->process;
	struct signal_action *slot, old, new;

	if (size != sizeof(uint64_t) || signo < 1 || signo > NR_SIGNALS)
		return -EINVAL;
	if (new_user && (signo == SIGKILL || signo == SIGSTOP))
		return -EINVAL;
	slot = &process->actions->action[signo - 1];
	old = *slot;
	if (new_user) {
		if (copy_from_user(&new, new_user, sizeof(new)))
			return -EFAULT;
		new.mask &= ~SIGNALS_UNBLOCKABLE;
		*slot = new;
		if (signal_is_ignored(process, (int)signo))
			signal_discard(process, (int)signo);
	}
	return old_user ? copy_to_user(old_user, &old, sizeof(old)) : 0;
}

long sys_rt_sigprocmask(uint64_t how, uint64_t set_user, uint64_t old_user, uint64_t size)
{
	uint64_t old = current_task()->blocked, set;

	if (size != sizeof(set))
		return -EINVAL;
	if (set_user) {
		if (copy_from_user(&set, set_user, sizeof(set)))
			return -EFAULT;
		switch ((int)how) {
		case SIG_BLOCK:
			signal_set_blocked(old | set);
			break;
		case SIG_UNBLOCK:
			signal_set_blocked(old & ~set);
			break;
		case SIG_SETMASK:
			signal_set_blocked(set);
			break;
		default:
			return -EINVAL;
		}
	}
	return old_user ? copy_to_user(old_user, &old, sizeof(old)) : 0;
}

long sys_rt_sigpending(uint64_t user, uint64_t size)
{
	const struct task *task = current_task();
	uint64_t set = (task->pending | task->process->pending) & task->blocked;

	return size > sizeof(set) ? -EINVAL : copy_to_user(user, &set, size);
}

long sys_pause(void)
{
	return waitq_sleep_alone(WAITQ_FOREVER);
}

long sys_rt_sigsuspend(uint64_t user, uint64_t size)
{
	uint64_t mask;

	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, user, sizeof(mask)))
		return -EFAULT;
	signal_block_for_call(mask);
	return waitq_sleep_alone(WAITQ_FOREVER);
}

long sys_rt_sigtimedwait(uint64_t set_user, uint64_t info_user, uint64_t timeout_user,
			 uint64_t size)
{
	struct task *task = current_task();
	uint64_t set, deadline, blocked = task->blocked;
	struct waitq nobody;
	struct waiter waiter;
	siginfo_t info;
	int signo, err;

	if (size != sizeof(set))
		return -EINVAL;
	if (copy_from_user(&set, set_user, sizeof(set)))
		return -EFAULT;
	err = deadline_from_user(timeout_user, &deadline);
	if (err)
		return err;
	set &= ~SIGNALS_UNBLOCKABLE;
	/* While it sleeps, the signals in the set wake it. */
	task->awaited = blocked & set;
	task->blocked &= ~set;
	waitq_init(&nobody);
	waitq_add(&nobody, &waiter);
	while (!(signo = signal_take(set, &info)) && !err)
		err = waitq_sleep(deadline);
	waitq_remove(&waiter);
	task->awaited = 0;
	signal_set_blocked(blocked);
	if (!signo)
		return err == -ETIMEDOUT ? -EAGAIN : err;
	if (info_user && copy_to_user(info_user, &info, sizeof(info)))
		return -EFAULT;
	return signo;
}

long sys_sigaltstack(uint64_t new_user, uint64_t old_user)
{
	struct task *task = current_task();
	stack_t new, old;
	int err = 0;

	signal_get_altstack(task, &old);
	if (new_user) {
		if (copy_from_user(&new, new_user, sizeof(new)))
			return -EFAULT;
		err = signal_set_altstack(task, &new);
	}
	if (!err && old_user)
		err = copy_to_user(old_user, &old, sizeof(old));
	return err;
}

long sys_rt_sigreturn(void)
{
	struct frame *frame = task_user_frame(current_task());

	this_cpu()->return_work = 1; /* every register of the frame counts */
	if (!signal_frame_pop(frame))
		signal_fault(SIGSEGV, SI_KERNEL, 0, 0);
	return (long)frame->rax;
}

/* Sending. */

static siginfo_t user_info(int signo, int code)
{
	siginfo_t info = {.si_signo = signo, .si_code = code};

	info.si_pid = current_task()->tgid;
	info.si_uid = current_task()->cred.uid.real;
	return info;
}

/* Sends to one process; signal 0 only checks that it exists. */
static long send_to_process(struct task *leader, int signo)
{
	siginfo_t info = user_info(signo, SI_USER);

	if (!may_signal(leader, signo))
		return -EPERM;
	return signo ? signal_queue(leader, true, &info) : 0;
}

/* kill(0), kill(-1), kill(-pgid): sends to every matching process. One success is enough; for
 * kill(-1) forbidden ones are ignored. */
static long send_to_many(int pgid, int signo)
{
	struct task *task;
	long result = -ESRCH, one;
	bool sent = false;

	list_for_each(task, &all_tasks, task_link) {
		bool fits = pgid == -1 ? task->pid > 1 && task->process != current_task()->process
				       : task->process->pgid == pgid;

		if (task != task->process->leader || !fits)
			continue;
		one = send_to_process(task, signo);
		sent = sent || !one;
		if (one != -EPERM || pgid != -1)
			result = one;
		else if (result == -ESRCH)
			result = 0;
	}
	return sent && pgid != -1 ? 0 : result;
}

long sys_kill(uint64_t pid64, uint64_t signo)
{
	int pid = (int)pid64;
	struct task *task;
	long result;

	if (signo > NR_SIGNALS)
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	if (pid <= 0)
		return send_to_many(pid == -1 ? -1
				    : pid     ? -pid
					      : current_task()->process->pgid,
				    (int)signo);
	task = task_find(pid);
	if (!task)
		return -ESRCH;
	result = send_to_process(task, (int)signo);
	task_put(task);
	return result;
}

/* Sends to one thread; tgid 0: of any process. */
static long send_to_thread(int tgid, int tid, const siginfo_t *info)
{
	struct task *task;
	long result = -ESRCH;

	if (tid <= 0 || tgid < 0 || (unsigned)info->si_signo > NR_SIGNALS)
		return -EINVAL;
	task = task_find(tid);
	if (!task)
		return -ESRCH;
	if (!tgid || task->tgid == tgid)
		result = !may_signal(task, info->si_signo) ? -EPERM
			 : info->si_signo                  ? signal_queue(task, false, info)
							   : 0;
	task_put(task);
	return result;
}

long sys_tgkill(uint64_t tgid, uint64_t tid, uint64_t signo)
{
	siginfo_t info = user_info((int)signo, SI_TKILL);

	return (int)tgid <= 0 ? -EINVAL : send_to_thread((int)tgid, (int)tid, &info);
}

long sys_tkill(uint64_t tid, uint64_t signo)
{
	siginfo_t info = user_info((int)signo, SI_TKILL);

	return send_to_thread(0, (int)tid, &info);
}

/* Reads the siginfo of rt_sigqueueinfo: only the kernel may claim to be the sender, except to
 * oneself. */
static int queued_info(uint64_t user, int signo, int pid, siginfo_t *info)
{
	if (copy_from_user(info, user, sizeof(*info)))
		return -EFAULT;
	info->si_signo = signo;
	if ((info->si_code >= 0 || info->si_code == SI_TKILL) && pid != current_task()->tgid)
		return -EPERM;
	return (unsigned)signo > NR_SIGNALS ? -EINVAL : 0;
}

long sys_rt_sigqueueinfo(uint64_t pid, uint64_t signo, uint64_t user)
{
	struct task *task;
	siginfo_t info;
	long result = queued_info(user, (int)signo, (int)pid, &info);

	if (result)
		return result;
	task = task_find((int)pid);
	if (!task)
		return -ESRCH;
	result = !may_signal(task, (int)signo) ? -EPERM
		 : signo                       ? signal_queue(task, true, &info)
					       : 0;
	task_put(task);
	return result;
}

long sys_rt_tgsigqueueinfo(uint64_t tgid, uint64_t tid, uint64_t signo, uint64_t user)
{
	siginfo_t info;
	int err = queued_info(user, (int)signo, (int)tgid, &info);

	return err ? err : (int)tgid <= 0 ? -EINVAL : send_to_thread((int)tgid, (int)tid, &info);
}
