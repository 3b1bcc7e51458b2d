/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of prctl(). */
#ifndef ABI_LINUX_PRCTL_H
#define ABI_LINUX_PRCTL_H

#define PR_SET_PDEATHSIG            1
#define PR_TSC_ENABLE               1
#define PR_TSC_SIGSEGV              2
#define PR_GET_PDEATHSIG            2
#define PR_GET_DUMPABLE             3
#define PR_SET_DUMPABLE             4
#define PR_GET_KEEPCAPS             7
#define PR_SET_KEEPCAPS             8
#define PR_SET_NAME                 15
#define PR_GET_NAME                 16
#define PR_GET_SECCOMP              21
#define PR_CAPBSET_READ             23
#define PR_CAPBSET_DROP             24
#define PR_GET_TSC                  25
#define PR_SET_TSC                  26
#define PR_GET_SECUREBITS           27
#define PR_SET_SECUREBITS           28
#define PR_SET_TIMERSLACK           29
#define PR_GET_TIMERSLACK           30
#define PR_TASK_PERF_EVENTS_DISABLE 31
#define PR_TASK_PERF_EVENTS_ENABLE  32
#define PR_SET_MM                   35
#define PR_SET_CHILD_SUBREAPER      36
#define PR_GET_CHILD_SUBREAPER      37
#define PR_SET_NO_NEW_PRIVS         38
#define PR_GET_NO_NEW_PRIVS         39
#define PR_GET_TID_ADDRESS          40
#define PR_GET_THP_DISABLE          42

#define PR_CAP_AMBIENT_IS_SET    1
#define PR_CAP_AMBIENT_RAISE     2
#define PR_CAP_AMBIENT_LOWER     3
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#define PR_CAP_AMBIENT           47

#endif
