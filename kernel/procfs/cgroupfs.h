/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of control groups as files: /sys/fs/cgroup, version 2. */
#ifndef KERNEL_CGROUPFS_H
#define KERNEL_CGROUPFS_H

struct cgroup;
struct inode;

/* The group that the folder is, NULL: it is something else. No reference is taken. */
struct cgroup *cgroup_of_inode(const struct inode *inode);

/* Adds /sys/fs/cgroup. Context: start. */
void cgroupfs_init(void);

#endif
