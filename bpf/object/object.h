/* SPDX-License-Identifier: BSD-2-Clause */
/* Common to maps, programs, links and BTF: references, ids, descriptors. */
#ifndef BPF_OBJECT_OBJECT_H
#define BPF_OBJECT_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/base/tree.h"
#include "kernel/task/ending.h"

#define ENOTSUPP 524 /* of Linux, beyond its errno.h */

struct file;
struct poll_table;
struct vma;

enum object_kind { OBJECT_MAP, OBJECT_PROGRAM, OBJECT_LINK, OBJECT_BTF, NR_OBJECT_KINDS };

struct bpf_object;

/* Operations of a kind; NULL: none. Context of all: task. */
struct object_ops {
	void (*destroy)(struct bpf_object *object); /* the last reference went */
	/* A file, or a name in bpffs, was made; ended (`file` NULL: a name). */
	void (*used)(struct bpf_object *object);
	void (*unused)(struct bpf_object *object, struct file *file);
	int (*mmap)(struct bpf_object *object, struct vma *vma); /* of its file */
	unsigned (*poll)(struct bpf_object *object, struct poll_table *table);
};

/* The first member of a map, program, link or BTF. */
struct bpf_object {
	struct tree_node node; /* in the tree of its kind's ids */
	uint32_t refs;         /* atomic */
	uint32_t id;           /* of its kind; 0: not yet */
	uint8_t kind;          /* enum object_kind */
	const struct object_ops *ops;
	struct ending ending; /* its end may put other objects */
};

/* As kalloc_span(), zeroed; other tasks run in between. Context: task. */
void *object_span(size_t bytes);
/* Initialises it with one reference and no id. Context: any. */
void object_init(struct bpf_object *object, enum object_kind kind, const struct object_ops *ops);
/* Makes it visible by id, which it gets unless it has one. Context: task. */
void object_publish(struct bpf_object *object);
void object_get(struct bpf_object *object); /* Context: any */
/* Drops a reference; the last one destroys it, with or without an id. Context: task. */
void object_put(struct bpf_object *object);

/* Returns the next existing id above this one (0..INT32_MAX), 0: none. Context: task. */
uint32_t object_next_id(enum object_kind kind, uint32_t id);
/* Returns the object with that id, with a reference; NULL: none. Context: task. */
struct bpf_object *object_by_id(enum object_kind kind, uint32_t id);

#endif
