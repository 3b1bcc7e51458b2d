/* SPDX-License-Identifier: BSD-2-Clause */
/* bpffs: names that keep maps, programs and links alive. Context of all: task. */
#ifndef BPF_OBJECT_BPFFS_H
#define BPF_OBJECT_BPFFS_H

struct bpf_object;
struct inode;

/* Operations of bpffs's directories; a mount sets them at its root. */
extern const struct inode_ops bpffs_ops;

/* Returns a new inode that keeps the object (not BTF), with one reference; NULL: no memory. Takes
 * the object's reference in either case. */
struct inode *pin_new(struct bpf_object *object);
/* Returns the object pinned at the inode; NULL: none. No reference is taken. */
struct bpf_object *pin_of(const struct inode *inode);

/* Adds /sys/fs/bpf. Context: start. */
void bpffs_init(void);

#endif
