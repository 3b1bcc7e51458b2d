/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of getrandom(). */
#ifndef ABI_LINUX_RANDOM_H
#define ABI_LINUX_RANDOM_H

#define GRND_NONBLOCK 0x1
#define GRND_RANDOM   0x2
#define GRND_INSECURE 0x4

#endif
