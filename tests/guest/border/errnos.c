/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls with bad arguments: the errno that Linux gives for each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define BAD     ((long)0xffff800000000000) /* never a user address */
#define NOWHERE 16l                        /* never mapped */
#define NO_FD   999l

static char buffer[256];
static const struct iovec too_long[2] = {{NULL, SSIZE_MAX}, {NULL, SSIZE_MAX}};
static const struct iovec negative[1] = {{buffer, (size_t)-1}};
static const struct timespec odd_time = {.tv_nsec = 1000000000};
static const struct rlimit crossed = {.rlim_cur = 2, .rlim_max = 1};
static const char long_name[300] = {[0 ... 298] = 'n'};
static char long_path[5000] = {[0 ... 4998] = 'p'};

static const struct {
	const char *name;
	long number;
	long arguments[6];
	int wanted;
} calls[] = {
    {"read of no descriptor", SYS_read, {NO_FD, (long)buffer, 1}, EBADF},
    {"read of descriptor -1", SYS_read, {-1, (long)buffer, 1}, EBADF},
    {"write of no descriptor", SYS_write, {NO_FD, (long)buffer, 1}, EBADF},
    {"readv with 1025 vectors", SYS_readv, {0, (long)buffer, 1025}, EINVAL},
    {"writev of more bytes than there are", SYS_writev, {1, (long)too_long, 2}, EFAULT},
    {"writev of a negative length", SYS_writev, {1, (long)negative, 1}, EINVAL},
    {"writev from a bad address", SYS_writev, {1, NOWHERE, 1}, EFAULT},
    {"pread at a negative offset", SYS_pread64, {0, (long)buffer, 1, -1}, EINVAL},
    {"lseek of no descriptor", SYS_lseek, {NO_FD, 0, 0}, EBADF},
    {"open of a bad address", SYS_open, {BAD, O_RDONLY}, EFAULT},
    {"open of address 16", SYS_open, {NOWHERE, O_RDONLY}, EFAULT},
    {"open of an empty path", SYS_open, {(long)"", O_RDONLY}, ENOENT},
    {"open of a name that is too long", SYS_open, {(long)long_name, O_RDONLY}, ENAMETOOLONG},
    {"open of a path that is too long", SYS_open, {(long)long_path, O_RDONLY}, ENAMETOOLONG},
    {"open of nothing", SYS_open, {(long)"/nothing", O_RDONLY}, ENOENT},
    {"open below nothing", SYS_open, {(long)"/nothing/below", O_RDONLY | O_CREAT, 0600}, ENOENT},
    {"open below a device", SYS_open, {(long)"/dev/null/below", O_RDONLY}, ENOTDIR},
    {"open of a directory for writing", SYS_open, {(long)"/tmp", O_WRONLY}, EISDIR},
    {"open of a directory with O_CREAT", SYS_open, {(long)"/tmp", O_CREAT, 0600}, EISDIR},
    {"open of a device as a directory", SYS_open, {(long)"/dev/null", O_DIRECTORY}, ENOTDIR},
    {"open exclusively of what is there", SYS_open, {(long)"/tmp", O_CREAT | O_EXCL, 0600}, EEXIST},
    {"openat below no descriptor", SYS_openat, {NO_FD, (long)"name", O_RDONLY}, EBADF},
    {"openat below a device", SYS_openat, {3, (long)"name", O_RDONLY}, ENOTDIR},
    {"close of no descriptor", SYS_close, {NO_FD}, EBADF},
    {"dup of no descriptor", SYS_dup, {NO_FD}, EBADF},
    {"dup2 to a number beyond the limit", SYS_dup2, {3, 1 << 30}, EBADF},
    {"dup3 to itself", SYS_dup3, {3, 3, 0}, EINVAL},
    {"dup3 with unknown flags", SYS_dup3, {3, 5, 1}, EINVAL},
    {"pipe2 with unknown flags", SYS_pipe2, {(long)buffer, 1}, EINVAL},
    {"pipe to a bad address", SYS_pipe, {NOWHERE}, EFAULT},
    {"fcntl of no descriptor", SYS_fcntl, {NO_FD, F_GETFD}, EBADF},
    {"fcntl with an unknown command", SYS_fcntl, {3, 12345}, EINVAL},
    {"F_DUPFD from beyond the limit", SYS_fcntl, {3, F_DUPFD, 1 << 30}, EINVAL},
    {"F_SETSIG of no signal", SYS_fcntl, {3, F_SETSIG, 65}, EINVAL},
    {"ioctl of no descriptor", SYS_ioctl, {NO_FD, 0x5401, (long)buffer}, EBADF},
    {"TCGETS of a device that is no terminal", SYS_ioctl, {3, 0x5401, (long)buffer}, ENOTTY},
    {"stat to a bad address", SYS_stat, {(long)"/", NOWHERE}, EFAULT},
    {"fstat of no descriptor", SYS_fstat, {NO_FD, (long)buffer}, EBADF},
    {"newfstatat with unknown flags",
     SYS_newfstatat,
     {AT_FDCWD, (long)"/", (long)buffer, 1 << 30},
     EINVAL},
    {"access with an unknown mode", SYS_access, {(long)"/", 8}, EINVAL},
    {"access to execute what nobody may", SYS_access, {(long)"/dev/null", X_OK}, EACCES},
    {"readlink of a directory", SYS_readlink, {(long)"/tmp", (long)buffer, 10}, EINVAL},
    {"readlink of no bytes", SYS_readlink, {(long)"/proc/self", (long)buffer, 0}, EINVAL},
    {"getdents64 of a device", SYS_getdents64, {3, (long)buffer, 256}, ENOTDIR},
    {"mkdir of what is there", SYS_mkdir, {(long)"/tmp", 0755}, EEXIST},
    {"mkdir of the root", SYS_mkdir, {(long)"/", 0755}, EEXIST},
    {"rmdir of a device", SYS_rmdir, {(long)"/dev/null"}, ENOTDIR},
    {"rmdir of .", SYS_rmdir, {(long)"/tmp/."}, EINVAL},
    {"rmdir of ..", SYS_rmdir, {(long)"/tmp/.."}, ENOTEMPTY},
    {"unlink of a directory", SYS_unlink, {(long)"/tmp"}, EISDIR},
    {"unlink of nothing", SYS_unlink, {(long)"/tmp/nothing"}, ENOENT},
    {"unlinkat with unknown flags", SYS_unlinkat, {AT_FDCWD, (long)"/tmp/nothing", 1}, EINVAL},
    {"link of a directory", SYS_link, {(long)"/tmp", (long)"/tmp/link"}, EPERM},
    {"symlink with an empty target", SYS_symlink, {(long)"", (long)"/tmp/link"}, ENOENT},
    {"rename of nothing", SYS_rename, {(long)"/tmp/nothing", (long)"/tmp/x"}, ENOENT},
    {"truncate to a negative size", SYS_truncate, {(long)"/dev/null", -1}, EINVAL},
    {"truncate of a directory", SYS_truncate, {(long)"/tmp", 0}, EISDIR},
    {"ftruncate of a descriptor for reading", SYS_ftruncate, {3, 0}, EINVAL},
    {"open of the running program for writing",
     SYS_open,
     {(long)"/proc/self/exe", O_WRONLY},
     ETXTBSY},
    {"truncate of the running program", SYS_truncate, {(long)"/proc/self/exe", 0}, ETXTBSY},
    {"chdir to a device", SYS_chdir, {(long)"/dev/null"}, ENOTDIR},
    {"fchdir to a device", SYS_fchdir, {3}, ENOTDIR},
    {"getcwd of 1 byte", SYS_getcwd, {(long)buffer, 1}, ERANGE},
    {"mmap at an odd offset", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE, 3, 1}, EINVAL},
    {"mmap of length 0", SYS_mmap, {0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}, EINVAL},
    {"mmap at an odd fixed address",
     SYS_mmap,
     {4097, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0},
     EINVAL},
    {"mmap beyond ring 3",
     SYS_mmap,
     {1l << 56, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0},
     ENOMEM},
    {"mprotect of an odd address", SYS_mprotect, {4097, 4096, PROT_READ}, EINVAL},
    {"mprotect of nothing", SYS_mprotect, {1 << 20, 4096, PROT_READ}, ENOMEM},
    {"munmap of length 0", SYS_munmap, {4096, 0}, EINVAL},
    {"mremap of nothing", SYS_mremap, {1 << 20, 4096, 8192, MREMAP_MAYMOVE}, EFAULT},
    {"mremap to length 0", SYS_mremap, {1 << 20, 4096, 0, 0}, EINVAL},
    {"madvise of nothing", SYS_madvise, {1 << 20, 4096, MADV_DONTNEED}, ENOMEM},
    {"msync with both kinds", SYS_msync, {1 << 20, 4096, MS_SYNC | MS_ASYNC}, EINVAL},
    {"msync of nothing", SYS_msync, {1 << 20, 4096, MS_SYNC}, ENOMEM},
    {"mincore of an odd address", SYS_mincore, {4097, 4096, (long)buffer}, EINVAL},
    {"clone of a thread without its memory",
     SYS_clone,
     {CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0},
     EINVAL},
    {"clone of a thread without handlers",
     SYS_clone,
     {CLONE_THREAD | CLONE_VM, 0, 0, 0, 0},
     EINVAL},
    {"execve of nothing", SYS_execve, {(long)"/nothing", 0, 0}, ENOENT},
    {"execve of a directory", SYS_execve, {(long)"/tmp", 0, 0}, EACCES},
    {"wait4 with unknown options", SYS_wait4, {-1, 0, 0x100, 0}, EINVAL},
    {"wait4 without children", SYS_wait4, {-1, 0, 0, 0}, ECHILD},
    {"waitid without a kind of change", SYS_waitid, {0, 0, (long)buffer, 0, 0}, EINVAL},
    {"waitid for an unknown kind of process", SYS_waitid, {77, 1, (long)buffer, 4, 0}, EINVAL},
    {"kill of no process", SYS_kill, {999999, SIGTERM}, ESRCH},
    {"kill with no signal", SYS_kill, {1, 65}, EINVAL},
    {"tgkill of process 0", SYS_tgkill, {0, 1, SIGTERM}, EINVAL},
    {"tkill of no thread", SYS_tkill, {999999, SIGTERM}, ESRCH},
    {"rt_sigaction of signal 0", SYS_rt_sigaction, {0, 0, 0, 8}, EINVAL},
    {"rt_sigaction of signal 65", SYS_rt_sigaction, {65, 0, 0, 8}, EINVAL},
    {"rt_sigaction with a mask of 4 bytes", SYS_rt_sigaction, {SIGUSR1, 0, 0, 4}, EINVAL},
    {"rt_sigaction of SIGKILL", SYS_rt_sigaction, {SIGKILL, (long)buffer, 0, 8}, EINVAL},
    {"rt_sigprocmask in an unknown way", SYS_rt_sigprocmask, {9, (long)buffer, 0, 8}, EINVAL},
    {"rt_sigprocmask from a bad address", SYS_rt_sigprocmask, {SIG_BLOCK, NOWHERE, 0, 8}, EFAULT},
    {"rt_sigsuspend with a mask of 4 bytes", SYS_rt_sigsuspend, {(long)buffer, 4}, EINVAL},
    {"nanosleep of a bad time", SYS_nanosleep, {(long)&odd_time, 0}, EINVAL},
    {"nanosleep from a bad address", SYS_nanosleep, {NOWHERE, 0}, EFAULT},
    {"clock_gettime of no clock", SYS_clock_gettime, {99, (long)buffer}, EINVAL},
    {"clock_gettime to a bad address", SYS_clock_gettime, {CLOCK_MONOTONIC, NOWHERE}, EFAULT},
    {"clock_nanosleep on a thread's clock",
     SYS_clock_nanosleep,
     {CLOCK_THREAD_CPUTIME_ID, 0, (long)&odd_time, 0},
     EOPNOTSUPP},
    {"setitimer of no timer", SYS_setitimer, {9, (long)buffer, 0}, EINVAL},
    {"poll of a bad address", SYS_poll, {NOWHERE, 1, 0}, EFAULT},
    {"poll of more than there can be", SYS_poll, {(long)buffer, 1 << 30, 0}, EINVAL},
    {"select of -1 descriptors", SYS_select, {-1, 0, 0, 0, 0}, EINVAL},
    {"futex on an odd address", SYS_futex, {(long)buffer + 1, 0, 0, 0}, EINVAL},
    {"futex in an unknown way", SYS_futex, {(long)buffer, 100, 0, 0}, ENOSYS},
    {"futex wait for another value", SYS_futex, {(long)buffer, 128, 77, 0}, EAGAIN},
    {"getrusage of nobody", SYS_getrusage, {7, (long)buffer}, EINVAL},
    {"getrlimit of nothing", SYS_getrlimit, {16, (long)buffer}, EINVAL},
    {"setrlimit above its own maximum", SYS_setrlimit, {RLIMIT_CORE, (long)&crossed}, EINVAL},
    {"prlimit64 of no process", SYS_prlimit64, {999999, RLIMIT_CORE, 0, (long)buffer}, ESRCH},
    {"getrandom with unknown flags", SYS_getrandom, {(long)buffer, 1, 64}, EINVAL},
    {"getrandom to a bad address", SYS_getrandom, {NOWHERE, 1, 0}, EFAULT},
    {"prctl with an unknown option", SYS_prctl, {12345}, EINVAL},
    {"arch_prctl with an unknown option", SYS_arch_prctl, {12345, 0}, EINVAL},
    {"arch_prctl of a kernel address", SYS_arch_prctl, {0x1001, BAD}, EPERM},
    {"sched_getaffinity of no process", SYS_sched_getaffinity, {999999, 128, (long)buffer}, ESRCH},
    {"sched_setaffinity to no processor",
     SYS_sched_setaffinity,
     {0, 8, (long)long_path + 4992},
     EINVAL},
    {"getpgid of no process", SYS_getpgid, {999999}, ESRCH},
    {"setpgid of a negative group", SYS_setpgid, {0, -1}, EINVAL},
    {"uname to a bad address", SYS_uname, {NOWHERE}, EFAULT},
    {"sigaltstack from a bad address", SYS_sigaltstack, {NOWHERE, 0}, EFAULT},
    {"system call 1000", 1000, {0}, ENOSYS},
    {"system call -1", -1, {0}, ENOSYS},
};

int main(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd != 3) {
		dup2(fd, 3);
		close(fd);
	}
	memset(long_path + 4992, 0, 8); /* also an empty set of processors */
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const long *a = calls[i].arguments;
		long result = syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
		int got = result == -1 ? errno : 0;

		if (!ok(got == calls[i].wanted, "%s is %s", calls[i].name,
			strerror(calls[i].wanted)))
			printf("# got %d (%s), result %ld\n", got, strerror(got), result);
	}
	return tap_end();
}
