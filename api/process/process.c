/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes: fork(2), clone(2), execve(2), exit(2), wait4(2), waitid(2), and their ids. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "api/process/usage.h"
#include "api/versioned.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/process/arguments.h"
#include "kernel/process/exec.h"
#include "kernel/process/process.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/pids.h"

#define CLONE_ARGS_FIRST 64 /* bytes of the first version of struct clone_args */

long sys_fork(void)
{
	struct clone_request request = {.exit_signal = SIGCHLD};

	return task_clone(&request);
}

long sys_vfork(void)
{
	struct clone_request request = {.flags = CLONE_VFORK | CLONE_VM, .exit_signal = SIGCHLD};

	return task_clone(&request);
}

long sys_clone(uint64_t flags, uint64_t stack, uint64_t parent_tid, uint64_t child_tid,
	       uint64_t tls)
{
	struct clone_request request = {
	    .flags = (uint32_t)flags & ~(uint64_t)CSIGNAL,
	    .exit_signal = flags & CLONE_THREAD ? 0 : (int)(flags & CSIGNAL),
	    .stack = stack,
	    .tls = tls,
	    .parent_tid = parent_tid,
	    .child_tid = child_tid,
	    .pidfd = parent_tid,
	};

	if (flags & CLONE_PIDFD && flags & CLONE_PARENT_SETTID)
		return -EINVAL; /* one address for both */
	return request.exit_signal > NR_SIGNALS ? -EINVAL : task_clone(&request);
}

/* CLONE_INTO_CGROUP: the group of a directory, referenced: 0, -EBADF, -ENODEV or -EACCES. */
static int cgroup_of_fd(uint64_t fd, struct cgroup **group)
{
	struct file *file = fd > INT32_MAX ? NULL : fd_get_open((int)fd);
	int err = 0;

	if (!file)
		return -EBADF;
	*group = file->inode ? cgroup_of_inode(file->inode) : NULL;
	if (!*group || (*group)->v1)
		err = -EBADF;
	else if ((*group)->removed)
		err = -ENODEV;
	else
		err = inode_permission(file->inode, MAY_WRITE);
	if (!err)
		cgroup_get(*group);
	file_put(file);
	return err;
}

long sys_clone3(uint64_t user, uint64_t size)
{
	struct clone_args args;
	struct clone_request request;
	long result;
	int err;

	if (size > 4096)
		return -E2BIG;
	if (size < CLONE_ARGS_FIRST)
		return -EINVAL;
	err = copy_versioned(&args, sizeof(args), user, size);
	if (err)
		return err;
	if (args.flags & (CLONE_DETACHED | (CSIGNAL & ~CLONE_NEWTIME)) || args.set_tid_size ||
	    args.exit_signal > NR_SIGNALS || !args.stack != !args.stack_size)
		return -EINVAL;
	if (args.flags & (CLONE_THREAD | CLONE_PARENT) && args.exit_signal)
		return -EINVAL;
	request = (struct clone_request){
	    .flags = args.flags,
	    .exit_signal = (int)args.exit_signal,
	    .stack = args.stack + args.stack_size,
	    .tls = args.tls,
	    .parent_tid = args.parent_tid,
	    .child_tid = args.child_tid,
	    .pidfd = args.pidfd,
	};
	if (args.flags & CLONE_INTO_CGROUP)
		err = cgroup_of_fd(args.cgroup, &request.cgroup);
	if (err)
		return err;
	result = task_clone(&request);
	cgroup_put(request.cgroup);
	return result;
}

/* Writes the program's path to a page. As on Linux, a program found by descriptor gets the
 * descriptor's path. Returns 0 or a negative errno. */
static int exec_path(uint64_t dirfd, uint64_t user, char *path)
{
	long length = copy_string_from_user(path, user, PATH_SIZE);
	char begin[24];
	struct text text;

	if (length < 0)
		return (int)length;
	if ((int)dirfd == AT_FDCWD || *path == '/')
		return 0;
	text_init(&text, begin, sizeof(begin));
	text_print(&text, "/dev/fd/%d%s", (int)dirfd, length ? "/" : "");
	if (text.length + (size_t)length >= PATH_SIZE)
		return -ENAMETOOLONG;
	memmove(path + text.length, path, (size_t)length + 1);
	memcpy(path, begin, text.length);
	return 0;
}

/* Copies the program's arguments and environment, which the caller frees also after an error. */
static int exec_arguments(struct arguments *arguments, uint64_t argv, uint64_t envp)
{
	int err = arguments_add_user(arguments, argv, &arguments->argc);

	if (!err && !arguments->argc) { /* Linux gives an empty argv one empty string */
		err = arguments_add(arguments, "");
		arguments->argc = 1;
	}
	return err ? err : arguments_add_user(arguments, envp, &arguments->envc);
}

static int exec_inode(struct inode *inode, struct dirent *name, const char *path, uint64_t argv,
		      uint64_t envp)
{
	struct arguments arguments = {0};
	int err = exec_arguments(&arguments, argv, envp);

	if (!err)
		return exec(inode, name, path, &arguments, NULL);
	arguments_free(&arguments);
	return err;
}

long sys_execveat(uint64_t dirfd, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags)
{
	struct dirent *name;
	struct inode *inode;
	char *called;
	int err;

	if (flags & ~(uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	called = page_alloc_dirty();
	if (!called)
		return -ENOMEM;
	err = exec_path(dirfd, path, called);
	if (!err)
		err = user_lookup_name(dirfd, path, (unsigned)flags, &inode, &name);
	if (!err) {
		err = exec_inode(inode, name, called, argv, envp);
		inode_put(inode);
		name_put(name);
	}
	page_put(called);
	return err;
}

long sys_execve(uint64_t path, uint64_t argv, uint64_t envp)
{
	return sys_execveat((uint64_t)AT_FDCWD, path, argv, envp, 0);
}

long sys_exit(uint64_t status)
{
	task_exit((int)(status & 0xff) << 8);
}

long sys_exit_group(uint64_t status)
{
	process_exit((int)(status & 0xff) << 8);
}

static int put_usage(uint64_t user, const struct usage *usage)
{
	struct rusage rusage;

	usage_to_rusage(usage, &rusage);
	return copy_to_user(user, &rusage, sizeof(rusage));
}

long sys_wait4(uint64_t pid64, uint64_t status, uint64_t options, uint64_t usage)
{
	int pid = (int)pid64, err;
	struct wait_request request = {.type = P_ALL, .options = (int)options | WEXITED};

	if (options &
	    ~(uint64_t)(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	if (pid != -1) {
		request.type = pid > 0 ? P_PID : P_PGID;
		request.id = pid > 0 ? pid : pid < 0 ? -pid : current_task()->process->pgid;
	}
	err = process_wait(&request);
	if (err || !request.pid)
		return err;
	if (status && copy_to_user(status, &request.status, sizeof(request.status)))
		return -EFAULT;
	if (usage && put_usage(usage, &request.usage))
		return -EFAULT;
	return request.pid;
}

/* Returns waitid's si_status: an exit code or a signal. */
static int plain_status(const struct wait_request *request)
{
	switch (request->code) {
	case CLD_EXITED:
	case CLD_STOPPED:
		return request->status >> 8 & 0xff;
	case CLD_TRAPPED:
		return request->status >> 8;
	case CLD_CONTINUED:
		return SIGCONT;
	default:
		return request->status & 0x7f;
	}
}

/* Names the process of a pidfd: 0 or -EBADF. One that does not block waits as WNOHANG does. */
static int wait_pidfd(struct wait_request *request, int fd)
{
	struct file *file = fd_get(fd);
	const struct task *task = file ? pidfd_task(file) : NULL;

	request->type = P_PID;
	request->id = task ? task->pid : 0;
	if (file && file->flags & O_NONBLOCK)
		request->options |= WNOHANG;
	if (file)
		file_put(file);
	return task ? 0 : -EBADF;
}

/* Sets whom to wait for: 0, -EINVAL or -EBADF. */
static int wait_whom(struct wait_request *request, uint64_t type, int id)
{
	request->type = (int)type;
	request->id = id;
	if (type == P_PIDFD)
		return wait_pidfd(request, id);
	if (type > P_PGID || (type == P_PID && id <= 0) || (type == P_PGID && id < 0))
		return -EINVAL;
	if (type == P_PGID && !id)
		request->id = current_task()->process->pgid;
	return 0;
}

static int put_wait_info(uint64_t user, const struct wait_request *request)
{
	siginfo_t info = {0};

	if (request->pid) {
		info.si_signo = SIGCHLD;
		info.si_code = request->code;
		info.si_pid = request->pid;
		info.si_uid = request->uid;
		info.si_status = plain_status(request);
	}
	return copy_to_user(user, &info, sizeof(info));
}

long sys_waitid(uint64_t type, uint64_t id, uint64_t info, uint64_t options, uint64_t usage)
{
	struct wait_request request = {.options = (int)options};
	int err;

	if (options & ~(uint64_t)(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED |
				  __WNOTHREAD | __WCLONE | __WALL) ||
	    !(options & (WEXITED | WSTOPPED | WCONTINUED)))
		return -EINVAL;
	err = wait_whom(&request, type, (int)id);
	if (!err)
		err = process_wait(&request);
	if (err)
		return err;
	/* A descriptor that does not block. */
	if (!request.pid && (int)options != request.options)
		return -EAGAIN;
	if (usage && put_usage(usage, &request.usage))
		return -EFAULT;
	return info ? put_wait_info(info, &request) : 0;
}

long sys_getpid(void)
{
	return current_task()->tgid;
}

long sys_gettid(void)
{
	return current_task()->pid;
}

long sys_getppid(void)
{
	const struct task *parent = current_task()->process->leader->parent;

	return parent ? parent->tgid : 0;
}

long sys_set_tid_address(uint64_t addr)
{
	current_task()->clear_child_tid = addr;
	return current_task()->pid;
}

/* Returns the leader of process `pid` (0: the caller's) with a reference, or NULL. */
static struct task *process_leader(uint64_t pid)
{
	struct task *task = task_find(pid ? (int)pid : current_task()->tgid);

	if (task && task->pid != task->tgid) {
		task_put(task);
		return NULL;
	}
	return task;
}

long sys_getpgid(uint64_t pid)
{
	struct task *task = process_leader(pid);
	long pgid;

	if (!task)
		return -ESRCH;
	pgid = task->process->pgid;
	task_put(task);
	return pgid;
}

long sys_getpgrp(void)
{
	return current_task()->process->pgid;
}

long sys_getsid(uint64_t pid)
{
	struct task *task = process_leader(pid);
	long sid;

	if (!task)
		return -ESRCH;
	sid = task->process->sid;
	task_put(task);
	return sid;
}

/* True if the session has that process group. */
static bool group_exists(int pgid, int sid)
{
	struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (task->process->pgid == pgid && task->process->sid == sid)
			return true;
	return false;
}

static long move_to_group(struct task *task, int pgid)
{
	struct process *process = task->process, *own = current_task()->process;

	if (process != own && task->parent != own->leader)
		return -ESRCH;
	if (process != own && process->execed)
		return -EACCES;
	if (process->sid == task->pid || process->sid != own->sid)
		return -EPERM;
	if (pgid != task->pid && !group_exists(pgid, process->sid))
		return -EPERM;
	process->pgid = pgid;
	return 0;
}

long sys_setpgid(uint64_t pid, uint64_t pgid)
{
	struct task *task;
	long result;

	if ((int)pgid < 0)
		return -EINVAL;
	task = process_leader(pid);
	if (!task)
		return -ESRCH;
	result = move_to_group(task, pgid ? (int)pgid : task->pid);
	task_put(task);
	return result;
}

long sys_setsid(void)
{
	struct process *process = current_task()->process;

	if (group_exists(current_task()->tgid, process->sid))
		return -EPERM;
	process->sid = process->pgid = current_task()->tgid;
	return process->sid;
}
