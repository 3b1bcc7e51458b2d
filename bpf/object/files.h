/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of maps, programs, links and types. Context of all: task. */
#ifndef BPF_OBJECT_FILES_H
#define BPF_OBJECT_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include "bpf/object/object.h"

struct bpf_link;
struct bpf_map;
struct bpf_program;
struct btf;
struct file;
struct perf_event;

/* Opens a new descriptor; consumes the reference in any case. `flags`: BPF_F_RDONLY, BPF_F_WRONLY.
 * Returns it or a negative errno. */
int bpf_fd(struct bpf_object *object, uint32_t flags);

/* Returns the descriptor's object, with a reference. `kinds`: the accepted kinds (bits of enum
 * object_kind); *file gets its file, referenced (`file` NULL: not needed). NULL and *error -EBADF,
 * or -EINVAL: another kind. */
struct bpf_object *bpf_object_of_fd(int fd, unsigned kinds, struct file **file, int *error);
/* Returns the file's object, NULL: not a BPF file; no reference is taken. */
struct bpf_object *bpf_object_of_file(const struct file *file);

static inline struct bpf_map *bpf_map_of_fd(int fd, struct file **file, int *error)
{
	return (struct bpf_map *)bpf_object_of_fd(fd, 1u << OBJECT_MAP, file, error);
}

static inline struct bpf_program *bpf_program_of_fd(int fd, int *error)
{
	return (struct bpf_program *)bpf_object_of_fd(fd, 1u << OBJECT_PROGRAM, NULL, error);
}

static inline struct bpf_link *bpf_link_of_fd(int fd, int *error)
{
	return (struct bpf_link *)bpf_object_of_fd(fd, 1u << OBJECT_LINK, NULL, error);
}

static inline struct btf *bpf_btf_of_fd(int fd, int *error)
{
	return (struct btf *)bpf_object_of_fd(fd, 1u << OBJECT_BTF, NULL, error);
}

/* A file, or a name in bpffs, starts to use the object. */
void bpf_use(struct bpf_object *object);
/* A file (`file` NULL: a name) ends, with its reference. */
void bpf_unuse(struct bpf_object *object, struct file *file);

/* Returns the perf event of a descriptor; *file is referenced. NULL: not an event. api/ sets it. */
extern struct perf_event *(*bpf_perf_event)(int fd, struct file **file);

/* Reads the descriptor at an index of a user's array: 0 or -EFAULT, -EINVAL. */
int bpf_fd_at(uint64_t array, uint32_t index, int *fd);

#endif
