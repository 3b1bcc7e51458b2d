/* SPDX-License-Identifier: BSD-2-Clause */
/* poll(). */
#ifndef ABI_LINUX_POLL_H
#define ABI_LINUX_POLL_H

#include <asm/poll.h>

#endif
