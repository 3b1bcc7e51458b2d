/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of wait4() and waitid(). */
#ifndef ABI_LINUX_WAIT_H
#define ABI_LINUX_WAIT_H

#define P_ALL   0
#define P_PID   1
#define P_PGID  2
#define P_PIDFD 3

#define WNOHANG     0x1
#define WSTOPPED    2
#define WUNTRACED   0x2
#define WEXITED     0x4
#define WCONTINUED  0x8
#define WNOWAIT     0x1000000
#define __WNOTHREAD 0x20000000
#define __WALL      0x40000000
#define __WCLONE    0x80000000

#endif
