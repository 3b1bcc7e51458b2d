/* SPDX-License-Identifier: BSD-2-Clause */
/* futex() and lists of robust mutexes. */
#ifndef ABI_LINUX_FUTEX_H
#define ABI_LINUX_FUTEX_H

#include <linux/types.h>

#define FUTEX_WAIT             0
#define FUTEX_WAKE             1
#define FUTEX_32               2
#define FUTEX_REQUEUE          3
#define FUTEX_CMP_REQUEUE      4
#define FUTEX_WAKE_OP          5
#define FUTEX_LOCK_PI          6
#define FUTEX_UNLOCK_PI        7
#define FUTEX_TRYLOCK_PI       8
#define FUTEX_WAIT_BITSET      9
#define FUTEX_WAKE_BITSET      10
#define FUTEX_WAIT_REQUEUE_PI  11
#define FUTEX_CMP_REQUEUE_PI   12
#define FUTEX_LOCK_PI2         13
#define FUTEX_PRIVATE_FLAG     128
#define FUTEX_WAITV_MAX        128
#define FUTEX_CLOCK_REALTIME   256
#define FUTEX_TID_MASK         0x3fffffff
#define FUTEX_OWNER_DIED       0x40000000
#define FUTEX_WAITERS          0x80000000
#define FUTEX_BITSET_MATCH_ANY 0xffffffff
#define FUTEX_CMD_MASK         (~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME))

#define FUTEX_OP_CMP_EQ      0
#define FUTEX_OP_ADD         1
#define FUTEX_OP_CMP_NE      1
#define FUTEX_OP_CMP_LT      2
#define FUTEX_OP_OR          2
#define FUTEX_OP_ANDN        3
#define FUTEX_OP_CMP_LE      3
#define FUTEX_OP_CMP_GT      4
#define FUTEX_OP_XOR         4
#define FUTEX_OP_CMP_GE      5
#define FUTEX_OP_OPARG_SHIFT 8

#define ROBUST_LIST_LIMIT 2048

struct futex_waitv {
	__u64 val, uaddr;
	__u32 flags, __reserved;
};

struct robust_list {
	struct robust_list *next;
};

struct robust_list_head {
	struct robust_list list;
	long futex_offset;
	struct robust_list *list_op_pending;
};

#endif
