/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers that the kernel finds in structs, or keeps and uses later. */
#include "tests/debug/pointers.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <ucontext.h>

#define TRACKED 0x1000 /* CLONE_PIDFD */

static char stack[4 * PAGE] __attribute__((aligned(16)));

/* ---- robust lists ---- */

struct robust {
	uint64_t next;
	int64_t offset;
	uint64_t pending;
};

static void robust_head(uint64_t address)
{
	syscall(SYS_set_robust_list, address, sizeof(struct robust));
}

static void robust_entry(uint64_t address)
{
	static struct robust head;

	head = (struct robust){address, 0, 0};
	syscall(SYS_set_robust_list, &head, sizeof(head));
}

static void robust_pending(uint64_t address)
{
	static struct robust head;

	head = (struct robust){(uint64_t)(uintptr_t)&head, 0, address};
	syscall(SYS_set_robust_list, &head, sizeof(head));
}

static void robust_offset(uint64_t address)
{
	static struct robust head;
	static uint64_t entry;

	entry = (uint64_t)(uintptr_t)&head;
	head = (struct robust){(uint64_t)(uintptr_t)&entry,
			       (int64_t)(address - (uint64_t)(uintptr_t)&entry), 0};
	syscall(SYS_set_robust_list, &head, sizeof(head));
}

/* ---- clone ---- */

static void clone_with(uint64_t flags, uint64_t parent_tid, uint64_t child_tid)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, parent_tid, child_tid, 0);

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
}

static void parent_tid(uint64_t address)
{
	clone_with(CLONE_PARENT_SETTID, address, 0);
}

static void child_tid(uint64_t address)
{
	clone_with(CLONE_CHILD_SETTID, 0, address);
}

static void cleared_tid(uint64_t address)
{
	clone_with(CLONE_CHILD_CLEARTID | CLONE_VM | CLONE_VFORK, 0, address);
}

static void pidfd(uint64_t address)
{
	clone_with(TRACKED, address, 0);
}

static void tid_address(uint64_t address)
{
	syscall(SYS_set_tid_address, address);
}

/* Thread-local storage, stack, ids of clone3. */
static void clone3_fields(uint64_t address)
{
	uint64_t arguments[8] = {0};

	for (unsigned field = 0; field < 8; field++) {
		long pid;

		memset(arguments, 0, sizeof(arguments));
		arguments[0] = TRACKED | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
			       CLONE_CHILD_CLEARTID | CLONE_SETTLS;
		arguments[4] = SIGCHLD;
		if (field != 0 && field != 4)
			arguments[field] = address;
		if (field == 6)
			arguments[5] = address;
		pid = syscall(435, arguments, sizeof(arguments));
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid((pid_t)pid, NULL, 0);
	}
}

/* ---- signals ---- */

static void nothing(int signo)
{
	(void)signo;
}

static void alternate_stack(uint64_t address)
{
	stack_t alternate = {.ss_sp = (void *)address, .ss_size = 16384};
	struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_ONSTACK};

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void handler(uint64_t address)
{
	uint64_t action[4] = {address, 0x04000000, (uint64_t)(uintptr_t)nothing, 0};

	syscall(SYS_rt_sigaction, SIGUSR1, action, NULL, 8);
	raise(SIGUSR1);
}

static void restorer(uint64_t address)
{
	uint64_t action[4] = {(uint64_t)(uintptr_t)nothing, 0x04000000, address, 0};

	syscall(SYS_rt_sigaction, SIGUSR1, action, NULL, 8);
	raise(SIGUSR1);
}

/* The frame goes where the stack pointer points. */
static void stack_pointer(uint64_t address)
{
	struct sigaction action = {.sa_handler = nothing};

	sigaction(SIGUSR1, &action, NULL);
	__asm__ volatile("mov %%rsp, %%r12; mov %0, %%rsp; syscall; mov %%r12, %%rsp"
			 :
			 : "r"(address + 2048), "a"((long)SYS_kill), "D"((long)getpid()),
			   "S"((long)SIGUSR1)
			 : "rcx", "r11", "r12", "memory");
}

static uint64_t returned_to;

static void change_frame(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)info;
	if (signo == SIGUSR1)
		user->uc_mcontext.gregs[REG_RIP] = (long long)returned_to;
	else if (signo == SIGUSR2)
		user->uc_mcontext.gregs[REG_RSP] = (long long)returned_to;
	else
		user->uc_mcontext.fpregs = (void *)returned_to;
}

static void return_with(int signo, uint64_t address)
{
	struct sigaction action = {.sa_sigaction = change_frame, .sa_flags = SA_SIGINFO};

	returned_to = address;
	sigaction(signo, &action, NULL);
	raise(signo);
}

static void frame_rip(uint64_t address)
{
	return_with(SIGUSR1, address);
}

static void frame_rsp(uint64_t address)
{
	return_with(SIGUSR2, address);
}

static void frame_vectors(uint64_t address)
{
	return_with(SIGRTMIN, address);
}

static void queued_value(uint64_t address)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGUSR1,
				 .sigev_value.sival_ptr = (void *)address};
	struct sigaction action = {.sa_handler = nothing};
	struct itimerspec soon = {.it_value.tv_nsec = 1000};
	sigset_t own, before;
	timer_t timer;

	sigemptyset(&own);
	sigaddset(&own, SIGUSR1);
	sigprocmask(SIG_BLOCK, &own, &before); /* it may come before anybody waits for it */
	sigaction(SIGUSR1, &action, NULL);
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &soon, NULL))
		sigsuspend(&before);
}

/* ---- vectors and messages ---- */

static void vectors(uint64_t address)
{
	struct iovec hostile[2] = {{stack, 16}, {(void *)address, 64}}, own = {stack, 4096};
	int fd = open("/tmp/pointed", O_RDWR | O_CREAT, 0600), ends[2];

	write(fd, stack, sizeof(stack));
	for (unsigned i = 0; i < 2; i++) {
		pread(fd, NULL, 0, 0);
		preadv(fd, hostile + i, 1, 0);
		pwritev(fd, hostile + i, 1, 0);
		syscall(SYS_process_vm_readv, getpid(), hostile + i, 1, &own, 1, 0);
		syscall(SYS_process_vm_readv, getpid(), &own, 1, hostile + i, 1, 0);
		syscall(SYS_process_vm_writev, getpid(), &own, 1, hostile + i, 1, 0);
		syscall(SYS_process_vm_writev, getpid(), hostile + i, 1, &own, 1, 0);
	}
	pipe(ends);
	write(ends[1], stack, 100);
	readv(ends[0], hostile, 2);
	writev(ends[1], hostile, 2);
	lseek(fd, 0, SEEK_SET);
	readv(fd, hostile, 2);
	close(open("/dev/zero", O_RDONLY));
	readv(open("/dev/zero", O_RDONLY), hostile, 2);
	readv(open("/proc/self/maps", O_RDONLY), hostile, 2);
	readv(open("/dev/urandom", O_RDONLY), hostile, 2);
}

static void messages(uint64_t address)
{
	struct iovec own = {stack, 16}, hostile = {(void *)address, 16};
	int ends[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	for (unsigned field = 0; field < 4; field++) {
		struct msghdr message = {.msg_iov = &own, .msg_iovlen = 1};

		if (field == 0)
			message.msg_iov = (void *)address;
		else if (field == 1)
			message.msg_iov = &hostile;
		else if (field == 2)
			message.msg_name = (void *)address, message.msg_namelen = 16;
		else
			message.msg_control = (void *)address, message.msg_controllen = 64;
		sendmsg(ends[0], &message, MSG_DONTWAIT);
		write(ends[0], stack, 16);
		recvmsg(ends[1], &message, MSG_DONTWAIT);
	}
}

static void program_strings(uint64_t address)
{
	char *hostile[] = {"pointers", "well", (char *)address, NULL};
	char *own[] = {"pointers", "well", NULL};

	execve("/proc/self/exe", hostile, own);
	execve("/proc/self/exe", own, hostile);
}

static void select_mask(uint64_t address)
{
	uint64_t mask[2] = {address, 8};
	struct timespec zero = {0, 0};

	syscall(SYS_pselect6, 0, NULL, NULL, NULL, &zero, mask);
}

/* ---- futexes and controls ---- */

static void futexes(uint64_t address)
{
	static int word;
	struct timespec soon = {0, 1000};

	syscall(SYS_futex, address, FUTEX_WAIT, 0, &soon, NULL, 0);
	syscall(SYS_futex, address, FUTEX_WAKE, 1, NULL, NULL, 0);
	syscall(SYS_futex, address, FUTEX_WAIT_BITSET, 0, &soon, NULL, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1, address,
		FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
	syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1, address, 0);
	syscall(SYS_futex, address, FUTEX_CMP_REQUEUE, 1, 1, &word, 0);
	for (int command = FUTEX_LOCK_PI; command <= 13; command++) {
		syscall(SYS_futex, address, command, 1, &soon, &word, 0);
		syscall(SYS_futex, &word, command, 1, &soon, address, 0);
		syscall(SYS_futex, address, command | FUTEX_PRIVATE_FLAG, 1, &soon, address, 0);
	}
	syscall(449, (uint64_t[]){0, address, FUTEX_PRIVATE_FLAG | 2}, 1, 0, &soon, 1);
}

static void sequences(uint64_t address)
{
	static uint64_t area[4] __attribute__((aligned(32)));
	static uint64_t sequence[4] __attribute__((aligned(32)));

	syscall(SYS_rseq, address & -32ul, 32, 0, 1);
	syscall(SYS_rseq, area, 32, 0, 1);
	signal(SIGUSR1, nothing);
	sequence[1] = sequence[3] = address;
	area[1] = (uintptr_t)sequence;
	raise(SIGUSR1);
	area[1] = address;
	raise(SIGUSR1);
}

static void controls(uint64_t address)
{
	static const unsigned long requests[] = {FIONREAD, FIONBIO, FIOASYNC,  TIOCGWINSZ,
						 TCGETS,   TCSETS,  TIOCGPGRP, TIOCSPGRP};
	int fd = open("/tmp/pointed", O_RDWR | O_CREAT, 0600), ends[2];

	pipe(ends);
	for (unsigned i = 0; i < COUNT(requests); i++) {
		ioctl(0, (int)requests[i], address);
		ioctl(fd, (int)requests[i], address);
		ioctl(ends[0], (int)requests[i], address);
	}
	for (int command = 0; command < 40; command++)
		fcntl(fd, command, address);
	for (int command = 1024; command < 1040; command++)
		fcntl(fd, command, address);
	for (long option = 1; option < 70; option++)
		syscall(SYS_prctl, option, address, 0, 0, 0);
	for (long option = 0x1001; option < 0x1005; option++)
		syscall(SYS_arch_prctl, option, address);
	for (int option = 0; option < 70; option++) {
		socklen_t size = 8;

		getsockopt(fd, SOL_SOCKET, option, (void *)address, &size);
	}
}

/* ---- events ---- */

static void event_controls(uint64_t address)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	for (unsigned number = 0; number < 16; number++)
		for (unsigned direction = 0; direction < 4; direction++)
			ioctl(fd, (int)(direction << 30 | 8 << 16 | '$' << 8 | number), address);
	attr.sig_data = address;
	attr.config1 = attr.config2 = address;
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Samples of a program with that stack and frame pointer, into a ring whose reader writes false
 * positions. */
static void sampled_registers(uint64_t address)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .sample_period = 5000,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN |
						      PERF_SAMPLE_STACK_USER |
						      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_READ,
				       .sample_regs_user = 0xff,
				       .sample_stack_user = 1024,
				       .exclude_kernel = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct perf_event_mmap_page *page =
	    mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return;
	page->data_tail = address;
	page->data_head = address;
	page->data_offset = page->data_size = address;
	page->aux_offset = page->aux_size = page->aux_head = page->aux_tail = address;
	__asm__ volatile("mov %%rsp, %%r12; mov %%rbp, %%r13; mov %0, %%rsp; mov %0, %%rbp; mov "
			 "$200000, %%ecx; 1: dec %%ecx; jnz 1b; "
			 "mov %%r12, %%rsp; mov %%r13, %%rbp"
			 :
			 : "r"(address)
			 : "rcx", "r12", "r13", "memory");
}

/* ---- System V ---- */

static void sysv_calls(uint64_t address)
{
	struct {
		long type;
		char text[16];
	} message = {.type = 1};
	int segment = shmget(IPC_PRIVATE, PAGE, 0600), set = semget(IPC_PRIVATE, 2, 0600),
	    queue = msgget(IPC_PRIVATE, 0600);
	void *pointer = (void *)address;

	shmat(segment, pointer, SHM_REMAP);
	shmdt(pointer);
	semop(set, pointer, 500);
	for (int command = 1; command < 24; command++) {
		shmctl(segment, command, pointer);
		semctl(set, 0, command, pointer);
		msgctl(queue, command, pointer);
	}
	msgsnd(queue, &message, 16, 0);
	msgrcv(queue, pointer, 16, 0, IPC_NOWAIT);
	msgsnd(queue, pointer, 16, IPC_NOWAIT);
	shmctl(segment, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
}

#define LATER(function)             \
	{                           \
#function, function \
	}

const struct later_pointer later_pointers[] = {
    LATER(robust_head),     LATER(robust_entry),      LATER(robust_pending),  LATER(robust_offset),
    LATER(parent_tid),      LATER(child_tid),         LATER(cleared_tid),     LATER(pidfd),
    LATER(tid_address),     LATER(clone3_fields),     LATER(alternate_stack), LATER(handler),
    LATER(restorer),        LATER(stack_pointer),     LATER(frame_rip),       LATER(frame_rsp),
    LATER(frame_vectors),   LATER(queued_value),      LATER(vectors),         LATER(messages),
    LATER(program_strings), LATER(select_mask),       LATER(futexes),         LATER(controls),
    LATER(event_controls),  LATER(sampled_registers), LATER(sysv_calls),      LATER(sequences),
    {NULL, NULL},
};
