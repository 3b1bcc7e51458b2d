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

/* bpf_objects.c: existing objects, by id and by name. */
command_fn prog_get_next_id, map_get_next_id, link_get_next_id, btf_get_next_id, prog_get_fd_by_id,
    map_get_fd_by_id, link_get_fd_by_id, btf_get_fd_by_id, btf_load, obj_pin, obj_get,
    obj_get_info_by_fd;

/* bpf_maps.c: the commands that make maps, and read and write their elements. */
command_fn map_create, map_lookup_elem, map_update_elem, map_delete_elem, map_get_next_key,
    map_lookup_and_delete, map_lookup_batch, map_lookup_and_delete_batch, map_update_batch,
    map_delete_batch, map_freeze;

#endif
