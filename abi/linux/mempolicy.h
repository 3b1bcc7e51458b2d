/* SPDX-License-Identifier: BSD-2-Clause */
/* Policies of memory nodes. */
#ifndef ABI_LINUX_MEMPOLICY_H
#define ABI_LINUX_MEMPOLICY_H

#define MPOL_F_NODE           0x1
#define MPOL_F_ADDR           0x2
#define MPOL_F_MEMS_ALLOWED   0x4
#define MPOL_F_NUMA_BALANCING 0x2000
#define MPOL_F_RELATIVE_NODES 0x4000
#define MPOL_F_STATIC_NODES   0x8000

#define MPOL_MF_STRICT   0x1
#define MPOL_MF_MOVE     0x2
#define MPOL_MF_MOVE_ALL 0x4

#define MPOL_MODE_FLAGS 0xe000

enum {
	MPOL_DEFAULT = 0,
	MPOL_PREFERRED = 1,
	MPOL_BIND = 2,
	MPOL_INTERLEAVE = 3,
	MPOL_LOCAL = 4,
	MPOL_MAX = 6
};

#endif
