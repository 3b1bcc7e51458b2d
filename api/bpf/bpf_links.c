/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2): links, and attached programs. */
#include "api/bpf/bpf.h"
#include "api/perf/perf.h"
#include "bpf/attach.h"
#include "bpf/bpf.h"
#include "bpf/links.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"
#include "pmu/core/core.h"
#include "trace/probe/probe.h"

/* Finds the tracepoint's name: a TRACING program has its own, and others are given one. */
static int raw_name(const struct bpf_program *program, uint64_t user, char *name, size_t bytes)
{
	long length;

	if (program->point) {
		strlcpy(name, program->point, bytes);
		return user ? -EINVAL : 0;
	}
	length = copy_string_from_user(name, user, bytes);
	if (length < 0)
		return length == -EFAULT ? -EFAULT : -ENOENT;
	return 0;
}

int raw_tracepoint_open(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;
	struct bpf_link *link;
	char name[128];
	int err;

	(void)user;
	CHECK(raw_tracepoint.prog_fd);
	program = bpf_program_of_fd((int)attr->raw_tracepoint.prog_fd, &err);
	if (!program)
		return err;
	err = raw_name(program, attr->raw_tracepoint.name, name, sizeof(name));
	link = err ? NULL : link_raw(program, name, &err);
	program_put(program);
	return link ? bpf_fd(&link->object, 0) : err;
}

int link_create(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;
	struct perf_event *event;
	struct bpf_link *link;
	struct file *file;
	int err;

	(void)user;
	if (attr->link_create.attach_type != BPF_PERF_EVENT || attr->link_create.flags)
		return -EINVAL;
	program = bpf_program_of_fd((int)attr->link_create.prog_fd, &err);
	if (!program)
		return err;
	event = bpf_perf_event((int)attr->link_create.target_fd, &file);
	link = event
		   ? link_perf(program, event, file, attr->link_create.perf_event.bpf_cookie, &err)
		   : NULL;
	program_put(program);
	if (!event)
		return -EBADF;
	return link ? bpf_fd(&link->object, 0) : err;
}

/* Neither kind of link supports changing its program. */
int link_update(union bpf_attr *attr, uint64_t user)
{
	struct bpf_program *program;
	struct bpf_link *link;
	int err;

	(void)user;
	CHECK(link_update.old_prog_fd);
	if (attr->link_update.flags & ~(uint32_t)BPF_F_REPLACE)
		return -EINVAL;
	link = bpf_link_of_fd((int)attr->link_update.link_fd, &err);
	if (!link)
		return err;
	program = bpf_program_of_fd((int)attr->link_update.new_prog_fd, &err);
	if (program) {
		program_put(program);
		err = -EINVAL;
	}
	link_put(link);
	return err;
}

/* ... nor detaching before the link ends. */
int link_detach(union bpf_attr *attr, uint64_t user)
{
	struct bpf_link *link;
	int err;

	(void)user;
	CHECK(link_detach.link_fd);
	link = bpf_link_of_fd((int)attr->link_detach.link_fd, &err);
	if (!link)
		return err;
	link_put(link);
	return -EOPNOTSUPP;
}

/* Nothing that this call queries (control groups, network devices) can have programs here. */
int prog_query(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	return capable(CAP_NET_ADMIN) ? -EINVAL : -EPERM;
	(void)attr;
}

/* ---- BPF_TASK_FD_QUERY ---- */

/* Copies the name, as far as there is room. */
static int copy_answer(const union bpf_attr *attr, uint64_t user,
		       const struct bpf_attachment *answer)
{
	uint32_t length = answer->name ? (uint32_t)strlen(answer->name) : 0,
		 room = attr->task_fd_query.buf_len;
	bool cut = room && length >= room;
	uint32_t bytes = cut ? room - 1 : length;
	char end = 0;

	if (room && attr->task_fd_query.buf &&
	    (copy_to_user(attr->task_fd_query.buf, answer->name, bytes) ||
	     copy_to_user(attr->task_fd_query.buf + bytes, &end, 1)))
		return -EFAULT;
#define PUT(field, value)                                                            \
	copy_to_user(user + offsetof(union bpf_attr, task_fd_query.field), &(value), \
		     sizeof(attr->task_fd_query.field))
	if (PUT(buf_len, length) || PUT(prog_id, answer->program) || PUT(fd_type, answer->kind) ||
	    PUT(probe_offset, answer->offset) || PUT(probe_addr, answer->address))
		return -EFAULT;
#undef PUT
	return cut ? -ENOSPC : 0;
}

int bpf_describe_event(const struct perf_event *event, struct bpf_attachment *answer)
{
	const struct bpf_program *program = program_attached(event);
	struct trace_event *trace = event->hw.trace;
	const struct probe *probe;

	if (!program)
		return -ENOENT;
	if (program->type == BPF_PROG_TYPE_PERF_EVENT)
		return -EOPNOTSUPP;
	answer->program = program->object.id;
	if (!event_is_probe(trace)) {
		answer->kind = BPF_FD_TYPE_TRACEPOINT;
		answer->name = trace->name;
		return 0;
	}
	probe = container_of(trace, struct probe, event);
	answer->kind = (probe->of_program ? BPF_FD_TYPE_UPROBE : BPF_FD_TYPE_KPROBE) +
		       (probe->returns ? 1 : 0);
	answer->name = probe->place;
	answer->offset = probe->offset;
	answer->probed = probe->of_program ? 0 : probe->address;
	answer->address = probe->of_program || probe->place ? 0 : probe->address;
	return 0;
}

static int describe_file(const struct file *file, struct bpf_attachment *answer)
{
	struct bpf_object *object = bpf_object_of_file(file);
	const struct bpf_link *link = (const struct bpf_link *)object;

	if (object && object->kind == OBJECT_LINK && link->place) {
		*answer = (struct bpf_attachment){.program = link->program->object.id,
						  .kind = BPF_FD_TYPE_RAW_TRACEPOINT,
						  .name = link->name};
		return 0;
	}
	if (file->ops != &perf_file_ops)
		return -ENOTSUPP;
	return bpf_describe_event(file->priv, answer);
}

int task_fd_query(union bpf_attr *attr, uint64_t user)
{
	struct bpf_attachment answer = {0};
	struct file *file = NULL;
	uint32_t fd = attr->task_fd_query.fd;
	struct task *task;
	int err;

	CHECK(task_fd_query.probe_addr);
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (attr->task_fd_query.flags)
		return -EINVAL;
	task = task_find((int)attr->task_fd_query.pid);
	if (!task)
		return -ENOENT;
	if (task->files && fd < task->files->size)
		file = task->files->table[fd];
	if (file)
		file_get(file);
	task_put(task);
	if (!file)
		return -EBADF;
	err = describe_file(file, &answer);
	if (!err)
		err = copy_answer(attr, user, &answer);
	file_put(file);
	return err;
}
