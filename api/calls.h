/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls, with one prototype each; arguments are raw registers, results a value or a
 * negative errno. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include <stdint.h>

/* Context of all: task, interrupts enabled. */
long sys_bpf(uint64_t command, uint64_t attr, uint64_t size);
long sys_perf_event_open(uint64_t attr, uint64_t pid, uint64_t cpu, uint64_t group_fd,
			 uint64_t flags);

/* transfer.c */
long sys_read(uint64_t fd, uint64_t buffer, uint64_t bytes);
long sys_write(uint64_t fd, uint64_t buffer, uint64_t bytes);
long sys_pread64(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t offset);
long sys_pwrite64(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t offset);
long sys_readv(uint64_t fd, uint64_t vectors, uint64_t count);
long sys_writev(uint64_t fd, uint64_t vectors, uint64_t count);
long sys_preadv(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset);
long sys_pwritev(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset);
long sys_preadv2(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset, uint64_t high,
		 uint64_t flags);
long sys_pwritev2(uint64_t fd, uint64_t vectors, uint64_t count, uint64_t offset, uint64_t high,
		  uint64_t flags);
long sys_lseek(uint64_t fd, uint64_t offset, uint64_t whence);

/* copy.c */
long sys_copy_file_range(uint64_t in, uint64_t in_offset, uint64_t out, uint64_t out_offset,
			 uint64_t bytes, uint64_t flags);
long sys_sendfile(uint64_t out, uint64_t in, uint64_t in_offset, uint64_t bytes);

/* splice.c */
long sys_splice(uint64_t in, uint64_t in_offset, uint64_t out, uint64_t out_offset, uint64_t bytes,
		uint64_t flags);
long sys_tee(uint64_t in, uint64_t out, uint64_t bytes, uint64_t flags);
long sys_vmsplice(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags);

/* numa.c */
long sys_get_mempolicy(uint64_t mode_user, uint64_t user, uint64_t most, uint64_t address,
		       uint64_t flags);
long sys_set_mempolicy(uint64_t mode, uint64_t user, uint64_t most);
long sys_mbind(uint64_t address, uint64_t length, uint64_t mode, uint64_t user, uint64_t most,
	       uint64_t flags);

/* namespaces.c */
long sys_unshare(uint64_t flags);
long sys_setns(uint64_t fd, uint64_t kinds);

/* ptrace.c */
long sys_ptrace(uint64_t request, uint64_t pid, uint64_t address, uint64_t data);

/* process_vm.c */
long sys_process_vm_readv(uint64_t pid, uint64_t local, uint64_t local_count, uint64_t remote,
			  uint64_t remote_count, uint64_t flags);
long sys_process_vm_writev(uint64_t pid, uint64_t local, uint64_t local_count, uint64_t remote,
			   uint64_t remote_count, uint64_t flags);

/* open.c */
long sys_openat(uint64_t dirfd, uint64_t path, uint64_t flags64, uint64_t mode);
long sys_openat2(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t size);
/* Implement the calls on extended attributes. */
long sys_no_attributes(uint64_t path);
long sys_no_attributes_of_link(uint64_t path);
long sys_no_new_attributes(uint64_t path);
long sys_no_new_attributes_of_link(uint64_t path);
long sys_no_attributes_of_file(uint64_t fd);
long sys_open(uint64_t path, uint64_t flags, uint64_t mode);
long sys_creat(uint64_t path, uint64_t mode);
long sys_close(uint64_t fd);
long sys_close_range(uint64_t first, uint64_t last, uint64_t flags);
long sys_dup(uint64_t fd);
long sys_dup3(uint64_t fd, uint64_t new, uint64_t flags);
long sys_dup2(uint64_t fd, uint64_t new);
long sys_pipe2(uint64_t ends, uint64_t flags);
long sys_pipe(uint64_t ends);
long sys_fcntl(uint64_t fd, uint64_t command, uint64_t argument);
long sys_fadvise64(uint64_t fd, uint64_t offset, uint64_t length, uint64_t advice);
long sys_ioctl(uint64_t fd, uint64_t command, uint64_t argument);

/* poll.c */
long sys_poll(uint64_t user, uint64_t count, uint64_t timeout);
long sys_ppoll(uint64_t user, uint64_t count, uint64_t timeout, uint64_t mask, uint64_t size);
long sys_pselect6(uint64_t count, uint64_t in, uint64_t out, uint64_t except, uint64_t timeout,
		  uint64_t mask_user);
long sys_select(uint64_t count, uint64_t in, uint64_t out, uint64_t except, uint64_t timeout);

/* epoll.c */
long sys_epoll_create(uint64_t size);
long sys_inotify_init(void);
long sys_inotify_init1(uint64_t flags);
long sys_inotify_add_watch(uint64_t fd, uint64_t path, uint64_t mask64);
long sys_inotify_rm_watch(uint64_t fd, uint64_t wd);
long sys_epoll_create1(uint64_t flags);
long sys_epoll_ctl(uint64_t set_fd, uint64_t operation, uint64_t fd, uint64_t user);
long sys_epoll_wait(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout);
long sys_epoll_pwait(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout, uint64_t mask,
		     uint64_t size);
long sys_epoll_pwait2(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout, uint64_t mask,
		      uint64_t size);

/* stat.c */
long sys_newfstatat(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t flags);
long sys_stat(uint64_t path, uint64_t user);
long sys_lstat(uint64_t path, uint64_t user);
long sys_fstat(uint64_t fd, uint64_t user);
long sys_statx(uint64_t dirfd, uint64_t path, uint64_t flags, uint64_t mask, uint64_t user);
long sys_statfs(uint64_t path, uint64_t user);
long sys_mount(uint64_t source, uint64_t target, uint64_t type, uint64_t flags, uint64_t options);
long sys_umount2(uint64_t target, uint64_t flags);
long sys_name_to_handle_at(uint64_t dirfd, uint64_t path, uint64_t handle, uint64_t mount,
			   uint64_t flags);
long sys_fstatfs(uint64_t fd, uint64_t user);
long sys_faccessat2(uint64_t dirfd, uint64_t path, uint64_t mode, uint64_t flags);
long sys_faccessat(uint64_t dirfd, uint64_t path, uint64_t mode);
long sys_access(uint64_t path, uint64_t mode);
long sys_readlinkat(uint64_t dirfd, uint64_t path, uint64_t buffer, uint64_t bytes);
long sys_readlink(uint64_t path, uint64_t buffer, uint64_t bytes);
long sys_getdents64(uint64_t fd, uint64_t user, uint64_t bytes);

/* tree.c */
long sys_mkdirat(uint64_t dirfd, uint64_t path, uint64_t mode);
long sys_mkdir(uint64_t path, uint64_t mode);
long sys_mknodat(uint64_t dirfd, uint64_t path, uint64_t mode);
long sys_mknod(uint64_t path, uint64_t mode);
long sys_symlinkat(uint64_t target, uint64_t dirfd, uint64_t path);
long sys_symlink(uint64_t target, uint64_t path);
long sys_linkat(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path,
		uint64_t flags);
long sys_link(uint64_t old_path, uint64_t new_path);
long sys_unlinkat(uint64_t dirfd, uint64_t path, uint64_t flags);
long sys_unlink(uint64_t path);
long sys_rmdir(uint64_t path);
long sys_renameat2(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path,
		   uint64_t flags);
long sys_renameat(uint64_t old_dirfd, uint64_t old_path, uint64_t new_dirfd, uint64_t new_path);
long sys_rename(uint64_t old_path, uint64_t new_path);
long sys_truncate(uint64_t path, uint64_t size);
long sys_ftruncate(uint64_t fd, uint64_t size);
long sys_fallocate(uint64_t fd, uint64_t mode, uint64_t offset, uint64_t length);
long sys_fsync(uint64_t fd);
long sys_readahead(uint64_t fd);
long sys_sync_file_range(uint64_t fd, uint64_t offset, uint64_t bytes, uint64_t flags);
long sys_sync(void);
long sys_umask(uint64_t mask);
long sys_chdir(uint64_t path);
long sys_fchdir(uint64_t fd);
long sys_getcwd(uint64_t user, uint64_t size);

/* sysv.c */
long sys_shmget(uint64_t key, uint64_t bytes, uint64_t flags);
long sys_shmat(uint64_t id, uint64_t address, uint64_t flags);
long sys_shmdt(uint64_t address);
long sys_shmctl(uint64_t id, uint64_t command, uint64_t user);
long sys_semget(uint64_t key, uint64_t count, uint64_t flags);
long sys_semop(uint64_t id, uint64_t user, uint64_t count);
long sys_semtimedop(uint64_t id, uint64_t user, uint64_t count, uint64_t timeout);
long sys_semctl(uint64_t id, uint64_t number, uint64_t command, uint64_t argument);
long sys_msgget(uint64_t key, uint64_t flags);
long sys_msgsnd(uint64_t id, uint64_t user, uint64_t bytes, uint64_t flags);
long sys_msgrcv(uint64_t id, uint64_t user, uint64_t bytes, uint64_t type, uint64_t flags);
long sys_msgctl(uint64_t id, uint64_t command, uint64_t user);

/* memory.c */
long sys_mmap(uint64_t addr, uint64_t length, uint64_t prot, uint64_t flags, uint64_t fd,
	      uint64_t offset);
long sys_munmap(uint64_t addr, uint64_t length);
long sys_mprotect(uint64_t addr, uint64_t length, uint64_t prot);
long sys_mremap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint64_t flags,
		uint64_t new_addr);
long sys_brk(uint64_t addr);
long sys_madvise(uint64_t addr, uint64_t length, uint64_t advice);
long sys_msync(uint64_t addr, uint64_t length, uint64_t flags);
long sys_mincore(uint64_t addr, uint64_t length, uint64_t vector);
long sys_mlock(uint64_t addr, uint64_t length);
long sys_mlock2(uint64_t addr, uint64_t length, uint64_t flags);
long sys_munlock(uint64_t addr, uint64_t length);
long sys_mlockall(uint64_t flags);
long sys_munlockall(void);

/* process.c */
long sys_fork(void);
long sys_vfork(void);
long sys_clone(uint64_t flags, uint64_t stack, uint64_t parent_tid, uint64_t child_tid,
	       uint64_t tls);
long sys_clone3(uint64_t user, uint64_t size);
long sys_execveat(uint64_t dirfd, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags);
long sys_execve(uint64_t path, uint64_t argv, uint64_t envp);
long sys_exit(uint64_t status);
long sys_exit_group(uint64_t status);
long sys_wait4(uint64_t pid64, uint64_t status, uint64_t options, uint64_t usage);
long sys_waitid(uint64_t type, uint64_t id, uint64_t user_info, uint64_t options, uint64_t usage);
long sys_getpid(void);
long sys_gettid(void);
long sys_getppid(void);
long sys_set_tid_address(uint64_t addr);
long sys_getpgid(uint64_t pid);
long sys_getpgrp(void);
long sys_getsid(uint64_t pid);
long sys_setpgid(uint64_t pid, uint64_t pgid);
long sys_setsid(void);

/* credentials.c */
long sys_getuid(void);
long sys_getgid(void);
long sys_geteuid(void);
long sys_getegid(void);
long sys_setuid(uint64_t id);
long sys_setgid(uint64_t id);
long sys_setreuid(uint64_t real, uint64_t effective);
long sys_setregid(uint64_t real, uint64_t effective);
long sys_setresuid(uint64_t real, uint64_t effective, uint64_t saved);
long sys_setresgid(uint64_t real, uint64_t effective, uint64_t saved);
long sys_getresuid(uint64_t real, uint64_t effective, uint64_t saved);
long sys_getresgid(uint64_t real, uint64_t effective, uint64_t saved);
long sys_setfsuid(uint64_t id);
long sys_setfsgid(uint64_t id);
long sys_getgroups(uint64_t size, uint64_t user);
long sys_setgroups(uint64_t size, uint64_t user);

/* capabilities.c */
long sys_capget(uint64_t header_user, uint64_t data_user);
long sys_capset(uint64_t header_user, uint64_t data_user);
/* The options of prctl(2) about credentials; -EINVAL for others. */
long prctl_credentials(int option, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/* owner.c */
long sys_fchmodat(uint64_t dirfd, uint64_t path, uint64_t mode);
long sys_chmod(uint64_t path, uint64_t mode);
long sys_fchmod(uint64_t fd, uint64_t mode);
long sys_fchownat(uint64_t dirfd, uint64_t path, uint64_t uid, uint64_t gid, uint64_t flags);
long sys_chown(uint64_t path, uint64_t uid, uint64_t gid);
long sys_lchown(uint64_t path, uint64_t uid, uint64_t gid);
long sys_fchown(uint64_t fd, uint64_t uid, uint64_t gid);
long sys_utimensat(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t flags);
long sys_futimesat(uint64_t dirfd, uint64_t path, uint64_t user);
long sys_utimes(uint64_t path, uint64_t user);
long sys_utime(uint64_t path, uint64_t user);

/* signal.c */
long sys_rt_sigaction(uint64_t signo, uint64_t new_user, uint64_t old_user, uint64_t size);
long sys_rt_sigprocmask(uint64_t how, uint64_t set_user, uint64_t old_user, uint64_t size);
long sys_rt_sigpending(uint64_t user, uint64_t size);
long sys_pause(void);
long sys_rt_sigsuspend(uint64_t user, uint64_t size);
long sys_rt_sigtimedwait(uint64_t set_user, uint64_t info_user, uint64_t timeout_user,
			 uint64_t size);
long sys_sigaltstack(uint64_t new_user, uint64_t old_user);
long sys_rt_sigreturn(void);
long sys_kill(uint64_t pid64, uint64_t signo);
long sys_tgkill(uint64_t tgid, uint64_t tid, uint64_t signo);
long sys_tkill(uint64_t tid, uint64_t signo);
long sys_rt_sigqueueinfo(uint64_t pid, uint64_t signo, uint64_t user);
long sys_rt_tgsigqueueinfo(uint64_t tgid, uint64_t tid, uint64_t signo, uint64_t user);

/* clocks.c */
long sys_clock_gettime(uint64_t clock, uint64_t user);
long sys_clock_getres(uint64_t clock, uint64_t user);
long sys_clock_settime(uint64_t clock, uint64_t user);
long sys_adjtimex(uint64_t user);
long sys_clock_adjtime(uint64_t clock, uint64_t user);
long sys_ioprio_set(uint64_t which, uint64_t who, uint64_t value);
long sys_ioprio_get(uint64_t which, uint64_t who);
long sys_pidfd_getfd(uint64_t pidfd, uint64_t fd, uint64_t flags);
long sys_pkey_alloc(uint64_t flags, uint64_t rights);
long sys_pkey_free(void);
long sys_pkey_mprotect(uint64_t addr, uint64_t length, uint64_t prot, uint64_t key);

/* timer.c */
long sys_timer_create(uint64_t clock, uint64_t event_user, uint64_t id_user);
long sys_timer_settime(uint64_t id, uint64_t flags, uint64_t new_user, uint64_t old_user);
long sys_timer_gettime(uint64_t id, uint64_t user);
long sys_timer_getoverrun(uint64_t id);
long sys_timer_delete(uint64_t id);

/* timerfd.c */
long sys_timerfd_create(uint64_t clock, uint64_t flags);
long sys_timerfd_settime(uint64_t fd, uint64_t flags, uint64_t new_user, uint64_t old_user);
long sys_timerfd_gettime(uint64_t fd, uint64_t user);

/* signalfd.c */
long sys_signalfd4(uint64_t fd, uint64_t mask_user, uint64_t size, uint64_t flags);
long sys_signalfd(uint64_t fd, uint64_t mask_user, uint64_t size);

/* time.c */
long sys_gettimeofday(uint64_t user, uint64_t zone);
long sys_time(uint64_t user);
long sys_clock_nanosleep(uint64_t clock, uint64_t flags, uint64_t user, uint64_t left);
long sys_nanosleep(uint64_t user, uint64_t left);
long sys_getitimer(uint64_t which, uint64_t user);
long sys_setitimer(uint64_t which, uint64_t new_user, uint64_t old_user);
long sys_alarm(uint64_t seconds);

/* futex.c */
long sys_futex(uint64_t addr, uint64_t operation, uint64_t value, uint64_t timeout, uint64_t addr2,
	       uint64_t value3);
long sys_futex_waitv(uint64_t user, uint64_t count, uint64_t flags, uint64_t timeout,
		     uint64_t clock);
long sys_set_robust_list(uint64_t list, uint64_t bytes);
long sys_get_robust_list(uint64_t pid, uint64_t list_user, uint64_t bytes_user);

/* system.c */
long sys_uname(uint64_t user);
long sys_sethostname(uint64_t user, uint64_t length);
long sys_setdomainname(uint64_t user, uint64_t length);
long sys_sysinfo(uint64_t user);
long sys_getrusage(uint64_t who, uint64_t user);
long sys_times(uint64_t user);
long sys_prlimit64(uint64_t pid, uint64_t resource, uint64_t new_user, uint64_t old_user);
long sys_getrlimit(uint64_t resource, uint64_t user);
long sys_setrlimit(uint64_t resource, uint64_t user);
long sys_getrandom(uint64_t buffer, uint64_t bytes, uint64_t flags);
long sys_arch_prctl(uint64_t option, uint64_t value);
long sys_sched_yield(void);
long sys_getcpu(uint64_t cpu, uint64_t node);
long sys_sched_getaffinity(uint64_t pid, uint64_t bytes, uint64_t user);
long sys_sched_setaffinity(uint64_t pid, uint64_t bytes, uint64_t user);

/* sched.c */
long sys_sched_setscheduler(uint64_t pid, uint64_t policy, uint64_t user);
long sys_sched_setparam(uint64_t pid, uint64_t user);
long sys_sched_getscheduler(uint64_t pid);
long sys_sched_getparam(uint64_t pid, uint64_t user);
long sys_sched_setattr(uint64_t pid, uint64_t user, uint64_t flags);
long sys_sched_getattr(uint64_t pid, uint64_t user, uint64_t size, uint64_t flags);
long sys_sched_get_priority_max(uint64_t policy);
long sys_sched_get_priority_min(uint64_t policy);
long sys_sched_rr_get_interval(uint64_t pid, uint64_t user);
long sys_getpriority(uint64_t which, uint64_t who);
long sys_setpriority(uint64_t which, uint64_t who, uint64_t value);

/* prctl.c */
long sys_prctl(uint64_t option, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);
long sys_personality(uint64_t persona);

/* membarrier.c */
long sys_rseq(uint64_t area, uint64_t bytes, uint64_t flags, uint64_t signature);
long sys_membarrier(uint64_t command, uint64_t flags);

/* pidfd.c */
long sys_pidfd_open(uint64_t pid, uint64_t flags);
long sys_pidfd_send_signal(uint64_t fd, uint64_t signo, uint64_t info, uint64_t flags);

/* locks.c */
long sys_flock(uint64_t fd, uint64_t operation);

/* memfd.c */
long sys_memfd_create(uint64_t name, uint64_t flags);

/* socket.c */
long sys_socket(uint64_t family, uint64_t type, uint64_t protocol);
long sys_socketpair(uint64_t family, uint64_t type, uint64_t protocol, uint64_t user);
long sys_sendto(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t flags, uint64_t name,
		uint64_t name_bytes);
long sys_recvfrom(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t flags, uint64_t name,
		  uint64_t name_bytes);
long sys_sendmmsg(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags);
long sys_recvmmsg(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags, uint64_t timeout);
long sys_sendmsg(uint64_t fd, uint64_t user, uint64_t flags);
long sys_recvmsg(uint64_t fd, uint64_t user, uint64_t flags);
long sys_shutdown(uint64_t fd, uint64_t how);
long sys_getsockname(uint64_t fd, uint64_t user, uint64_t bytes);
long sys_getpeername(uint64_t fd, uint64_t user, uint64_t bytes);
long sys_getsockopt(uint64_t fd, uint64_t level, uint64_t option, uint64_t user, uint64_t bytes);
long sys_setsockopt(uint64_t fd, uint64_t level, uint64_t option, uint64_t user, uint64_t bytes);
long sys_bind(uint64_t fd, uint64_t user, uint64_t bytes);
long sys_listen(uint64_t fd, uint64_t backlog);
long sys_connect(uint64_t fd, uint64_t user, uint64_t bytes);
long sys_accept(uint64_t fd, uint64_t user, uint64_t bytes_user);
long sys_accept4(uint64_t fd, uint64_t user, uint64_t bytes_user, uint64_t flags);

/* eventfd.c */
long sys_eventfd2(uint64_t value, uint64_t flags);
long sys_eventfd(uint64_t value);

#endif
