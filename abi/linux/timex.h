/* SPDX-License-Identifier: BSD-2-Clause */
/* The discipline of the clock: adjtimex(). */
#ifndef ABI_LINUX_TIMEX_H
#define ABI_LINUX_TIMEX_H

#define STA_UNSYNC 0x0040
#define TIME_ERROR 5

#endif
