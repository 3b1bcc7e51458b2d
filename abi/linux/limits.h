/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of names, groups and pipes. */
#ifndef ABI_LINUX_LIMITS_H
#define ABI_LINUX_LIMITS_H

#define NGROUPS_MAX 65536

#define PIPE_BUF 4096

#endif
