/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes tasks: fork, vfork and threads, all by clone(2). */
#include <linux/errno.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/switch.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/stack.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/vm/vm.h"

struct list all_tasks = {&all_tasks, &all_tasks};
uint32_t nr_all_tasks;

void task_get(struct task *task)
{
	__atomic_fetch_add(&task->refs, 1, __ATOMIC_RELAXED);
}

/* Drops a task's reference to its process. */
static void process_put(struct process *process)
{
	KASSERT(process->refs > 0);
	if (__atomic_sub_fetch(&process->refs, 1, __ATOMIC_ACQ_REL))
		return;
	signal_flush(&process->queue);
	KASSERT(process->actions->refs > 0);
	if (--process->actions->refs == 0)
		kfree(process->actions);
	cgroup_put(process->cgroup);
	kfree(process->intervals);
	kfree(process);
}

/* Frees the task and its parts; a partly made task has NULL parts. */
static void task_destroy(struct task *task)
{
	if (perf_hooks.task_free && task->perf)
		perf_hooks.task_free(task);
	if (task->files)
		files_put(task->files);
	if (task->cwd)
		cwd_put(task->cwd);
	if (task->mm)
		mm_put(task->mm);
	if (task->process)
		process_put(task->process);
	signal_flush(&task->queue);
	if (task->stack_top)
		stack_free(task->stack_top);
	cred_free(&task->cred);
	cgroup_put(task->cgroup_v1);
	uts_put(task->uts);
	kfree(task->trace);
	kfree(task->fpu);
	kfree(task);
}

void task_put(struct task *task)
{
	KASSERT(task->refs > 0);
	if (__atomic_sub_fetch(&task->refs, 1, __ATOMIC_ACQ_REL) == 0)
		task_destroy(task);
}

/* Returns a new task with its stack and vector state, or NULL. */
static struct task *task_new(void (*first)(void))
{
	struct task *task = kalloc(sizeof(*task));

	if (!task)
		return NULL;
	task->refs = 1;
	task->stack_top = stack_alloc();
	task->fpu = kalloc(fpu_size());
	if (!task->stack_top || !task->fpu) {
		task_destroy(task);
		return NULL;
	}
	task->kernel_rsp = switch_prepare(task->stack_top, first);
	task->state = TASK_SLEEPING;
	task->start_ns = clock_ns();
	task->cpu = task->last_cpu = this_cpu_read(id);
	task->affinity = sched_usual();
	task->namespaces = &common_namespaces;
	list_init(&task->task_link);
	list_init(&task->children);
	list_init(&task->zombies);
	list_init(&task->sibling);
	list_init(&task->thread_link);
	list_init(&task->tracees);
	list_init(&task->trace_news);
	waitq_init(&task->child_exit);
	waitq_init(&task->vfork_done);
	return task;
}

/* RLIMIT_NPROC: the number of tasks whose stacks take 1/16 of memory, as on Linux. */
static uint64_t tasks_most(void)
{
	return memory_total_pages() * PAGE_SIZE / STACK_BYTES / 16;
}

static void limits_init(struct process *process)
{
	for (unsigned i = 0; i < 16; i++)
		process->limits[i][0] = process->limits[i][1] = RLIM64_INFINITY;
	process->limits[RLIMIT_STACK][0] = 8ul << 20;
	process->limits[RLIMIT_CORE][0] = 0;
	process->limits[RLIMIT_NOFILE][0] = 1024;
	process->limits[RLIMIT_NOFILE][1] = 1ul << 20;
	process->limits[RLIMIT_NPROC][0] = process->limits[RLIMIT_NPROC][1] = tasks_most();
	process->limits[RLIMIT_SIGPENDING][0] = process->limits[RLIMIT_SIGPENDING][1] = 4096;
	process->limits[RLIMIT_NICE][0] = process->limits[RLIMIT_NICE][1] = 0;
	process->limits[RLIMIT_RTPRIO][0] = process->limits[RLIMIT_RTPRIO][1] = 0;
	process->limits[RLIMIT_MEMLOCK][0] = process->limits[RLIMIT_MEMLOCK][1] = 8ul << 20;
}

/* Returns a copy of `from` (NULL: defaults) without references. `clear`: copies only ignored
 * signals. NULL: no memory. */
static struct sigactions *actions_new(const struct process *from, bool clear)
{
	struct sigactions *actions = kalloc(sizeof(*actions));

	if (!actions || !from)
		return actions;
	memcpy(actions->action, from->actions->action, sizeof(actions->action));
	for (unsigned i = 0; clear && i < NR_SIGNALS; i++)
		if (actions->action[i].handler != (uint64_t)SIG_IGN)
			memset(&actions->action[i], 0, sizeof(actions->action[i]));
	return actions;
}

/* Returns a new process without threads, or NULL; `from` is the parent's or NULL. `share`:
 * CLONE_SIGHAND, `clear`: CLONE_CLEAR_SIGHAND. */
static struct process *process_new(const struct process *from, bool share, bool clear)
{
	struct process *process = kalloc(sizeof(*process));

	if (!process)
		return NULL;
	process->refs = 1;
	list_init(&process->threads);
	list_init(&process->alarms);
	waitq_init(&process->changes);
	process->actions = from && share ? from->actions : actions_new(from, clear);
	if (!process->actions) {
		kfree(process);
		return NULL;
	}
	process->actions->refs++;
	if (!from) {
		limits_init(process);
		return process;
	}
	process->pgid = from->pgid;
	process->sid = from->sid;
	process->personality = from->personality;
	process->cgroup = cgroup_get(from->cgroup);
	memcpy(process->limits, from->limits, sizeof(process->limits));
	return process;
}

/* Makes the task a visible thread of the process. */
static void task_join(struct task *task, struct process *process)
{
	uint64_t flags = irq_save(); /* interrupts walk the lists to send signals */

	if (!process->leader) {
		process->leader = task;
		if (!process->pgid)
			process->pgid = process->sid = task->pid;
	}
	task->tgid = process->leader->pid;
	process->live++;
	list_add_tail(&process->threads, &task->thread_link);
	list_add_tail(&all_tasks, &task->task_link);
	nr_all_tasks++;
	irq_restore(flags);
	pid_insert(task);
}

struct task *task_first(void (*first)(void))
{
	struct task *task = task_new(first);

	if (!task)
		return NULL;
	task->process = process_new(NULL, false, false);
	task->files = files_new();
	task->cwd = cwd_new(root_inode, 022);
	if (!task->process || !task->files || !task->cwd) {
		task_destroy(task);
		return NULL;
	}
	cred_init_root(&task->cred);
	fpu_init_state(task->fpu);
	task->pid = pid_new();
	account_take(0, ACCOUNT_TASKS, 1, ACCOUNT_FREE);
	task_join(task, task->process);
	return task;
}

/* Copies or shares the child's memory, files, directory and process. Returns 0 or -ENOMEM; the
 * caller destroys the child then. */
static int copy_parts(struct task *child, const struct clone_request *request)
{
	struct task *task = current_task();

	if (request->flags & CLONE_VM) {
		child->mm = task->mm;
		mm_get(child->mm);
	} else {
		child->mm = mm_copy(task->mm);
	}
	if (request->flags & CLONE_FILES) {
		child->files = task->files;
		child->files->refs++;
	} else {
		child->files = files_copy(task->files);
	}
	if (request->flags & CLONE_FS) {
		child->cwd = task->cwd;
		child->cwd->refs++;
	} else {
		child->cwd = cwd_new(task->cwd->directory, task->cwd->umask);
	}
	if (request->flags & CLONE_THREAD) {
		child->process = task->process;
		child->process->refs++;
	} else {
		child->process = process_new(task->process, request->flags & CLONE_SIGHAND,
					     request->flags & CLONE_CLEAR_SIGHAND);
		if (child->process && interval_limit(child->process))
			return -ENOMEM;
		if (child->process && request->cgroup) {
			cgroup_put(child->process->cgroup);
			child->process->cgroup = cgroup_get(request->cgroup);
		}
	}
	if (request->flags & CLONE_NEWUTS) {
		child->uts = uts_copy(uts_of(task));
		if (!child->uts)
			return -ENOMEM;
	} else if (task->uts) {
		child->uts = uts_get(task->uts);
	}
	return child->mm && child->files && child->cwd && child->process ? 0 : -ENOMEM;
}

static void copy_registers(struct task *child, const struct clone_request *request)
{
	struct task *task = current_task();
	struct frame *frame = task_user_frame(child);

	*frame = *task_user_frame(task);
	frame->rax = 0;
	frame->vector = 0;
	if (request->stack)
		frame->rsp = request->stack;
	fpu_save(task->fpu);
	memcpy(child->fpu, task->fpu, fpu_size());
	child->fs_base = request->flags & CLONE_SETTLS ? request->tls : task->fs_base;
	child->gs_base = task->gs_base;
}

/* With SCHED_FLAG_RESET_ON_FORK a child has an ordinary policy, and no raised priority. */
static void copy_priority(struct task *child, const struct task *task)
{
	bool realtime = task->priority;

	child->policy = task->policy;
	child->priority = task->priority;
	child->nice = task->nice;
	if (!task->reset_on_fork)
		return;
	if (realtime)
		child->policy = child->priority = 0;
	if (realtime || child->nice < 0)
		child->nice = 0;
}

static void copy_identity(struct task *child, const struct clone_request *request)
{
	struct task *task = current_task();

	memcpy(child->comm, task->comm, sizeof(child->comm));
	cred_copy(&child->cred, &task->cred);
	child->cgroup_v1 = cgroup_get(task->cgroup_v1);
	child->blocked = task->blocked;
	child->affinity = task->affinity;
	copy_priority(child, task);
	child->io_priority = task->io_priority;
	child->tsc_off = task->tsc_off;
	child->calls_timed = child->calls_traced = task->calls_timed;
	child->memory = task->memory;
	child->slack_ns = child->usual_slack_ns = task->slack_ns;
	child->exit_signal = request->exit_signal;
	if (!(request->flags & CLONE_VM)) {
		child->rseq = task->rseq;
		child->rseq_signature = task->rseq_signature;
	}
	if (request->flags & CLONE_CHILD_CLEARTID)
		child->clear_child_tid = request->child_tid;
	if (!(request->flags & CLONE_VM) || request->flags & CLONE_VFORK) {
		child->altstack = task->altstack;
		child->altstack_bytes = task->altstack_bytes;
		child->altstack_flags = task->altstack_flags;
	}
	if (request->flags & (CLONE_THREAD | CLONE_PARENT))
		child->parent = task->process->leader->parent;
	else
		child->parent = task->process->leader;
}

/* RLIMIT_NPROC: counts the user's tasks, including zombies. Root is exempt. */
static bool charge_user(void)
{
	uint32_t uid = current_task()->cred.uid.real;
	bool is_free = !uid || capable(CAP_SYS_RESOURCE) || capable(CAP_SYS_ADMIN);

	return account_take(uid, ACCOUNT_TASKS, 1,
			    is_free ? ACCOUNT_FREE
				    : current_task()->process->limits[RLIMIT_NPROC][0]);
}

static int check_request(const struct clone_request *request)
{
	const uint64_t known =
	    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_PTRACE | CLONE_VFORK |
	    CLONE_PARENT | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
	    CLONE_CHILD_CLEARTID | CLONE_DETACHED | CLONE_UNTRACED | CLONE_CHILD_SETTID | CLONE_IO |
	    CLONE_CLEAR_SIGHAND | CLONE_PIDFD | CLONE_INTO_CGROUP | NAMESPACE_FLAGS;
	uint64_t flags = request->flags;

	if (flags & ~known)
		return -EINVAL;
	if (flags & CLONE_THREAD && !(flags & CLONE_SIGHAND))
		return -EINVAL;
	if (flags & CLONE_SIGHAND && (!(flags & CLONE_VM) || flags & CLONE_CLEAR_SIGHAND))
		return -EINVAL;
	if (flags & CLONE_PIDFD && flags & (CLONE_THREAD | CLONE_DETACHED))
		return -EINVAL;
	if (flags & CLONE_PARENT && !current_task()->process->leader->parent)
		return -EINVAL;
	if (flags & CLONE_SETTLS && request->tls >= USER_END)
		return -EPERM;
	if (flags & CLONE_THREAD && request->cgroup && request->cgroup != cgroup_of(current_task()))
		return -EOPNOTSUPP; /* threads stay together */
	return namespaces_may_part(flags);
}

/* The parent of a vfork() sleeps until the child has left its memory. */
static void vfork_sleep(struct task *child)
{
	struct waiter waiter;

	waitq_add(&child->vfork_done, &waiter);
	while (child->vfork && !waitq_sleep_killable())
		;
	waitq_remove(&waiter);
}

void task_leave_vfork(struct task *task)
{
	if (!task->vfork)
		return;
	task->vfork = false;
	waitq_wake(&task->vfork_done);
}

/* The child is complete: makes it visible and starts it. */
static long launch(struct task *child, const struct clone_request *request)
{
	bool thread = request->flags & CLONE_THREAD;
	int pid = child->pid, event = trace_clone_event(request);

	task_join(child, child->process);
	if (!thread && child->parent)
		list_add_tail(&child->parent->children, &child->sibling);
	if (request->flags & CLONE_PARENT_SETTID)
		copy_to_user(request->parent_tid, &pid, sizeof(pid));
	if (request->flags & CLONE_CHILD_SETTID)
		mm_write(child->mm, request->child_tid, &pid, sizeof(pid));
	if (perf_hooks.fork_done)
		perf_hooks.fork_done(child, request->flags);
	child->vfork = request->flags & CLONE_VFORK;
	trace_inherit(child, request, event);
	task_get(child);
	task_start(child);
	if (event)
		trace_event(event, (uint64_t)pid);
	if (request->flags & CLONE_VFORK) {
		vfork_sleep(child);
		if (!child->vfork)
			trace_event(PTRACE_EVENT_VFORK_DONE, (uint64_t)pid);
	}
	task_put(child);
	return pid;
}

/* CLONE_PIDFD: opens a descriptor of the child. Returns it or a negative errno. */
static int open_pidfd(struct task *child, const struct clone_request *request)
{
	struct file *file = pidfd_file(child, 0);
	int fd = file ? fd_install(file, 0, true) : -ENOMEM;

	if (fd < 0) {
		if (file)
			file_put(file);
		return fd;
	}
	if (!copy_to_user(request->pidfd, &fd, sizeof(fd)))
		return fd;
	fd_close((unsigned)fd);
	return -EFAULT;
}

/* Completes the child. The parent's events are inherited last, because that cannot be undone.
 * Returns 0 or a negative errno. */
static int copy_all(struct task *child, const struct clone_request *request)
{
	int fd = -1, err = copy_parts(child, request);

	if (err)
		return err;
	copy_identity(child, request);
	copy_registers(child, request);
	child->pid = pid_new();
	child->tgid = request->flags & CLONE_THREAD ? current_task()->tgid : child->pid;
	if (request->flags & CLONE_PIDFD) {
		fd = open_pidfd(child, request);
		if (fd < 0)
			return fd;
	}
	err = trace_prepare(child, request, trace_clone_event(request));
	if (!err && perf_hooks.fork)
		err = perf_hooks.fork(child, request->flags & CLONE_THREAD);
	if (err && fd >= 0)
		fd_close((unsigned)fd);
	return err;
}

/* While a thread waits in execve() for the others to end, no task may start to share its
 * directory. */
static bool may_share(const struct clone_request *request)
{
	return !(request->flags & CLONE_FS) || !current_task()->process->survivor;
}

long task_clone(const struct clone_request *request)
{
	uint32_t uid = current_task()->cred.uid.real;
	struct task *child;
	int err = check_request(request);

	if (err)
		return err;
	if (!may_share(request) || !charge_user())
		return -EAGAIN;
	child = task_new(sched_first);
	if (!child) {
		account_give(uid, ACCOUNT_TASKS, 1);
		return -ENOMEM;
	}
	child->charged_uid = uid;
	err = copy_all(child, request);
	if (err) {
		account_give(uid, ACCOUNT_TASKS, 1);
		task_put(child);
		return err;
	}
	return launch(child, request);
}
