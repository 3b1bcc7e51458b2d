/* SPDX-License-Identifier: BSD-2-Clause */
/* Architectures of system calls. */
#ifndef ABI_LINUX_AUDIT_H
#define ABI_LINUX_AUDIT_H

#define AUDIT_ARCH_X86_64 0xc000003e

#endif
