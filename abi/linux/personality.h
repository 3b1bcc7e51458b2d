/* SPDX-License-Identifier: BSD-2-Clause */
/* Execution domains. */
#ifndef ABI_LINUX_PERSONALITY_H
#define ABI_LINUX_PERSONALITY_H

enum { ADDR_NO_RANDOMIZE = 0x40000 };

enum { PER_LINUX = 0 };

#endif
