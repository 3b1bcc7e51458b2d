/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): checks in Linux's order, then makes an event, a context and a descriptor. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "api/calls.h"
#include "api/perf/perf.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/permission.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/pids.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"

#define FLAGS_ALL \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* The arguments, and the references held while they are checked. */
struct request {
	struct perf_event_attr *attr;
	int pid, cpu, group_fd;
	uint64_t flags;
	struct task *task;       /* referenced; NULL: the processor's events */
	struct file *group_file; /* referenced */
	struct perf_event *leader, *output;
	struct cgroup *cgroup; /* referenced; NULL: of none */
};

static void perf_release(struct file *file)
{
	event_release(file->priv);
}

const struct file_ops perf_file_ops = {
    .name = "[perf_event]",
    .read = perf_read,
    .ioctl = perf_ioctl,
    .mmap = perf_mmap,
    .poll = perf_poll,
    .release = perf_release,
};

struct perf_event *perf_event_of_fd(int fd, struct file **file)
{
	*file = fd_get(fd);
	if (*file && (*file)->ops == &perf_file_ops)
		return (*file)->priv;
	if (*file)
		file_put(*file);
	*file = NULL;
	return NULL;
}

static int find_group(struct request *r)
{
	struct perf_event *event;

	if (r->group_fd == -1)
		return 0;
	event = perf_event_of_fd(r->group_fd, &r->group_file);
	if (!event)
		return -EBADF;
	if (r->flags & PERF_FLAG_FD_OUTPUT)
		r->output = event;
	if (!(r->flags & PERF_FLAG_FD_NO_GROUP))
		r->leader = event;
	return 0;
}

/* Finds the group of a descriptor of its directory. */
static int find_cgroup(struct request *r)
{
	struct file *file = fd_get(r->pid);

	if (file && file->inode)
		r->cgroup = cgroup_of_inode(file->inode);
	cgroup_get(r->cgroup);
	if (file)
		file_put(file);
	if (!r->cgroup)
		return -EBADF;
	return r->cgroup->v1 == cgroup_v1_on ? 0 : -ENOENT;
}

static int find_task(struct request *r)
{
	if (r->pid == -1 || (r->flags & PERF_FLAG_PID_CGROUP))
		return 0;
	if (r->pid == 0) {
		r->task = current_task();
		task_get(r->task);
		return 0;
	}
	r->task = r->pid > 0 ? task_find(r->pid) : NULL;
	return r->task ? 0 : -ESRCH;
}

/* Returns the event's context, or NULL and *error. */
static struct context *find_context(const struct request *r, int *error)
{
	struct context *ctx;

	*error = -EINVAL;
	if (r->cpu < 0 || r->cpu >= (int)nr_cpus) {
		if (!r->task || r->cpu != -1)
			return NULL;
	}
	if (r->attr->sigtrap && !r->task)
		return NULL;
	if (!r->task)
		return &cpus[r->cpu]->pmu->ctx;
	ctx = context_of_task(r->task);
	*error = -ENOMEM;
	return ctx;
}

/* A group has one clock, one processor and one task, and only its leader may be exclusive or
 * pinned. */
static bool joins_group(const struct perf_event *event, const struct perf_event *leader)
{
	return leader->leader == leader && leader->clockid == event->clockid &&
	       leader->cpu == event->cpu && leader->ctx == event->ctx && !event->attr.exclusive &&
	       !event->attr.pinned;
}

/* True if the current task may observe the other; SIGTRAP changes its behaviour. */
static bool may_watch(const struct request *r)
{
	bool privileged = perf_privileged();

	if (r->attr->sigtrap)
		privileged = privileged && capable(CAP_KILL);
	return privileged || may_inspect(r->task, false);
}

/* Checks that depend on PMU, context and group. */
static int check_event(struct request *r, struct perf_event *event)
{
	int err;

	if (r->flags & PERF_FLAG_PID_CGROUP) {
		err = find_cgroup(r);
		if (!err && r->leader && r->leader->cgroup != r->cgroup)
			err = -EINVAL;
		if (err)
			return err;
		event_set_cgroup(event, r->cgroup);
	}
	if (r->attr->use_clockid) {
		err = event_set_clock(event, r->attr->clockid);
		if (err)
			return err;
	}
	if (!r->task && perf_limits.paranoid > 0 && !perf_privileged())
		return -EACCES;
	if (r->task && (event->ctx->dead || r->task->state >= TASK_ZOMBIE))
		return -ESRCH;
	if (r->leader && !joins_group(event, r->leader))
		return -EINVAL;
	if (r->output) {
		err = perf_set_output(event, r->output);
		if (err)
			return err;
	}
	if (r->task && !may_watch(r))
		return -EACCES;
	if (r->leader && !event_sizes_fit(event))
		return -E2BIG;
	if (r->attr->aux_output) /* of no PMU here */
		return -EINVAL;
	if ((r->attr->__reserved_3 & (ATTR_AUX_PAUSE | ATTR_AUX_RESUME)) &&
	    !(r->leader && r->leader->pmu->pause_trace))
		return -EINVAL;
	if (r->attr->aux_sample_size && !(r->leader && r->leader->pmu->snapshot))
		return -EINVAL;
	return exclusive_join(event);
}

static int make_event(struct request *r, struct perf_event **result)
{
	struct context *ctx;
	struct perf_event *event;
	int err;

	if (r->task && r->leader && r->leader->attr.inherit != r->attr->inherit)
		return -EINVAL;
	ctx = find_context(r, &err);
	if (!ctx)
		return err;
	event = event_new(r->attr, r->cpu, ctx, r->leader, NULL, &err);
	if (!event)
		return err;
	err = check_event(r, event);
	if (err)
		event_free(event);
	else
		*result = event;
	return err;
}

static void attach(void *event)
{
	context_attach(event);
}

/* Installs the event, which starts to count, after all else has succeeded. */
static int install(const struct request *r, struct perf_event *event)
{
	struct context *own = context_of_task(current_task());
	struct file *file = own ? file_new(&perf_file_ops, event, O_RDWR) : NULL;
	int fd;

	if (!file) {
		event_free(event);
		return -ENOMEM;
	}
	event->file = file;
	list_add_tail(&container_of(own, struct perf_task, ctx)->owned, &event->owner_link);
	fd = fd_install(file, 0, !!(r->flags & PERF_FLAG_FD_CLOEXEC));
	if (fd < 0) {
		file_put(file);
		return fd;
	}
	event->fd = fd;
	context_run(event->ctx, attach, event);
	return fd;
}

static int open_event(struct request *r)
{
	struct perf_event *event = NULL;
	int err = find_group(r);

	if (!err)
		err = find_task(r);
	if (!err)
		err = make_event(r, &event);
	return err ? err : install(r, event);
}

static int check_request(struct request *r, uint64_t user_attr)
{
	int err;

	if (r->flags & ~FLAGS_ALL)
		return -EINVAL;
	err = perf_attr_copy(r->attr, user_attr);
	if (!err)
		err = perf_attr_permit(r->attr);
	if (err)
		return err;
	if ((r->flags & PERF_FLAG_PID_CGROUP) && (r->pid == -1 || r->cpu == -1))
		return -EINVAL;
	return fd_room(); /* as Linux: before any object that the arguments name is looked for */
}

long sys_perf_event_open(uint64_t attr, uint64_t pid, uint64_t cpu, uint64_t group_fd,
			 uint64_t flags)
{
	struct perf_event_attr copy;
	struct request r = {.attr = &copy,
			    .pid = (int)pid,
			    .cpu = (int)cpu,
			    .group_fd = (int)group_fd,
			    .flags = flags};
	int result = check_request(&r, attr);

	if (!result)
		result = open_event(&r);
	if (r.task)
		task_put(r.task);
	if (r.group_file)
		file_put(r.group_file);
	cgroup_put(r.cgroup);
	return result;
}
