/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals and their information. */
#ifndef ABI_LINUX_SIGNAL_H
#define ABI_LINUX_SIGNAL_H

#include <linux/posix_types.h>
#include <linux/types.h>

#define BUS_ADRALN 1
#define BUS_ADRERR 2

#define CLD_EXITED    1
#define CLD_KILLED    2
#define CLD_DUMPED    3
#define CLD_TRAPPED   4
#define CLD_STOPPED   5
#define CLD_CONTINUED 6

#define FPE_INTDIV 1
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7

#define ILL_ILLOPN 2

#define POLL_IN  1
#define POLL_OUT 2
#define POLL_ERR 4
#define POLL_HUP 6

#define SEGV_MAPERR 1
#define SEGV_ACCERR 2

#define SIGEV_SIGNAL    0
#define SIGEV_NONE      1
#define SIGEV_THREAD    2
#define SIGEV_THREAD_ID 4

#define SI_USER   0
#define SI_KERNEL 0x80
#define SI_TKILL  (-6)
#define SI_TIMER  (-2)

#define TRAP_BRKPT           1
#define TRAP_PERF_FLAG_ASYNC 0x1
#define TRAP_TRACE           2
#define TRAP_HWBKPT          4
#define TRAP_PERF            6

#define SA_NOCLDSTOP 0x1
#define SA_NOCLDWAIT 0x2
#define SA_RESTORER  0x4000000
#define SA_ONSTACK   0x8000000
#define SA_RESTART   0x10000000
#define SA_NODEFER   0x40000000
#define SA_RESETHAND 0x80000000

#define SIG_BLOCK   0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

#define SIGINT      2
#define SIGQUIT     3
#define SIGILL      4
#define SIGTRAP     5
#define SIGABRT     6
#define SIGBUS      7
#define SIGFPE      8
#define SIGKILL     9
#define SIGSEGV     11
#define SIGPIPE     13
#define SIGALRM     14
#define SIGCHLD     17
#define SIGCONT     18
#define SIGSTOP     19
#define SIGTSTP     20
#define SIGTTIN     21
#define SIGTTOU     22
#define SIGURG      23
#define SIGXCPU     24
#define SIGXFSZ     25
#define SIGVTALRM   26
#define SIGPROF     27
#define SIGWINCH    28
#define SIGIO       29
#define SIGSYS      31
#define MINSIGSTKSZ 2048

#define SS_ONSTACK    1
#define SS_DISABLE    2
#define SS_AUTODISARM 0x80000000u

typedef unsigned long sigset_t;
typedef void (*__sighandler_t)(int);

#define SIG_DFL ((__sighandler_t)0)
#define SIG_IGN ((__sighandler_t)1)

typedef struct sigaltstack {
	void *ss_sp;
	int ss_flags;
	__kernel_size_t ss_size;
} stack_t;

typedef union sigval {
	int sival_int;
	void *sival_ptr;
} sigval_t;

typedef struct siginfo {
	int si_signo, si_errno, si_code;
	union {
		int _pad[28];
		struct {
			__kernel_pid_t _pid;
			__kernel_uid32_t _uid;
		} _kill;
		struct {
			__kernel_timer_t _tid;
			int _overrun;
			sigval_t _sigval;
		} _timer;
		struct {
			__kernel_pid_t _pid;
			__kernel_uid32_t _uid;
			sigval_t _sigval;
		} _rt;
		struct {
			__kernel_pid_t _pid;
			__kernel_uid32_t _uid;
			int _status;
			__kernel_clock_t _utime, _stime;
		} _sigchld;
		struct {
			void *_addr;
			struct {
				unsigned long _data;
				__u32 _type, _flags;
			} _perf;
		} _sigfault;
		struct {
			long _band;
			int _fd;
		} _sigpoll;
	} _sifields __attribute__((aligned(8)));
} siginfo_t;

#define si_pid        _sifields._kill._pid
#define si_uid        _sifields._kill._uid
#define si_tid        _sifields._timer._tid
#define si_overrun    _sifields._timer._overrun
#define si_value      _sifields._rt._sigval
#define si_int        _sifields._rt._sigval.sival_int
#define si_ptr        _sifields._rt._sigval.sival_ptr
#define si_status     _sifields._sigchld._status
#define si_utime      _sifields._sigchld._utime
#define si_stime      _sifields._sigchld._stime
#define si_addr       _sifields._sigfault._addr
#define si_perf_data  _sifields._sigfault._perf._data
#define si_perf_type  _sifields._sigfault._perf._type
#define si_perf_flags _sifields._sigfault._perf._flags
#define si_band       _sifields._sigpoll._band
#define si_fd         _sifields._sigpoll._fd

typedef struct sigevent {
	sigval_t sigev_value;
	int sigev_signo, sigev_notify;
	union {
		int _pad[12];
		int _tid;
	} _sigev_un;
} sigevent_t;

#define sigev_notify_thread_id _sigev_un._tid

#endif
