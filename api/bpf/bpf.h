/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of bpf(2). */
#ifndef API_BPF_H
#define API_BPF_H

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/text.h"
#include "kernel/task/task.h"

/* A command: its attr, copied, and the user's address. Returns 0, a descriptor, or a negative
 * errno. Context: task. */
typedef int command_fn(union bpf_attr *attr, uint64_t user);

/* All bytes after the command's last field must be zero. */
#define CHECK(field)                                                                     \
	do {                                                                             \
		if (!is_zero((const uint8_t *)attr + offsetofend(union bpf_attr, field), \
			     sizeof(*attr) - offsetofend(union bpf_attr, field)))        \
			return -EINVAL;                                                  \
	} while (0)
#define offsetofend(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

static inline bool is_zero(const uint8_t *bytes, size_t length)
{
	while (length--)
		if (*bytes++)
			return false;
	return true;
}

static inline bool privileged(void)
{
	return capable(CAP_BPF) || capable(CAP_SYS_ADMIN);
}

/* True for a name of letters, digits, '_' and '.', padded with zeros. Context: any. */
bool bpf_name_valid(const char name[BPF_OBJ_NAME_LEN]);

/* The log of a check, on its way to the user. _begin checks and allocates: 0, or a negative errno
 * with nothing to undo. _end copies it out and returns `result`, or the copy's error. Context:
 * task. */
struct bpf_log {
	struct text text;
	char *buffer; /* NULL: no log was requested */
	uint64_t user;
	uint32_t size;
};
int bpf_log_begin(struct bpf_log *log, uint32_t level, uint64_t user, uint32_t size);
int bpf_log_end(struct bpf_log *log, int result);

/* bpf_links.c: attaching programs. */
command_fn raw_tracepoint_open, link_create, link_update, link_detach, task_fd_query, prog_query;

/* The program at a perf event, and its place. */
struct bpf_attachment {
	uint32_t program, kind; /* its id, BPF_FD_TYPE_* */
	uint64_t offset;        /* from the probe's symbol, or in its file */
	uint64_t address;       /* of a probe without a symbol */
	uint64_t probed;        /* of any probe of the kernel */
	const char *name;       /* NULL: none */
};
/* Returns 0, -ENOENT (no program), or -EOPNOTSUPP (a program at samples). Context: task. */
struct perf_event;
int bpf_describe_event(const struct perf_event *event, struct bpf_attachment *attachment);

/* bpf_objects.c: existing objects, by id and by name. */
command_fn prog_get_next_id, map_get_next_id, link_get_next_id, btf_get_next_id, prog_get_fd_by_id,
    map_get_fd_by_id, link_get_fd_by_id, btf_get_fd_by_id, btf_load, obj_pin, obj_get,
    obj_get_info_by_fd;

/* Copies a name to `to`, as far as its `room` bytes go: 0, -ENOSPC, -EFAULT, -EINVAL. Context:
 * task. */
int bpf_copy_name(uint64_t to, uint32_t room, const char *name);
/* Reads what the user has of an information struct of `bytes`, which is 0 before: 0 or -EFAULT.
 * Context: task. */
int bpf_objects_read_info(const union bpf_attr *attr, void *info, uint32_t bytes);
/* Copies an information struct to the user, as many bytes as there is room for: 0 or a negative
 * errno. Context: task. */
int bpf_objects_copy_info(const union bpf_attr *attr, uint64_t user, const void *info,
			  uint32_t bytes);

/* bpf_link_info.c: BPF_OBJ_GET_INFO_BY_FD of a link. Context: task. */
struct bpf_object;
int bpf_copy_link_info(const union bpf_attr *attr, uint64_t user, const struct bpf_object *object);

/* bpf_maps.c: the commands that make maps, and read and write their elements. */
command_fn map_create, map_lookup_elem, map_update_elem, map_delete_elem, map_get_next_key,
    map_lookup_and_delete, map_lookup_batch, map_lookup_and_delete_batch, map_update_batch,
    map_delete_batch, map_freeze;

#endif
