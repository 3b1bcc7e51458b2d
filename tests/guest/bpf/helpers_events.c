/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that read events, tasks and time, and helpers that call functions: each index, flag
 * and size. */
#define _GNU_SOURCE
#include "tests/guest/bpf/helpers.h"
#include "tests/guest/bpf/bpf_functions.h"
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* ---- perf_event_output ---- */

static long output(int map, uint64_t flags, int32_t bytes)
{
	return RESULT(MOV(R7, R1), STOREI(BPF_DW, R10, -24, 5), STOREI(BPF_DW, R10, -32, 6),
		      MOV(R1, R7), MAP(R2, map), WIDE(R3, flags), AT(R4, -32), MOVI(R5, bytes),
		      CALL(BPF_FUNC_perf_event_output));
}

static int open_output(int cpu, struct perf_ring *ring)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	int fd;

	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	fd = perf_open(&attr, -1, cpu, -1, 0);
	if (ring)
		perf_map(ring, fd, 1, PROT_READ | PROT_WRITE);
	return fd;
}

static void put(int map, uint32_t key, int fd)
{
	map_command(BPF_MAP_UPDATE_ELEM, map, &key, &fd, BPF_ANY);
}

/* Elements: 0 an output with a ring, 1 one without, 2 a clock, 3 an output that is off, 4 none. */
static void test_output(void)
{
	struct perf_event_attr clock = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	int map = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 5, 0);
	struct perf_ring ring;
	int with = open_output(0, &ring), without = open_output(0, NULL),
	    time = perf_open(&clock, 0, -1, -1, 0), off = open_output(0, NULL);

	ioctl(off, PERF_EVENT_IOC_DISABLE, 0);
	put(map, 0, with);
	put(map, 1, without);
	put(map, 2, time);
	put(map, 3, off);
	is(output(map, 0, 16), 0, "perf_event_output");
	is(output(map, BPF_F_CURRENT_CPU, 16), 0, "BPF_F_CURRENT_CPU");
	is(output(map, 0, 0), 0, "no bytes");
	is(output(map, 1, 16), -ENOSPC, "an event without a ring: ENOSPC");
	is(output(map, 2, 16), -EINVAL, "perf_event_output to an event of another type: EINVAL");
	is(output(map, 3, 16), -EOPNOTSUPP,
	   "perf_event_output to an event that is off: EOPNOTSUPP");
	is(output(map, 4, 16), -ENOENT, "perf_event_output without an event: ENOENT");
	is(output(map, 5, 16), -E2BIG, "beyond the end: E2BIG");
	is(output(map, BPF_F_CURRENT_CPU - 1ul, 16), -E2BIG, "nearly BPF_F_CURRENT_CPU: E2BIG");
	is(output(map, 1ul << 32, 16), -EINVAL, "BPF_F_CTXLEN, of packets: EINVAL");
	is(output(map, 1ul << 63, 16), -EINVAL, "an unknown flag: EINVAL");
	is(output(map, 1ul << 63 | 5, 16), -EINVAL,
	   "perf_event_output checks the flag before the index");
	is(output(told, 0, 16), NOTHING, "another map");
	close(off);
	close(time);
	close(without);
	perf_unmap(&ring);
	close(with);
	close(map);
}

/* Another processor's event, where there is one. */
static void test_elsewhere(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 2, 0), other;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (CPU_COUNT(&cpus) < 2) {
		skip("events of another processor", "one processor");
		close(map);
		return;
	}
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	other = open_output(1, NULL);
	put(map, 1, other);
	is(output(map, 1, 16), -EOPNOTSUPP, "another processor's: EOPNOTSUPP");
	close(other);
	close(map);
}

/* ---- perf_event_read, perf_event_read_value ---- */

static long read_value(int map, uint64_t flags, int32_t bytes)
{
	return RESULT_AND(-40, STOREI(BPF_DW, R10, -40, 77), STOREI(BPF_DW, R10, -32, 77),
			  STOREI(BPF_DW, R10, -24, 77), MAP(R1, map), WIDE(R2, flags), AT(R3, -40),
			  MOVI(R4, bytes), CALL(BPF_FUNC_perf_event_read_value));
}

static long read_count(int map, uint64_t flags)
{
	return RESULT(MAP(R1, map), WIDE(R2, flags), CALL(BPF_FUNC_perf_event_read));
}

static void test_read(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	int map = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 3, 0),
	    event = perf_open(&attr, 0, -1, -1, 0);

	put(map, 0, event);
	ok(read_count(map, 0) > 0, "perf_event_read: a count");
	is(read_count(map, 1), -ENOENT, "perf_event_read without an event: ENOENT");
	is(read_count(map, 3), -E2BIG, "beyond the end: E2BIG");
	is(read_count(map, 1ul << 32), -EINVAL, "a flag: EINVAL");
	ok(read_count(map, BPF_F_CURRENT_CPU) > 0, "BPF_F_CURRENT_CPU");
	is(read_value(map, 0, 24), 0, "perf_event_read_value");
	ok(map_value(told, 1) > 77, "a count");
	is(read_value(map, 0, 16), -EINVAL, "perf_event_read_value with too little room: EINVAL");
	is((long)map_value(told, 1), 0, "nothing is told then");
	is(read_value(map, 1, 24), -ENOENT, "perf_event_read_value without an event: ENOENT");
	is((long)map_value(told, 1), 0, "nothing, too");
	is(read_value(map, 3, 24), -E2BIG, "beyond the end: E2BIG");
	is(read_value(map, 1ul << 40, 24), -EINVAL, "a flag: EINVAL");
	is(read_count(told, 0), NOTHING, "another map");
	close(event);
	close(map);
}

/* ---- at samples ---- */

/* At each page fault; what the program kept. */
#define SAMPLED(...)                                                                               \
	({                                                                                         \
		tell_anew();                                                                       \
		at_fault(PROG(BPF_PROG_TYPE_PERF_EVENT, MOV(R7, R1), __VA_ARGS__, KEEP(told, 0),   \
			      LOAD(BPF_DW, R6, R10, -40), KEEP_R6(told, 1), MOVI(R0, 0), EXIT())); \
	})

static long at_fault(int prog)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	char *page;
	int event;

	attr.sample_period = 1;
	attr.disabled = 1;
	event = perf_open(&attr, 0, -1, -1, 0);
	if (prog >= 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, prog))
		return -errno;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	page[0] = 1;
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	munmap(page, 4096);
	close(event);
	close(prog);
	return (long)map_value(told, 0);
}

static long value_of_sample(int32_t bytes)
{
	return SAMPLED(STOREI(BPF_DW, R10, -40, 77), STOREI(BPF_DW, R10, -32, 77),
		       STOREI(BPF_DW, R10, -24, 77), MOV(R1, R7), AT(R2, -40), MOVI(R3, bytes),
		       CALL(BPF_FUNC_perf_prog_read_value));
}

static long branches(int32_t bytes, int32_t flags)
{
	return SAMPLED(STOREI(BPF_DW, R10, -40, 77), STOREI(BPF_DW, R10, -32, 77),
		       STOREI(BPF_DW, R10, -24, 77), MOV(R1, R7), AT(R2, -40), MOVI(R3, bytes),
		       MOVI(R4, flags), CALL(BPF_FUNC_read_branch_records));
}

static void test_sampled(void)
{
	is(value_of_sample(24), 0, "perf_prog_read_value");
	is((long)map_value(told, 1), 1, "perf_prog_read_value counts one fault");
	is(value_of_sample(16), -EINVAL, "perf_prog_read_value with too little room: EINVAL");
	is((long)map_value(told, 1), 0, "nothing is told then");
	is(branches(24, 0), -ENOENT, "read_branch_records of no branches: ENOENT");
	is(branches(24, BPF_F_GET_BRANCH_RECORDS_SIZE), -ENOENT,
	   "read_branch_records has no size without branches");
	is(branches(24, 2), -EINVAL, "an unknown flag: EINVAL");
	is((long)map_value(told, 1), 77, "nothing is written");
}

/* ---- tasks and time ---- */

static uint64_t clock_now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#define ASK(function) (uint64_t) RESULT(CALL(function))

static void test_time(void)
{
	uint64_t before = clock_now(CLOCK_MONOTONIC), told_time = ASK(BPF_FUNC_ktime_get_ns),
		 after = clock_now(CLOCK_MONOTONIC), jiffies;

	ok(before <= told_time && told_time <= after, "ktime_get_ns: CLOCK_MONOTONIC");
	before = clock_now(CLOCK_BOOTTIME);
	told_time = ASK(BPF_FUNC_ktime_get_boot_ns);
	after = clock_now(CLOCK_BOOTTIME);
	ok(before <= told_time && told_time <= after, "ktime_get_boot_ns: CLOCK_BOOTTIME");
	jiffies = ASK(BPF_FUNC_jiffies64);
	usleep(100000);
	told_time = ASK(BPF_FUNC_jiffies64) - jiffies;
	ok(told_time >= 24 && told_time < 2500, "jiffies64: 250 a second");
}

/* Real ids; the program is loaded and attached before they are. */
static void test_ids(void)
{
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, CALL(BPF_FUNC_get_current_uid_gid), KEEP(told, 0),
			MOVI(R0, 0), EXIT());
	struct perf_event_attr attr = attr_of("syscalls/sys_enter_getppid");
	int event = perf_open(&attr, -1, 0, -1, 0);
	pid_t child;

	ioctl(event, PERF_EVENT_IOC_SET_BPF, prog);
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	child = fork();
	if (!child) {
		syscall(SYS_setresgid, 7, 8, 9);
		syscall(SYS_setresuid, 4, 5, 6);
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	is((long)map_value(told, 0), 7l << 32 | 4, "get_current_uid_gid: the real ones");
	close(event);
	close(prog);
}

#define NAME(bytes)                                                                              \
	RESULT_AND(-24, STOREI(BPF_DW, R10, -24, -1), STOREI(BPF_DW, R10, -16, -1), AT(R1, -24), \
		   MOVI(R2, bytes), CALL(BPF_FUNC_get_current_comm))

static void test_task(void)
{
	long name;

	is((long)ASK(BPF_FUNC_get_current_pid_tgid), (long)getpid() << 32 | getpid(),
	   "get_current_pid_tgid");
	is((long)ASK(BPF_FUNC_get_smp_processor_id), sched_getcpu(), "get_smp_processor_id");
	is((long)(ASK(BPF_FUNC_get_current_task) >> 47), 0x1ffff, "get_current_task: the kernel's");
	is((long)ASK(BPF_FUNC_get_current_task), (long)ASK(BPF_FUNC_get_current_task),
	   "get_current_task returns an equal address twice");
	is((long)(ASK(BPF_FUNC_get_prandom_u32) >> 32), 0, "get_prandom_u32: 32 bits");
	prctl(PR_SET_NAME, "abcdefghijklmnopqr");
	is(NAME(16), 0, "get_current_comm");
	ok(map_value(told, 1) == 0x6867666564636261, "the name");
	is(NAME(4), 0, "get_current_comm in four bytes");
	ok((uint32_t)map_value(told, 1) == 0x00636261, "three letters of it");
	is(NAME(1), 0, "get_current_comm in one byte");
	is((uint8_t)map_value(told, 1), 0, "get_current_comm writes only the NUL");
	name = NAME(0);
	ok(name == NOTHING || name == -EINVAL, "get_current_comm in no bytes: refused (%ld)", name);
}

/* ---- calls ---- */

/* Calls the second function `times` times, which adds 1 to the stack's word and stops at `last`:
 * what the call returns, of which Linux 6.1 sets the lower half. */
static int loop(int32_t times, int32_t flags, int32_t last)
{
	const struct bpf_insn insns[] = {
	    STOREI(BPF_DW, R10, -24, 0),
	    MOVI(R1, times),
	    INSN(BPF_LD | BPF_IMM | BPF_DW, R2, BPF_PSEUDO_FUNC, 0, 18),
	    INSN(0, 0, 0, 0, 0),
	    AT(R3, -24),
	    MOVI(R4, flags),
	    CALL(BPF_FUNC_loop),
	    KEEP(told, 0),
	    MOVI(R0, 0),
	    EXIT(),
	    /* 21: of the number, the word's address */
	    LOAD(BPF_DW, R3, R2, 0),
	    ADDI(R3, 1),
	    STORE(BPF_DW, R2, 0, R3),
	    MOVI(R0, 0),
	    JUMPI(BPF_JNE, R1, last, 1),
	    MOVI(R0, 1),
	    EXIT(),
	};

	tell_anew();
	return (int)result_of((int)prog_load_two(insns, sizeof(insns) / sizeof(insns[0]), 21));
}

static void test_loop(void)
{
	is(loop(0, 0, -1), 0, "loop: not once");
	is(loop(1, 0, -1), 1, "once");
	is(loop(1000, 0, -1), 1000, "a thousand times");
	is(loop(1000, 0, 4), 5, "bpf_loop ends when the function says so");
	is(loop(1000, 1, -1), -EINVAL, "a flag: EINVAL");
	is(loop((1 << 23) + 1, 0, -1), -E2BIG, "more than 8 million times: E2BIG");
}

/* A program that counts and tail-calls itself: up to the limit, after which it continues behind
 * the call. */
static void test_tail_calls(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0), prog;
	uint32_t key = 1;

	tell_anew();
	prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MOV(R9, R1), STOREI(BPF_W, R10, -4, 2), MAP(R1, told),
		    AT(R2, -4), CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 2),
		    MOVI(R1, 1), ADD_ATOMIC(R0, 0, R1), MOV(R1, R9), MAP(R2, map), MOVI(R3, 1),
		    CALL(BPF_FUNC_tail_call), MOVI(R0, 9), KEEP(told, 0), MOVI(R0, 0), EXIT());
	map_command(BPF_MAP_UPDATE_ELEM, map, &key, &prog, BPF_ANY);
	is(result_of(prog), 9, "tail_call: at its end what is after the call runs");
	is((long)map_value(told, 2), NOTHING + 34, "33 times");
	is(RESULT(MAP(R2, map), MOVI(R3, 0), CALL(BPF_FUNC_tail_call), MOVI(R0, 5)), 5,
	   "a tail call to an empty slot continues");
	is(RESULT(MAP(R2, map), MOVI(R3, 2), CALL(BPF_FUNC_tail_call), MOVI(R0, 6)), 6,
	   "beyond the end, too");
	close(map);
}

/* ---- which there are ---- */

#define F(name) BPF_FUNC_##name

static const int everywhere[] = {
    F(map_lookup_elem),
    F(map_update_elem),
    F(map_delete_elem),
    F(perf_event_output),
    F(perf_event_read),
    F(perf_event_read_value),
    F(get_stackid),
    F(get_stack),
    F(probe_read),
    F(probe_read_user),
    F(probe_read_kernel),
    F(probe_read_str),
    F(probe_read_user_str),
    F(probe_read_kernel_str),
    F(ktime_get_ns),
    F(ktime_get_boot_ns),
    F(get_current_pid_tgid),
    F(get_current_uid_gid),
    F(get_current_comm),
    F(get_current_task),
    F(get_smp_processor_id),
    F(trace_printk),
    F(tail_call),
    F(ringbuf_output),
    F(ringbuf_reserve),
    F(ringbuf_submit),
    F(ringbuf_discard),
    F(ringbuf_query),
    F(jiffies64),
    F(snprintf),
    F(loop),
    F(map_lookup_percpu_elem),
    F(for_each_map_elem),
    F(strncmp),
    F(trace_vprintk),
    F(send_signal),
    F(get_func_ip),
};

/* Whether programs of the type may call it, whatever its arguments are. */
static bool is_known(uint32_t type, int function)
{
	static char log[65536];
	const struct bpf_insn insns[] = {CALL(function), EXIT()};
	long fd = prog_load_logged(type, insns, 2, log, sizeof(log));

	close((int)fd);
	return !strstr(log, "unknown func");
}

static void test_known(void)
{
	static const uint32_t types[] = {BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_TRACEPOINT,
					 BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_PERF_EVENT};

	for (unsigned t = 0; t < 4; t++) {
		bool samples = types[t] == BPF_PROG_TYPE_PERF_EVENT,
		     raw = types[t] == BPF_PROG_TYPE_RAW_TRACEPOINT;

		for (unsigned i = 0; i < sizeof(everywhere) / sizeof(everywhere[0]); i++)
			ok(is_known(types[t], everywhere[i]), "type %u: function %d", types[t],
			   everywhere[i]);
		is(is_known(types[t], BPF_FUNC_perf_prog_read_value), samples,
		   "programs at samples have perf_prog_read_value");
		is(is_known(types[t], BPF_FUNC_read_branch_records), samples,
		   "programs at samples have read_branch_records");
		is(is_known(types[t], BPF_FUNC_get_attach_cookie), !raw,
		   "programs at samples have get_attach_cookie");
		is(is_known(types[t], BPF_FUNC_ktime_get_coarse_ns), false,
		   "no program has ktime_get_coarse_ns");
		is(is_known(types[t], BPF_FUNC_skb_store_bytes), false,
		   "no program has skb functions");
	}
}

int main(void)
{
	mount_tracefs();
	tell_anew();
	test_output();
	test_elsewhere();
	test_read();
	test_sampled();
	test_time();
	test_ids();
	test_task();
	test_loop();
	test_tail_calls();
	test_known();
	return tap_end();
}
