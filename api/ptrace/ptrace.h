/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a stopped tracee, in ptrace(2)'s forms. Context of all: task, the tracee is
 * stopped. */
#ifndef API_PTRACE_H
#define API_PTRACE_H

#include <stdint.h>

struct task;

#define USER_REGISTERS  27  /* of struct user_regs_struct */
#define USER_BYTES      928 /* of struct user */
#define USER_DEBUG_REGS 848 /* where its debug registers begin */

/* `index` counts the members of struct user_regs_struct. register_set() returns 0, or -EIO for a
 * value that ring 3 could not load. */
uint64_t register_get(const struct task *task, unsigned index);
int register_set(struct task *task, unsigned index, uint64_t value);

/* Copies a set of registers between the tracee and the user's memory. `type`: NT_*. *bytes is the
 * room there, then the number copied. Returns 0, -EINVAL (no such set, or a malformed one), -EIO,
 * -EFAULT, -ENOMEM. */
int regset_get(struct task *task, uint32_t type, uint64_t user, uint64_t *bytes);
int regset_set(struct task *task, uint32_t type, uint64_t user, uint64_t *bytes);

#endif
