/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in kernel code. */
#ifndef TRACE_PROBE_KPROBE_H
#define TRACE_PROBE_KPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/list.h"

struct frame;
struct kprobe;
struct probe_jump;

/* A user of a probe. */
struct kprobe_user {
	bool returns; /* when the function that begins there returns, not when it is called */
	/* Context: interrupts masked, not NMI. `frame`: at the probe, or at the return address. */
	void (*hit)(struct kprobe_user *user, struct frame *frame, uint64_t function);
	struct kprobe *probe;
	struct kprobe_user *next; /* of the same probe. Atomic */
};

/* Probes the instruction at the address: 0, -ENOENT (no code), -EINVAL (used by probes themselves),
 * -EILSEQ (not the start of an instruction), -ENOTSUPP (524), -ENOMEM. Context of both: task. */
int kprobe_add(struct kprobe_user *user, uint64_t address);
/* Removes the user; it is not called again after the return. */
void kprobe_remove(struct kprobe_user *user);
/* Checks that a probe is possible: 0, -ENOENT, -EINVAL, -EILSEQ, -ENOTSUPP, as above. Context:
 * task. */
int kprobe_check(uint64_t address);

/* ---- for jump.c. Context: task. ---- */

/* Allocates a slot for code: 0 with its address, or -ENOSPC. */
int kprobe_take_slot(uint64_t *slot);
/* True if the byte there is a probe. */
bool kprobe_is_on(uint64_t address);
/* A jump was set at the function for the first time. */
void kprobe_meet(const struct probe_jump *jump);
/* Copies code without probes and jumps; returns the number of bytes that are in the text. */
size_t kprobe_original(uint8_t *to, uint64_t address, size_t bytes);

#endif
