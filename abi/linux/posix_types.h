/* SPDX-License-Identifier: BSD-2-Clause */
/* Types whose sizes the architecture decides. */
#ifndef ABI_LINUX_POSIX_TYPES_H
#define ABI_LINUX_POSIX_TYPES_H

typedef long __kernel_long_t;
typedef unsigned long __kernel_ulong_t, __kernel_size_t;
typedef int __kernel_pid_t, __kernel_key_t, __kernel_timer_t;
typedef unsigned int __kernel_uid32_t, __kernel_gid32_t;
typedef __kernel_long_t __kernel_clock_t, __kernel_old_time_t, __kernel_off_t;

#endif
