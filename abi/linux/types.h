/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's fixed-width types. */
#ifndef ABI_LINUX_TYPES_H
#define ABI_LINUX_TYPES_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;

typedef unsigned int __poll_t;

#endif
