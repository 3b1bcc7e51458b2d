/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of memfd_create(). */
#ifndef ABI_LINUX_MEMFD_H
#define ABI_LINUX_MEMFD_H

#define MFD_CLOEXEC       0x1u
#define MFD_ALLOW_SEALING 0x2u
#define MFD_HUGETLB       0x4u

#endif
