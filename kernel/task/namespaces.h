/* SPDX-License-Identifier: BSD-2-Clause */
/* The namespaces that all tasks are in: namespaces(7). There is one of each kind. */
#ifndef KERNEL_NAMESPACES_H
#define KERNEL_NAMESPACES_H

#include <linux/sched.h>
#include <stdint.h>

/* Those of perf's NAMESPACES records, in their order, and behind them the others. */
#define NR_NAMESPACES     7
#define NR_ALL_NAMESPACES 8
#define NAMESPACE_PID     3 /* its place among them */

#define NAMESPACE_DEVICE 1 /* the number of the device on which their inodes lie */

struct namespace
{
	const char *name;
	uint32_t number; /* Linux's, of those that it starts with; of its inode, too */
	uint32_t kind;   /* CLONE_NEW* */
};

static const struct namespace namespaces[NR_ALL_NAMESPACES] = {
    {"net", 0xf0000000u, CLONE_NEWNET},       {"uts", 0xeffffffeu, CLONE_NEWUTS},
    {"ipc", 0xefffffffu, CLONE_NEWIPC},       {"pid", 0xeffffffcu, CLONE_NEWPID},
    {"user", 0xeffffffdu, CLONE_NEWUSER},     {"mnt", 0xf0000001u, CLONE_NEWNS},
    {"cgroup", 0xeffffffbu, CLONE_NEWCGROUP}, {"time", 0xeffffffau, CLONE_NEWTIME},
};

struct file;

/* The namespace that a file of /proc/PID/ns is, or NULL. Context: task. */
const struct namespace *namespace_of_file(const struct file *file);

#endif
