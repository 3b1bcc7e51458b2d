/* SPDX-License-Identifier: BSD-2-Clause */
/* bpffs: names that keep maps, programs and links. Context of all: task. */
#ifndef BPF_BPFFS_H
#define BPF_BPFFS_H

struct inode;

enum pin_kind { PIN_NONE, PIN_MAP, PIN_PROGRAM, PIN_LINK };

/* What bpffs's folders are; whoever mounts one gives its root these. */
extern const struct inode_ops bpffs_ops;

/* A new inode that keeps the object, with one reference; NULL: no memory. It takes the reference in
 * either case. */
struct inode *pin_new(enum pin_kind kind, void *object);
/* What the inode keeps; PIN_NONE: it is something else. No reference is taken. */
enum pin_kind pin_of(const struct inode *inode, void **object);

/* Adds /sys/fs/bpf. Context: start. */
void bpffs_init(void);

#endif
