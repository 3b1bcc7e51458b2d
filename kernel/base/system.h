/* SPDX-License-Identifier: BSD-2-Clause */
/* How the system names itself to programs. */
#ifndef KERNEL_SYSTEM_H
#define KERNEL_SYSTEM_H

/* The Linux whose interface this is. */
#define SYSTEM_NODE    "barepmu"
#define SYSTEM_RELEASE "6.1.0-barepmu"
#define SYSTEM_VERSION "#1 barepmu"

#endif
