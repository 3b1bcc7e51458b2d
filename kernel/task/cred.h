/* SPDX-License-Identifier: BSD-2-Clause */
/* Who a task is and what it may do: credentials(7), capabilities(7). */
#ifndef KERNEL_CRED_H
#define KERNEL_CRED_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

struct inode;
struct mm;
struct task;

#define CAPABILITIES_ALL ((2ul << CAP_LAST_CAP) - 1)

/* Supplementary groups, sorted; shared by copies, never changed. */
struct groups {
	uint32_t refs;
	uint32_t count;
	uint32_t id[];
};

/* Numbers of a user or of a group. */
struct ids {
	uint32_t real, effective, saved, fs;
};

struct cred {
	struct ids uid, gid;
	/* Sets of capabilities: bit n is CAP_* number n. */
	uint64_t permitted, effective, inheritable, bounding, ambient;
	uint32_t securebits; /* SECBIT_* */
	bool no_new_privs;
	struct groups *groups; /* NULL: none */
};

/* Whom others may look into (mm->dumpable): PR_SET_DUMPABLE. */
#define DUMPABLE_NOBODY 0
#define DUMPABLE_USER   1

/* Context of all: task. */

/* The first task's: root with every capability. */
void cred_init_root(struct cred *cred);
/* Takes a reference to the groups. */
void cred_copy(struct cred *to, const struct cred *from);
void cred_free(struct cred *cred);

/* The current task has the capability CAP_*. */
bool capable(unsigned capability);

/*
 * Makes `new` the current task's credentials, its reference to groups included: whoever may do less
 * with them than before may no longer look into the process.
 */
void cred_commit(const struct cred *new);

/* How the user numbers that `new` has, and `old` had, change the capabilities of `new`. */
void cred_fix_capabilities(struct cred *new, const struct cred *old);
/* The same for the number of file access alone (setfsuid). */
void cred_fix_fs_capabilities(struct cred *new, const struct cred *old);

/* What execve of the file gives: *secure tells the program to distrust its surroundings. */
void cred_for_exec(struct cred *new, const struct inode *inode, bool *secure);

/* Is `gid` the group of file access, or a supplementary one, of the current task? */
bool cred_in_group(uint32_t gid);
/* Sorted groups; NULL when memory is short. `id` are the `count` numbers. */
struct groups *groups_new(const uint32_t *id, uint32_t count);

/* permission.c */

#define MAY_EXECUTE 1u
#define MAY_WRITE   2u
#define MAY_READ    4u

/* 0, or -EACCES when the current task may not use the file in every way of `ways`. */
int inode_permission(const struct inode *inode, unsigned ways);
/* The same by owner and mode alone. */
int mode_permission(const struct inode *inode, unsigned ways);
/* The current task owns the file, or may act as the owner. */
bool inode_owned(const struct inode *inode);
/* A new file of the current task's, to be put into `dir`. */
void inode_take(struct inode *inode, const struct inode *dir);
/* An entry of `dir` that leads to `inode` (NULL: a new one) may be made or removed: 0, -EACCES or
 * -EPERM. */
int dir_permission(const struct inode *dir, const struct inode *inode);
/* Somebody wrote to the file: it gives nobody another identity any more. */
void inode_drop_set_ids(struct inode *inode);

/* The current task may send `signo` (0: ask only) to the task. */
bool may_signal(const struct task *task, int signo);
/* The current task may look into the other: as itself, or, with `fs`, by its numbers of file
 * access. */
bool may_inspect(const struct task *task, bool fs);

#endif
