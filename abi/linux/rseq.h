/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences. */
#ifndef ABI_LINUX_RSEQ_H
#define ABI_LINUX_RSEQ_H

#include <linux/types.h>

enum rseq_cpu_id_state { RSEQ_CPU_ID_UNINITIALIZED = -1 };

enum rseq_flags { RSEQ_FLAG_UNREGISTER = 1 };

struct rseq_cs {
	__u32 version, flags;
	__u64 start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

struct rseq {
	__u32 cpu_id_start, cpu_id;
	__u64 rseq_cs;
	__u32 flags;
} __attribute__((aligned(32)));

#endif
