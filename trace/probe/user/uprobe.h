/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in programs: positions in files, and their users. */
#ifndef TRACE_PROBE_UPROBE_H
#define TRACE_PROBE_UPROBE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"

struct frame;
struct inode;
struct uprobe;

/* A user of a probe. */
struct uprobe_user {
	bool returns; /* when the function that begins there returns, not when it is called */
	/* Context: task, interrupts enabled. `frame`: of ring 3, at the probe, or at the return
	 * address; `function`: the probe's address. */
	void (*hit)(struct uprobe_user *user, struct frame *frame, uint64_t function);
	struct uprobe *probe;
	struct list link; /* in probe->users */
};

/* Probes the instruction at the file's offset: 0, -EINVAL (invalid offset), -ENOTSUPP (524),
 * -ENOMEM. `semaphore`: the offset of a 16-bit word that counts probes in each address space that
 * may write it, equal for all users of a probe (-EINVAL), 0: none. Context of both: task. */
int uprobe_add(struct uprobe_user *user, struct inode *inode, uint64_t offset, uint64_t semaphore);
/* Removes the user; it is not called again after the return. */
void uprobe_remove(struct uprobe_user *user);

#endif
