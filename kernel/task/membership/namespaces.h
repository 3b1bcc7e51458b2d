/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces, namespaces(7): one of each kind, except UTS namespaces (host names). */
#ifndef KERNEL_NAMESPACES_H
#define KERNEL_NAMESPACES_H

#include <linux/sched.h>
#include <stdint.h>

/* The namespaces of perf's NAMESPACES records, in their order, then the others. */
#define NR_NAMESPACES     7
#define NR_ALL_NAMESPACES 8
#define NAMESPACE_UTS     1 /* places among them */
#define NAMESPACE_PID     3

#define NAMESPACE_UTS_FIRST 0xeffffffeu

#define NAMESPACE_DEVICE 1 /* device number of their inodes */

struct namespace
{
	const char *name;
	uint32_t number; /* Linux's number of the initial namespace, also its inode number */
	uint32_t kind;   /* CLONE_NEW* */
};

static const struct namespace namespaces[NR_ALL_NAMESPACES] = {
    {"net", 0xf0000000u, CLONE_NEWNET},       {"uts", NAMESPACE_UTS_FIRST, CLONE_NEWUTS},
    {"ipc", 0xefffffffu, CLONE_NEWIPC},       {"pid", 0xeffffffcu, CLONE_NEWPID},
    {"user", 0xeffffffdu, CLONE_NEWUSER},     {"mnt", 0xf0000001u, CLONE_NEWNS},
    {"cgroup", 0xeffffffbu, CLONE_NEWCGROUP}, {"time", 0xeffffffau, CLONE_NEWTIME},
};

struct file;
struct task;

/* Namespaces of all tasks, as BPF programs find them: trace/btf.c. */
struct mount_namespace {
	uint32_t number;
};
struct common_namespaces {
	const struct mount_namespace *mount;
};
extern const struct common_namespaces common_namespaces;

#define UTS_NAME_SIZE 65 /* with its NUL: of a field of struct new_utsname */

/* A UTS namespace. */
struct uts {
	uint32_t refs;
	uint32_t number; /* of its inode */
	char node[UTS_NAME_SIZE];
	char domain[UTS_NAME_SIZE];
};

/* Every kind. */
#define NAMESPACE_FLAGS                                                               \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | \
	 CLONE_NEWTIME | CLONE_NEWUSER | CLONE_NEWUTS)

/* Checks that the current task may make new namespaces of these flags: 0, -EPERM, -EINVAL (as on a
 * Linux without them). Context: task. */
int namespaces_may_part(uint64_t flags);
/* Returns the number of the task's namespace of a kind. Context: task. */
uint32_t namespace_number(const struct task *task, unsigned place);

/* Returns the task's UTS namespace. Context: task. */
struct uts *uts_of(const struct task *task);
/* Returns a new one with one reference and the names of `from`, or NULL. Context: task. */
struct uts *uts_copy(const struct uts *from);
/* Takes a reference; returns `uts`. Context: task. */
struct uts *uts_get(struct uts *uts);
/* Drops a reference; NULL: does nothing. Context: task. */
void uts_put(struct uts *uts);
/* Moves the current task to it. Takes the caller's reference. Context: task. */
void uts_enter(struct uts *uts);

#endif
