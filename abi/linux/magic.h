/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of file systems, as statfs() has them. */
#ifndef ABI_LINUX_MAGIC_H
#define ABI_LINUX_MAGIC_H

#define BPF_FS_MAGIC 0xcafe4a11

#define CGROUP2_SUPER_MAGIC 0x63677270

#define CGROUP_SUPER_MAGIC 0x27e0eb

#define DEBUGFS_MAGIC 0x64626720

#define PROC_SUPER_MAGIC 0x9fa0

#define RAMFS_MAGIC 0x858458f6

#define SYSFS_MAGIC 0x62656572

#define TMPFS_MAGIC 0x1021994

#define TRACEFS_MAGIC 0x74726163

#endif
