/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs at raw tracepoints: the existing ones, and their arguments. */
#include "tests/guest/cpus.h"
#include "tests/guest/bpf/bpf_calls.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define TASK            6 /* where the program leaves the current task's address */
#define RUNS            7 /* and how often it ran */

static int map;

static uint64_t seen(uint32_t index)
{
	return map_value(map, index);
}

/* R0 = the address of the value `index`. */
#define FIND(index)                                                              \
	STOREI(BPF_W, R10, -4, index), MOV(R2, R10), ADDI(R2, -4), MAP(R1, map), \
	    CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JNE, R0, 0, 2), MOVI(R0, 0), EXIT()
#define PUT(index) LOAD(BPF_DW, R7, R6, 8 * (index)), FIND(index), STORE(BPF_DW, R0, 0, R7)
/* Only this process's. */
#define BEGIN                                                                                 \
	MOV(R6, R1), CALL(BPF_FUNC_get_current_pid_tgid),                                     \
	    INSN(BPF_ALU64 | BPF_RSH | BPF_K, R0, 0, 0, 32), JUMPI(BPF_JEQ, R0, getpid(), 2), \
	    MOVI(R0, 0), EXIT()
#define FINISH                                                                              \
	CALL(BPF_FUNC_get_current_task), MOV(R7, R0), FIND(TASK), STORE(BPF_DW, R0, 0, R7), \
	    FIND(RUNS), MOVI(R7, 1), ADD_ATOMIC(R0, 0, R7), MOVI(R0, 0), EXIT()

static int attach(const char *name, int prog)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)prog;
	attr.raw_tracepoint.name = (uintptr_t)name;
	return (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* A program that keeps the first arguments, attached; nothing was seen before. */
static int keeping(const char *name, unsigned nr)
{
	int prog = nr == 1 ? PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, BEGIN, PUT(0), FINISH)
		   : nr == 2
		       ? PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, BEGIN, PUT(0), PUT(1), FINISH)
		       : PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, BEGIN, PUT(0), PUT(1), PUT(2), FINISH);
	uint64_t none = 0;
	int link;

	for (uint32_t i = 0; i < 8; i++)
		map_command(BPF_MAP_UPDATE_ELEM, map, &i, &none, BPF_ANY);
	link = attach(name, prog);
	close(prog);
	return link;
}

/* Names that both kernels have. */
static void test_names(void)
{
	static const char *const names[] = {"sys_enter",
					    "sys_exit",
					    "sched_switch",
					    "sched_wakeup",
					    "sched_waking",
					    "sched_wakeup_new",
					    "sched_migrate_task",
					    "sched_process_fork",
					    "sched_process_exec",
					    "sched_process_exit",
					    "sched_process_wait",
					    "sched_stat_runtime",
					    "page_fault_user",
					    "page_fault_kernel",
					    "signal_generate",
					    "signal_deliver",
					    "task_newtask",
					    "task_rename",
					    "kmalloc",
					    "kfree",
					    "mm_page_alloc",
					    "mm_page_free",
					    "vm_unmapped_area",
					    "hrtimer_init",
					    "hrtimer_start",
					    "hrtimer_cancel",
					    "hrtimer_expire_entry",
					    "hrtimer_expire_exit",
					    "itimer_state",
					    "itimer_expire",
					    "local_timer_entry",
					    "local_timer_exit",
					    "reschedule_entry",
					    "call_function_exit"};
	int prog = PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, LOAD(BPF_DW, R6, R1, 0), MOVI(R0, 0), EXIT());

	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		int link = attach(names[i], prog);

		ok(link >= 0, "%s", names[i]);
		close(link);
	}
	is(attach("sys_enter_read", prog), -ENOENT, "a single call is no raw tracepoint: ENOENT");
	is(attach("print", prog), -ENOENT, "ftrace's print is no raw tracepoint: ENOENT");
	is(attach("", prog), -ENOENT, "an empty name: ENOENT");
	close(prog);
}

static void test_calls(void)
{
	int link = keeping("sys_exit", 2);

	syscall(SYS_getppid);
	close(link);
	ok(seen(RUNS) >= 1, "the end of a call");
	link = keeping("task_rename", 2);
	prctl(PR_SET_NAME, "other");
	close(link);
	is((long)seen(RUNS), 1, "a new name");
	ok(seen(0) == seen(TASK), "the registers are the task's own");
	ok(seen(1) >> 63, "a pointer of the kernel's");
}

static void test_tasks(void)
{
	int link = keeping("sched_process_fork", 2);
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	close(link);
	is((long)seen(RUNS), 1, "a child");
	ok(seen(0) == seen(TASK), "fork's parent is the running task");
	ok(seen(1) >> 63 && seen(1) != seen(0), "the child is another");
	link = keeping("task_newtask", 2);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	close(link);
	is((long)(seen(1) & 0xff), 0, "flags without the signal");
	link = keeping("sched_switch", 3);
	usleep(1000);
	close(link);
	ok(seen(RUNS) >= 1 && seen(1) == seen(TASK),
	   "sched_switch's first task is the running one");
	ok(seen(2) >> 63 && seen(2) != seen(1), "sched_switch's second task is another");
}

static void test_others(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int link = keeping("page_fault_user", 3);

	page[100] = 1;
	close(link);
	ok(seen(RUNS) >= 1 && seen(0) == (uintptr_t)page + 100, "where a fault was");
	is((long)seen(2), 6, "a page fault's error code: a write of ring 3 to no page");
	link = keeping("signal_generate", 3);
	signal(SIGUSR1, SIG_IGN);
	kill(getpid(), SIGUSR1);
	close(link);
	is((long)seen(0), SIGUSR1, "a signal");
	ok(seen(2) == seen(TASK), "a signal's task is the running one");
	link = keeping("itimer_state", 1);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = 1}, NULL);
	close(link);
	is((long)seen(0), ITIMER_VIRTUAL, "a timer");
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = 0}, NULL);
}

int main(void)
{
	place(0, 0);
	mount_tracefs();
	map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 8, 0);
	test_names();
	test_calls();
	test_tasks();
	test_others();
	return tap_end();
}
