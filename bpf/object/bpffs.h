/* SPDX-License-Identifier: BSD-2-Clause */
/* bpffs: names that keep maps, programs and links. Context of all: task. */
#ifndef BPF_OBJECT_BPFFS_H
#define BPF_OBJECT_BPFFS_H

struct bpf_object;
struct inode;

/* What bpffs's folders are; whoever mounts one gives its root these operations. */
extern const struct inode_ops bpffs_ops;

/* A new inode that keeps the object (no BTF), with one reference; NULL: no memory. It takes the
 * object's reference in either case. */
struct inode *pin_new(struct bpf_object *object);
/* What the inode keeps; NULL: it is something else. No reference is taken. */
struct bpf_object *pin_of(const struct inode *inode);

/* Adds /sys/fs/bpf. Context: start. */
void bpffs_init(void);

#endif
