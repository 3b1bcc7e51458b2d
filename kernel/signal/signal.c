/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals and the queues of pending signals: signal(7). */
#include <linux/errno.h>
#include <linux/resource.h>
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/string.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/signal/posix_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/signal_frame.h"
#include "kernel/task/sched.h"
#include "kernel/task/tracee.h"

#define IGNORED_BY_DEFAULT (SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH))
#define STOPS \
	(SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU))

struct waitq signal_arrivals = {{&signal_arrivals.waiters, &signal_arrivals.waiters}};

static struct spinlock lock; /* pending masks and queues of all tasks */

bool signal_is_ignored(const struct process *process, int signo)
{
	uint64_t handler = process->actions->action[signo - 1].handler;

	return handler == (uint64_t)SIG_IGN ||
	       (handler == (uint64_t)SIG_DFL && SIGNAL_BIT(signo) & IGNORED_BY_DEFAULT);
}

/* Allocates an entry whose charge is already taken. On failure gives the charge back and returns
 * NULL. */
static struct queued_signal *entry_new(uint32_t uid)
{
	struct queued_signal *entry = kalloc(sizeof(*entry));

	if (entry)
		entry->charged_uid = uid;
	else
		account_give(uid, ACCOUNT_SIGNALS, 1);
	return entry;
}

static void entry_free(struct queued_signal *entry)
{
	account_give(entry->charged_uid, ACCOUNT_SIGNALS, 1);
	kfree(entry);
}

/* Returns the link of the oldest entry for `signo` in the queue, or where it would be. */
static struct queued_signal **find(struct queued_signal **queue, int signo)
{
	while (*queue && (*queue)->info.si_signo != signo)
		queue = &(*queue)->next;
	return queue;
}

static void enqueue(struct queued_signal **queue, struct queued_signal *entry)
{
	struct queued_signal **place = find(queue, entry->info.si_signo);

	if (*place)
		(*place)->last->same = entry;
	else
		*place = entry;
	(*place)->last = entry;
}

/* Removes and returns the first entry for `signo`, or NULL. */
static struct queued_signal *dequeue(struct queued_signal **queue, int signo)
{
	struct queued_signal **place = find(queue, signo), *entry = *place;

	if (!entry)
		return NULL;
	*place = entry->next;
	if (entry->same) {
		*place = entry->same;
		(*place)->next = entry->next;
		(*place)->last = entry->last;
	}
	return entry;
}

/* Frees entries of one signal. */
static void free_same(struct queued_signal *entry)
{
	while (entry) {
		struct queued_signal *same = entry->same;

		entry_free(entry);
		entry = same;
	}
}

void signal_flush(struct queued_signal **queue)
{
	while (*queue) {
		struct queued_signal *entry = *queue;

		*queue = entry->next;
		free_same(entry);
	}
}

static void discard_from(uint64_t *pending, struct queued_signal **queue, int signo)
{
	struct queued_signal **place = find(queue, signo), *entry = *place;

	*pending &= ~SIGNAL_BIT(signo);
	if (!entry)
		return;
	*place = entry->next;
	free_same(entry);
}

/* Called with the lock held. */
static void discard(struct process *process, int signo)
{
	struct task *task;

	discard_from(&process->pending, &process->queue, signo);
	list_for_each(task, &process->threads, thread_link)
		discard_from(&task->pending, &task->queue, signo);
}

void signal_discard(struct process *process, int signo)
{
	uint64_t flags = spin_lock_irqsave(&lock);

	discard(process, signo);
	spin_unlock_irqrestore(&lock, flags);
}

static void notify_all(struct process *process)
{
	struct task *task;

	list_for_each(task, &process->threads, thread_link)
		task_poke(task);
}

/* Returns a thread that takes `signo`: the leader if it can. */
static struct task *choose_thread(struct process *process, int signo)
{
	struct task *task;

	list_for_each(task, &process->threads, thread_link)
		if (!(task->blocked & SIGNAL_BIT(signo)))
			return task;
	return NULL;
}

/* Effects at sending, even if the signal is blocked: SIGCONT and stop signals cancel each other. */
static void prepare(struct process *process, int signo)
{
	if (signo == SIGCONT) {
		tracees_notify(process);
		for (int stop = SIGSTOP; stop <= SIGTTOU; stop++)
			discard(process, stop);
		if (process->stopped) {
			process->stopped = false;
			process->continued = true;
			waitq_wake(&process->changes);
			if (process->leader->parent)
				waitq_wake(&process->leader->parent->child_exit);
		}
	} else if (SIGNAL_BIT(signo) & STOPS) {
		discard(process, SIGCONT);
	} else if (signo == SIGKILL) {
		tracees_release(process);
	}
	if (signo == SIGKILL && (!process->exiting || process->survivor)) {
		process->exiting = true;
		process->survivor = NULL; /* also the thread that is about to execute */
		process->exit_status = SIGKILL;
		process->stopped = false;
		notify_all(process);
		waitq_wake(&process->changes);
	}
}

static int queue(struct task *task, bool whole_process, const siginfo_t *info)
{
	struct process *process = task->process;
	int signo = info->si_signo;
	struct queued_signal *entry = NULL;
	uint32_t uid = task->cred.uid.real;
	uint64_t flags, *pending;
	struct task *taker;
	int err = 0;

	if (!process || task->state == TASK_DEAD)
		return 0;
	flags = spin_lock_irqsave(&lock);
	prepare(process, signo);
	if (signo == SIGKILL)
		goto out;
	pending = whole_process ? &process->pending : &task->pending;
	if (signal_is_ignored(process, signo) &&
	    !((task->blocked | task->awaited) & SIGNAL_BIT(signo)) && !is_traced(task))
		goto out;
	if (signo < SIGNAL_RT && *pending & SIGNAL_BIT(signo) && info->si_code != SI_TIMER)
		goto out;
	if (account_take(uid, ACCOUNT_SIGNALS, 1, process->limits[RLIMIT_SIGPENDING][0]))
		entry = entry_new(uid);
	if (entry) {
		entry->info = *info;
		enqueue(whole_process ? &process->queue : &task->queue, entry);
	} else if (signo >= SIGNAL_RT && info->si_code != SI_USER && info->si_code != SI_KERNEL) {
		err = -EAGAIN;
		goto out;
	}
	*pending |= SIGNAL_BIT(signo);
	waitq_wake(&signal_arrivals);
	taker = whole_process ? choose_thread(process, signo) : task;
	if (taker && !(taker->blocked & SIGNAL_BIT(signo)))
		task_poke(taker);
out:
	spin_unlock_irqrestore(&lock, flags);
	return err;
}

struct signal_calls signal_calls = {.queue = queue, .push = signal_frame_push};

int signal_queue(struct task *task, bool whole_process, const siginfo_t *info)
{
	return signal_calls.queue(task, whole_process, info);
}

void signal_send(struct task *task, int signo)
{
	siginfo_t info = {.si_signo = signo, .si_code = SI_KERNEL};

	signal_queue(task, false, &info);
}

void signal_send_process(struct task *task, int signo)
{
	siginfo_t info = {.si_signo = signo, .si_code = SI_KERNEL};

	signal_queue(task, true, &info);
}

/* Queues a signal that the current task can neither ignore nor block. */
static void signal_force(const siginfo_t *info)
{
	struct task *task = current_task();
	struct signal_action *action = &task->process->actions->action[info->si_signo - 1];

	if (task->blocked & SIGNAL_BIT(info->si_signo) || action->handler == (uint64_t)SIG_IGN) {
		action->handler = (uint64_t)SIG_DFL;
		task->blocked &= ~SIGNAL_BIT(info->si_signo);
	}
	signal_queue(task, false, info);
}

void signal_fault(int signo, int code, uint64_t address, unsigned trap)
{
	siginfo_t info = {.si_signo = signo, .si_code = code};

	info.si_addr = (void *)address;
	current_task()->fault_address = address;
	current_task()->fault_trap = trap;
	current_task()->fault_error = trap == 14 ? task_user_frame(current_task())->error : 0;
	signal_force(&info);
}

/* Takes one signal of `set` from one queue. */
static int take_from(uint64_t *pending, struct queued_signal **queue, uint64_t set, siginfo_t *info)
{
	/* Faults take precedence over all other pending signals. */
	const uint64_t faults = SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) |
				SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS);
	uint64_t ready = *pending & set;
	struct queued_signal *entry;
	int signo;

	if (!ready)
		return 0;
	signo = __builtin_ctzl(ready & faults ? ready & faults : ready) + 1;
	entry = dequeue(queue, signo);
	memset(info, 0, sizeof(*info));
	info->si_signo = signo;
	if (entry) {
		*info = entry->info;
		entry_free(entry);
	}
	if (!*find(queue, signo))
		*pending &= ~SIGNAL_BIT(signo);
	return signo;
}

int signal_take(uint64_t set, siginfo_t *info)
{
	struct task *task = current_task();
	uint64_t flags = spin_lock_irqsave(&lock);
	int signo = take_from(&task->pending, &task->queue, set, info);

	if (!signo)
		signo = take_from(&task->process->pending, &task->process->queue, set, info);
	spin_unlock_irqrestore(&lock, flags);
	if (signo && info->si_code == SI_TIMER)
		posix_timer_taken(info);
	if (signo == SIGALRM)
		interval_taken(task->process);
	return signo;
}

void signal_hand_over(uint64_t set)
{
	struct task *own = current_task(), *task;
	uint64_t flags = spin_lock_irqsave(&lock), left = own->process->pending & set;

	list_for_each(task, &own->process->threads, thread_link) {
		if (!left)
			break;
		if (task == own || !(left & ~task->blocked))
			continue;
		task_poke(task);
		left &= task->blocked;
	}
	spin_unlock_irqrestore(&lock, flags);
}

void signal_set_blocked(uint64_t mask)
{
	struct task *task = current_task();
	uint64_t left = mask & ~task->blocked;

	task->blocked = mask & ~SIGNALS_UNBLOCKABLE;
	if (task->process->pending & left)
		signal_hand_over(left);
	if (signal_pending(task))
		this_cpu()->return_work = 1;
}

void signal_block_for_call(uint64_t mask)
{
	struct task *task = current_task();

	task->saved_blocked = task->blocked;
	task->restore_blocked = true;
	this_cpu()->return_work = 1;
	signal_set_blocked(mask);
}

void process_poke(struct process *process)
{
	uint64_t flags = spin_lock_irqsave(&lock);

	notify_all(process);
	waitq_wake(&process->changes);
	spin_unlock_irqrestore(&lock, flags);
}
