/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of control groups as files: /sys/fs/cgroup of version 2, and one of version 1. */
#ifndef KERNEL_CGROUPFS_H
#define KERNEL_CGROUPFS_H

struct cgroup;
struct inode;

/* Returns the directory's group, NULL: another kind of inode. No reference is taken. Context:
 * task. */
struct cgroup *cgroup_of_inode(const struct inode *inode);

/* Returns the root of version 1's tree, with a reference, for a mount with these options: 0,
 * -ENOMEM, or -EINVAL: a controller other than perf_event. Context: task. */
int cgroupfs_v1_find(const char *options, struct inode **root);
/* A mount of version 1 was added or removed. Context: task. */
void cgroupfs_v1_changed(void);

/* Adds /sys/fs/cgroup. Context: start. */
void cgroupfs_init(void);

#endif
