/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal descriptors. */
#ifndef ABI_LINUX_SIGNALFD_H
#define ABI_LINUX_SIGNALFD_H

#include <linux/types.h>

#define SFD_NONBLOCK 04000
#define SFD_CLOEXEC  02000000

struct signalfd_siginfo {
	__u32 ssi_signo;
	__s32 ssi_errno, ssi_code;
	__u32 ssi_pid, ssi_uid;
	__s32 ssi_fd;
	__u32 ssi_tid, ssi_band, ssi_overrun, ssi_trapno;
	__s32 ssi_status, ssi_int;
	__u64 ssi_ptr, ssi_utime, ssi_stime, ssi_addr;
	__u16 ssi_addr_lsb, __reserved2;
	__s32 ssi_syscall;
	__u64 ssi_call_addr;
	__u32 ssi_arch;
	__u8 __reserved[28];
};

#endif
