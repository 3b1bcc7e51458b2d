/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of bpf(2) share. */
#ifndef API_BPF_H
#define API_BPF_H

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/task/task.h"

/* A command: its attr, copied, and where it came from. Returns 0, a descriptor, or a negative
 * errno. Context: task. */
typedef int command_fn(union bpf_attr *attr, uint64_t user);

/* What behind the last field of a command must be zero. */
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

/* A name of letters, digits, '_' and '.', padded with zeros. Context: any. */
bool bpf_name_valid(const char name[BPF_OBJ_NAME_LEN]);

/* bpf_maps.c: the commands that make maps, and read and write their elements. */
command_fn map_create, map_lookup_elem, map_update_elem, map_delete_elem, map_get_next_key,
    map_lookup_and_delete, map_lookup_batch, map_lookup_and_delete_batch, map_update_batch,
    map_delete_batch, map_freeze;

#endif
