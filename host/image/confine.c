/* SPDX-License-Identifier: BSD-2-Clause */
/* Confinement of an untrusted program: it can read files and write to open descriptors, and nothing
 * else. seccomp(2). */
#include "host/image/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls that a dynamic loader needs to map files and to print. */
static const uint16_t allowed[] = {
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_close,
    SYS_stat,
    SYS_fstat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_lseek,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_madvise,
    SYS_brk,
    SYS_access,
    SYS_faccessat,
    SYS_readlink,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_uname,
    SYS_getpid,
    SYS_gettid,
    SYS_futex,
    SYS_arch_prctl,
    SYS_getrandom,
    SYS_execve,
    SYS_exit_group,
    SYS_set_tid_address,
    SYS_prlimit64,
    SYS_exit,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_rt_sigaction,
    SYS_clock_gettime,
    SYS_set_robust_list,
    SYS_fcntl,
};

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define FIELD(member) ((uint32_t)offsetof(struct seccomp_data, member))
#define LOAD(offset)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define END(action)   BPF_STMT(BPF_RET | BPF_K, action)
#define IF(value)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1) /* else the next but one */
#define IF_ANY(bits)  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1)
#define REFUSED       (SECCOMP_RET_ERRNO | EPERM)
#define WRITES        (O_ACCMODE | O_CREAT | O_TRUNC)
#define OPEN_ROWS     5 /* of the two calls that open files */
#define MOST          (4 + 2 * OPEN_ROWS + 2 * COUNT(allowed) + 1)

static void add(struct sock_fprog *program, struct sock_filter row)
{
	program->filter[program->len++] = row;
}

/* Adds an open call: read-only. `flags`: the offset of its flags argument. */
static void add_open(struct sock_fprog *program, uint32_t number, uint32_t flags)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
	add(program, (struct sock_filter)LOAD(flags));
	add(program, (struct sock_filter)IF_ANY(WRITES));
	add(program, (struct sock_filter)END(REFUSED));
	add(program, (struct sock_filter)END(SECCOMP_RET_ALLOW));
}

void confine_to_reading(void)
{
	struct sock_filter rows[MOST];
	struct sock_fprog program = {.len = 0, .filter = rows};

	add(&program, (struct sock_filter)LOAD(FIELD(arch)));
	add(&program,
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
	add(&program, (struct sock_filter)END(SECCOMP_RET_KILL_PROCESS));
	add(&program, (struct sock_filter)LOAD(FIELD(nr)));
	add_open(&program, SYS_open, FIELD(args[1]));
	add_open(&program, SYS_openat, FIELD(args[2]));
	for (size_t i = 0; i < COUNT(allowed); i++) {
		add(&program, (struct sock_filter)IF(allowed[i]));
		add(&program, (struct sock_filter)END(SECCOMP_RET_ALLOW));
	}
	add(&program, (struct sock_filter)END(REFUSED));
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
