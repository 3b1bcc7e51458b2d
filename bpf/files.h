/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of maps, programs and links. Context of all: task. */
#ifndef BPF_FILES_H
#define BPF_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_link;
struct bpf_map;
struct bpf_program;
struct btf;
struct file;
struct perf_event;

/* A new descriptor; consumes the reference in any case. Returns it or a negative errno. */
int bpf_map_fd(struct bpf_map *map, uint32_t flags);
int bpf_program_fd(struct bpf_program *program);
int bpf_link_fd(struct bpf_link *link);
int bpf_btf_fd(struct btf *btf);

/* What the descriptor is of, with a reference; NULL and *error -EBADF, or -EINVAL: of something
 * else. */
struct bpf_map *bpf_map_of_fd(int fd, struct file **file, int *error);
struct bpf_program *bpf_program_of_fd(int fd, int *error);
struct bpf_link *bpf_link_of_fd(int fd, int *error);
struct btf *bpf_btf_of_fd(int fd, int *error);
/* The link that the file is of, NULL: another's; no reference is taken. */
struct bpf_link *bpf_link_of_file(const struct file *file);
/* A file, or a name (`file` NULL), that has the map goes away; the reference, too. */
void map_unuse(struct bpf_map *map, struct file *file);

/* The perf event of a descriptor; *file is referenced. NULL: it is none. api/ fills it. */
extern struct perf_event *(*bpf_perf_event)(int fd, struct file **file);

/* The descriptor at an index of an array of the user's: 0 or -EFAULT, -EINVAL. */
int bpf_fd_at(uint64_t array, uint32_t index, int *fd);

#endif
