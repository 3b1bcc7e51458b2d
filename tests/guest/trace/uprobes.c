/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in programs: each kind of instruction, calls and returns, many at one address,
 * arguments, forks, jumps, refusals. */
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/probes.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CALLS 20

static struct perf_record record;

/* ---- each kind of instruction ---- */

uint64_t mixed_number = 5;
extern const char mixed_add[];
const void *mixed_pointer = mixed_add;

/* Instructions of all kinds; each has its address in the table. */
#define I(insn) "1: " insn "\n.pushsection .data.rel.ro,\"aw\"\n.quad 1b\n.popsection\n"
/* clang-format off */
__asm__(".pushsection .data.rel.ro,\"aw\"\n.globl mixed_table\nmixed_table:\n.popsection\n"
	".pushsection .text\n.globl mixed, mixed_add\nmixed:\n"
	I("push %rbx") I("mov $3, %ecx") I("xor %eax, %eax") "mixed_again:\n"
	I("add mixed_number(%rip), %rax") I("add %rcx, %rax") I("loop mixed_again")
	I("jrcxz mixed_1") "ud2\nmixed_1:\n"
	I("call mixed_add") I("lea mixed_add(%rip), %rbx") I("call *%rbx") I("push %rbx")
	I(".byte 0xff, 0x54, 0x24, 0")
	I("pop %rbx") I("call *mixed_pointer(%rip)") I("cmp $0, %rax")
	I("je mixed_1") I("jne mixed_2") "ud2\nmixed_2:\n"
	I("jmp mixed_3") "ud2\nmixed_3:\n"
	I(".byte 0x0f, 0x85; .long 2") "ud2\n" /* JNE, long */
	I(".byte 0xe9; .long 2") "ud2\n"       /* JMP, long */
	I("lea mixed_4(%rip), %rcx") I("jmp *%rcx") "ud2\nmixed_4:\n"
	I("movq %rax, %xmm0") I("paddq %xmm0, %xmm0") I("movq %xmm0, %rax")
	I("cmpxchg %rax, mixed_number(%rip)") I("movabs $0x1122334455667788, %rcx")
	I("nopw 0(%rax,%rax,1)") I("lea 1(%rax,%rcx,2), %rax") I("pushf") I("pop %rcx")
	I("pop %rbx") I("ret")
	"mixed_add:\n" I("add $7, %rax") I("ret $0")
	".popsection\n.pushsection .data.rel.ro,\"aw\"\n.quad 0\n.popsection\n");
/* clang-format on */
extern const void *const mixed_table[];
extern uint64_t mixed(void);

static void test_instructions(void)
{
	uint64_t wanted = mixed();
	unsigned nr = 0, wrong = 0;
	int fd;

	for (; mixed_table[nr]; nr++) {
		fd = uprobe_count(mixed_table[nr], false);
		if (fd < 0 || mixed() != wanted || perf_value(fd) < 1) {
			printf("# instruction %u: %d\n", nr, fd);
			wrong++;
		}
		close(fd);
	}
	ok(nr > 30 && !wrong, "each instruction works under a counting probe");
	is((long)mixed(), (long)wanted, "each instruction works without a probe");
}

/* ---- calls and returns ---- */

__attribute__((noinline)) static uint64_t add(uint64_t a, uint64_t b)
{
	__asm__ volatile("" : "+r"(a));
	return a + b;
}

__attribute__((noinline)) static uint64_t down(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	n = n ? 1 + down(n - 1) : 0;
	__asm__ volatile("" : "+r"(n));
	return n;
}

static void test_calls(void)
{
	int calls = uprobe_count(add, false), returns = uprobe_count(add, true),
	    more = uprobe_count(add, false), deep = uprobe_count(down, true);
	uint64_t sum = 0;

	ok(calls >= 0 && returns >= 0 && more >= 0 && deep >= 0, "probes at functions");
	for (uint64_t i = 0; i < CALLS; i++)
		sum += add(i, 1);
	is((long)sum, CALLS * (CALLS + 1) / 2, "the function does what it does");
	is((long)perf_value(calls), CALLS, "a probed function's calls are counted");
	is((long)perf_value(returns), CALLS, "a probed function's returns are counted");
	is((long)down(10), 10, "a function that calls itself");
	is((long)perf_value(deep), 11, "each return of a recursive function is counted");
	close(calls);
	add(1, 1);
	is((long)perf_value(more), CALLS + 1, "the probe that is left goes on");
	close(more);
	close(returns);
	close(deep);
	is((long)add(2, 3), 5, "without probes it runs on");
}

static jmp_buf back;

__attribute__((noinline)) static uint64_t jumps(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	if (n == 3)
		longjmp(back, 1);
	return n + down(0);
}

/* Calls that never return do no harm. */
static void test_jumps(void)
{
	int returns = uprobe_count(jumps, true), fd = uprobe_count(down, true);

	for (int i = 0; i < CALLS; i++)
		if (!setjmp(back))
			jumps(3);
	is((long)perf_value(returns), 0, "longjmp(3) is no return");
	is((long)jumps(4), 4, "afterwards the function returns");
	is((long)perf_value(returns), 1, "a return past setjmp is counted");
	close(fd);
	close(returns);
}

/* The child returns from the function that its parent called. */
__attribute__((noinline)) static int forks(void)
{
	return fork();
}

static void test_fork(void)
{
	struct perf_event_attr attr = uprobe_attr(forks, true);
	int fd, status = -1, pid;

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	pid = forks();
	if (!pid)
		_exit((int)add(2, 2));
	waitpid(pid, &status, 0);
	is(WIFEXITED(status) ? WEXITSTATUS(status) : -status, 4, "a child of a probed function");
	is((long)perf_value(fd), 2, "both returns are counted");
	close(fd);
}

static void *thread(void *argument)
{
	for (int i = 0; i < 1000; i++)
		*(uint64_t *)argument += add(1, 0);
	return NULL;
}

/* A probe comes and goes while threads are there. */
static void test_threads(void)
{
	pthread_t threads[3];
	uint64_t sums[3] = {0};
	int fd;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, &sums[i]);
	for (int i = 0; i < 20; i++) {
		fd = uprobe_count(add, i % 2);
		sched_yield();
		close(fd);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	is((long)(sums[0] + sums[1] + sums[2]), 3000, "threads run on while probes come and go");
}

static volatile uint64_t fault_at;

static void on_fault(int signo, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signo;
	(void)info;
	fault_at = (uint64_t)user->uc_mcontext.gregs[REG_RIP];
	user->uc_mcontext.gregs[REG_RIP] += 3;
}

extern const char faulting[];
extern void fault(const void *at);
__asm__(".pushsection .text\n.globl fault, faulting\nfault:\nfaulting: movl (%rdi), %eax\n"
	".byte 0x66, 0x90\nret\n.popsection\n");

static void test_fault(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	int fd = uprobe_count(faulting, false);

	sigaction(SIGSEGV, &action, NULL);
	fault(NULL);
	ok(fault_at == (uintptr_t)faulting,
	   "a fault of the instruction is told of where it stands");
	is((long)perf_value(fd), 1, "a faulting instruction was executed once");
	close(fd);
	signal(SIGSEGV, SIG_DFL);
}

/* ---- records ---- */

static void test_record(void)
{
	struct perf_event_attr attr = uprobe_attr(add, true);
	struct perf_ring ring;
	uint64_t words[3];
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	add(1, 1);
	ok(perf_next(&ring, &record), "a return is sampled");
	memcpy(words, (char *)record.words + 12, sizeof(words));
	ok(words[1] == (uintptr_t)add, "a return's record has the function");
	ok(words[2] == record.words[0], "a return's record and sample have the return address");
	perf_unmap(&ring);
	close(fd);
}

struct pair {
	uint64_t first;
	const char *text;
};

__attribute__((noinline)) static uint64_t takes(const struct pair *pair, int number)
{
	__asm__ volatile("" : "+r"(number) : "r"(pair) : "memory");
	return (uint64_t)number;
}

/* Defines a probe: 0 or a negative errno. */
static int define(const char *format, const void *place)
{
	char text[512];

	uprobe_attr(place, false);
	snprintf(text, sizeof(text), format, probe_path, (unsigned long)file_offset(place));
	return tracefs_write("uprobe_events", text, O_APPEND);
}

static void test_arguments(void)
{
	static const char text[] = "some words";
	struct pair pair = {0x1234567890, text};
	struct perf_event_attr attr;
	struct perf_ring ring;
	const char *raw;
	uint32_t place;
	int fd;

	is(define("p:mine/takes %s:0x%lx pair=%%di number=%%si:s32 first=+0(%%di):u64 "
		  "text=+0(+8(%%di)):string comm=$comm \\7:u8\n",
		  takes),
	   0, "a probe with arguments is defined");
	attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("mine/takes"));
	ok(attr.config != 0, "a probe with arguments is an event");
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	takes(&pair, -3);
	ok(perf_next(&ring, &record), "a call gives a record");
	raw = (const char *)record.words + 4;
	ok(!memcmp(raw + 16, &(uint64_t){(uintptr_t)&pair}, 8), "a register");
	ok(!memcmp(raw + 24, &(int32_t){-3}, 4), "a number of 32 bits");
	ok(!memcmp(raw + 28, &pair.first, 8), "memory");
	memcpy(&place, raw + 36, 4);
	ok(place >> 16 == sizeof(text) && !strcmp(raw + (place & 0xffff), text), "a string");
	memcpy(&place, raw + 40, 4);
	ok(!strcmp(raw + (place & 0xffff), "tester"), "the task's name");
	is(raw[44], 7, "a constant");
	pair.text = (const char *)8;
	takes(&pair, 0);
	perf_next(&ring, &record);
	memcpy(&place, raw + 36, 4);
	is(place >> 16, 0, "a string that is not there");
	is(define("-:mine/takes\n", takes), -EBUSY, "a probe in use stays: EBUSY");
	perf_unmap(&ring);
	close(fd);
	is(define("-:mine/takes\n", takes), 0, "then it goes");
	is((long)id_of("mine/takes"), 0, "a removed probe is no event");
}

static void test_return_value(void)
{
	struct perf_event_attr attr;
	struct perf_ring ring;
	uint64_t value;
	int fd;

	define("r:mine/add_returns %s:0x%lx sum=$retval:u64\n", add);
	attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("mine/add_returns"));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "sum > 40");
	add(1, 2);
	add(40, 2);
	ok(perf_next(&ring, &record), "a return value is in the record");
	memcpy(&value, (char *)record.words + 4 + 24, sizeof(value));
	is((long)value, 42, "is in the record, after the filter");
	ok(!perf_next(&ring, &record), "a filter of a return value lets nothing else pass");
	perf_unmap(&ring);
	close(fd);
	is(tracefs_write("uprobe_events", "", O_TRUNC), 0, "all probes are removed");
	is((long)id_of("mine/add_returns"), 0, "uprobe_events is empty");
}

/* ---- programs ---- */

static void test_program(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0);
	int prog = PROG(BPF_PROG_TYPE_KPROBE, LOAD(BPF_DW, R6, R1, 112), MAP(R1, map),
			STOREI(BPF_W, R10, -4, 0), MOV(R2, R10), ADDI(R2, -4),
			STORE(BPF_DW, R10, -16, R6), MOV(R3, R10), ADDI(R3, -16), MOVI(R4, 0),
			CALL(BPF_FUNC_map_update_elem), MOVI(R0, 0), EXIT());
	struct perf_event_attr attr = uprobe_attr(add, false);
	int fd = perf_open(&attr, 0, -1, -1, 0), wrong;

	wrong = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT());
	ok(ioctl(fd, PERF_EVENT_IOC_SET_BPF, wrong) && errno == EINVAL,
	   "a program of another type: EINVAL");
	is(ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog), 0, "a program at a probe");
	add(77, 1);
	is((long)map_value(map, 0), 77, "a program at a probe finds the arguments");
	close(fd);
	close(wrong);
	close(prog);
	close(map);
}

/* ---- semaphores ---- */

static volatile uint16_t semaphore __attribute__((section(".data"))) = 0;

/* A probe at the function with a semaphore at the address: a descriptor or a negative errno. */
static int counted_probe(uint64_t (*function)(uint64_t, uint64_t), uintptr_t at)
{
	struct perf_event_attr attr = uprobe_attr(function, false);

	attr.config |= file_offset((const void *)at) << 32;
	return perf_try(&attr, 0, -1, -1, 0);
}

/* A child's own, which has a breakpoint as well. */
static int in_child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(semaphore);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void test_semaphore(void)
{
	uintptr_t at = (uintptr_t)&semaphore;
	int first = counted_probe(add, at), second = counted_probe(add, at), other;
	char text[512] = "";

	is(semaphore, 1, "a place that is probed counts in its semaphore, once");
	is(in_child(), 1, "a probe counts in its semaphore in a child");
	is(counted_probe(add, at + 4), -EINVAL, "another semaphore of the place: EINVAL");
	is(counted_probe(add, at + 1), -EINVAL, "a semaphore that is not aligned: EINVAL");
	close(first);
	is(semaphore, 1, "a semaphore counts while its probe exists");
	close(second);
	is(semaphore, 0, "a semaphore does not count after its probe");
	snprintf(text, sizeof(text), "p:mine/counted %s:0x%lx(0x%lx)\n", probe_path,
		 file_offset((const void *)(uintptr_t)add), file_offset((const void *)at));
	is(tracefs_write("uprobe_events", text, O_APPEND), 0, "tracefs: PATH:OFFSET(SEMAPHORE)");
	is(semaphore, 0, "a probe that nobody asks does not count");
	tracefs_write("events/mine/counted/enable", "1", 0);
	is(semaphore, 1, "an enabled probe counts in its semaphore");
	tracefs_write("events/mine/counted/enable", "0", 0);
	is(semaphore, 0, "a disabled probe does not count in its semaphore");
	tracefs_write("uprobe_events", "-:mine/counted\n", O_APPEND);
	other = define("p:mine/no %s:0x%lx(12\n", add);
	is(other, -EINVAL, "a semaphore without its end: EINVAL");
	is(define("p:mine/no %s:0x%lx(12)x\n", add), -EINVAL, "more after it: EINVAL");
}

/* ---- perf and tracefs ---- */

static int enable(const char *text)
{
	return tracefs_write("events/mine/one/enable", text, 0);
}

/* As on Linux a uprobe is perf's or tracefs's; a kprobe may be both's. */
static void test_one_kind(void)
{
	struct perf_event_attr attr;
	int fd;

	is(define("p:mine/one %s:0x%lx\n", add), 0, "a probe for one kind of user");
	attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("mine/one"));
	is(enable("1"), 0, "tracefs enables a uprobe");
	is(perf_try(&attr, 0, -1, -1, 0), -EINTR, "EINTR: perf and ftrace of one uprobe");
	is(enable("0"), 0, "tracefs disables a uprobe");
	fd = perf_try(&attr, 0, -1, -1, 0);
	ok(fd >= 0, "perf opens a uprobe that tracefs has left");
	is(enable("1"), -EINTR, "EINTR: ftrace after perf");
	close(fd);
	is(enable("1"), 0, "tracefs enables a uprobe that perf has left");
	enable("0");
	tracefs_write("uprobe_events", "-:mine/one\n", O_APPEND);
}

/* ---- what is refused ---- */

static void test_refused(void)
{
	static const struct {
		const char *text;
		int err;
	} rows[] = {
	    {"x:mine/no %s:0x%lx\n", -EINVAL},
	    {"p:mine/no relative%s:0x%lx\n", -ENOENT},
	    {"p:mine/no /nothing%s:0x%lx\n", -ENOENT},
	    {"p:mine/no %s:%lxz\n", -EINVAL},
	    {"p:mine/no %s\n", -EINVAL},
	    {"p:mi+ne/no %s:0x%lx\n", -EINVAL},
	    {"p:mine/no %s:0x%lx $retval\n", -EINVAL},
	    {"p:mine/no %s:0x%lx %%xx\n", -EINVAL},
	    {"p:mine/no %s:0x%lx a=%%ax:u128\n", -EINVAL},
	    {"p:mine/no %s:0x%lx a=%%ax a=%%bx\n", -EINVAL},
	    {"p:mine/no %s:0x%lx +8(%%ax\n", -EINVAL},
	    {"p:mine/no %s:0x%lx $nothing\n", -EINVAL},
	    {"-:mine/nothing\n", -ENOENT},
	};
	struct perf_event_attr attr = uprobe_attr(add, false);

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got = define(rows[i].text, add);

		if (!ok(got == rows[i].err, "refused: %.20s...", rows[i].text))
			printf("# %s got %d\n", rows[i].text, got);
	}
	attr.uprobe_path = 0;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "no path: EINVAL");
	attr.uprobe_path = 8;
	is(perf_try(&attr, 0, -1, -1, 0), -EFAULT, "a path that cannot be read: EFAULT");
	attr.uprobe_path = (uintptr_t) "/nothing";
	is(perf_try(&attr, 0, -1, -1, 0), -ENOENT, "no such file: ENOENT");
	attr.uprobe_path = (uintptr_t) "/proc";
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "a directory: EINVAL");
	attr = uprobe_attr(add, false);
	attr.probe_offset = 1ul << 40;
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "past the file's end: EINVAL");
	if (fork() == 0) {
		attr = uprobe_attr(add, false);
		if (setuid(65534))
			_exit(1);
		_exit(perf_try(&attr, 0, -1, -1, 0) == -EACCES ? 0 : 2);
	}
	int status = -1;

	wait(&status);
	is(status, 0, "nobody may not: EACCES");
}

int main(void)
{
	prctl(PR_SET_NAME, "tester");
	mount_tracefs();
	test_instructions();
	test_calls();
	test_jumps();
	test_fork();
	test_threads();
	test_fault();
	test_record();
	test_arguments();
	test_return_value();
	test_program();
	test_semaphore();
	test_one_kind();
	test_refused();
	return tap_end();
}
