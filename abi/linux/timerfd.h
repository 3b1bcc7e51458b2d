/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of timer descriptors. */
#ifndef ABI_LINUX_TIMERFD_H
#define ABI_LINUX_TIMERFD_H

#include <linux/fcntl.h>

#define TFD_TIMER_ABSTIME       0x1
#define TFD_TIMER_CANCEL_ON_SET 0x2
#define TFD_NONBLOCK            04000
#define TFD_CLOEXEC             02000000

#endif
