/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes of arch_prctl(). */
#ifndef ABI_ASM_PRCTL_H
#define ABI_ASM_PRCTL_H

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

#endif
