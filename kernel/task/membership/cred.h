/* SPDX-License-Identifier: BSD-2-Clause */
/* User and group ids and capabilities of a task: credentials(7), capabilities(7). */
#ifndef KERNEL_CRED_H
#define KERNEL_CRED_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

struct mm;
struct task;

#define CAPABILITIES_ALL ((2ul << CAP_LAST_CAP) - 1)

/* Supplementary groups, sorted; shared by copies, immutable. */
struct groups {
	uint32_t refs;
	uint32_t count;
	uint32_t id[];
};

/* Ids of a user or of a group. */
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

/* Other tasks' access to the process (mm->dumpable): PR_SET_DUMPABLE. */
#define DUMPABLE_NOBODY 0
#define DUMPABLE_USER   1

/* Context of all: task. */

/* The first task's: root with every capability. */
void cred_init_root(struct cred *cred);
/* Takes a reference to the groups. */
void cred_copy(struct cred *to, const struct cred *from);
void cred_free(struct cred *cred);

/* True if the current task has the capability CAP_*. */
bool capable(unsigned capability);

/*
 * Makes `new` the current task's credentials, including its reference to groups: tasks with fewer
 * rights than these can no longer inspect the process.
 */
void cred_commit(const struct cred *new);

/* Adjusts the capabilities of `new` to the change of user ids from `old` to `new`. */
void cred_fix_capabilities(struct cred *new, const struct cred *old);
/* As cred_fix_capabilities(), for the file-system user id alone (setfsuid). */
void cred_fix_fs_capabilities(struct cred *new, const struct cred *old);

/* The owner and mode of a program's file: for set-user-ID and set-group-ID. */
struct program_owner {
	uint32_t uid, gid, mode;
};
/* Computes the credentials after execve() of a file with this owner. *secure (AT_SECURE): the
 * program must not trust its environment. */
void cred_for_exec(struct cred *new, const struct program_owner *owner, bool *secure);

/* True if `gid` is the file-system group id, or a supplementary one, of the current task. */
bool cred_in_group(uint32_t gid);
/* Returns groups of the `count` sorted ids; NULL: no memory. */
struct groups *groups_new(const uint32_t *id, uint32_t count);

#endif
