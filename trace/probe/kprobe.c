/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in the kernel: none yet. */
#include "trace/probe/kprobe.h"
#include <linux/errno.h>

int kprobe_check(uint64_t address)
{
	(void)address;
	return -EINVAL;
}

int kprobe_add(struct kprobe_user *user, uint64_t address)
{
	(void)user;
	return kprobe_check(address);
}

void kprobe_remove(struct kprobe_user *user)
{
	(void)user;
}
