/* SPDX-License-Identifier: BSD-2-Clause */
/* The namespaces that all tasks are in: namespaces(7). There is one of each kind. */
#ifndef KERNEL_NAMESPACES_H
#define KERNEL_NAMESPACES_H

#include <stdint.h>

/* Those of perf's NAMESPACES records, in their order, and behind them the others. */
#define NR_NAMESPACES     7
#define NR_ALL_NAMESPACES 8
#define NAMESPACE_PID     3 /* its place among them */

#define NAMESPACE_DEVICE 1 /* the number of the device on which their inodes lie */

struct namespace
{
	const char *name;
	uint32_t number; /* Linux's, of those that it starts with; of its inode, too */
};

static const struct namespace namespaces[NR_ALL_NAMESPACES] = {
    {"net", 0xf0000000u},  {"uts", 0xeffffffeu}, {"ipc", 0xefffffffu},    {"pid", 0xeffffffcu},
    {"user", 0xeffffffdu}, {"mnt", 0xf0000001u}, {"cgroup", 0xeffffffbu}, {"time", 0xeffffffau},
};

#endif
