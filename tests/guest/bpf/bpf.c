/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of bpf(2): at trace events and samples, with perf buffers and ring buffers. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#define CALLS 50

static struct perf_record record;

static int open_traced(const char *event)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of(event));

	return perf_open(&attr, -1, 0, -1, 0);
}

/* The program sees each getppid() of this process; others that call it there are none. */
static int attach_getppid(int prog)
{
	int fd = open_traced("syscalls/sys_enter_getppid");

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		printf("# cannot attach: %s\n", strerror(errno));
	return fd;
}

static void calls(int number)
{
	while (number--)
		syscall(SYS_getppid);
}

/* ---- programs ---- */

/* Adds 1 to the first element of an array. */
#define COUNT_IN(map)                                                              \
	STOREI(BPF_W, R10, -4, 0), MAP(R1, map), MOV(R2, R10), ADDI(R2, -4),       \
	    CALL(BPF_FUNC_map_lookup_elem), JUMPI(BPF_JEQ, R0, 0, 2), MOVI(R1, 1), \
	    ADD_ATOMIC(R0, 0, R1)

static void test_count(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, COUNT_IN(map), MOVI(R0, 0), EXIT()), event;

	ok(prog >= 0, "a program that counts");
	event = attach_getppid(prog);
	calls(CALLS);
	is((long)map_value(map, 0), CALLS, "each call runs the program");
	is((long)perf_value(event), 0, "a program that returns 0: the event counts none");
	ok(ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) && errno == EEXIST,
	   "a second program for an event: EEXIST");
	close(event);
	calls(CALLS);
	is((long)map_value(map, 0), CALLS, "a program ends with its event");
	close(prog);
	close(map);
}

/* The program reads from its context the number of the call, and with lseek its argument. */
static void test_context(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0),
	    event = open_traced("syscalls/sys_enter_lseek");
	int prog =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MOV(R9, R1), LOAD(BPF_W, R6, R9, 8), KEEP_R6(map, 0),
		 LOAD(BPF_DW, R6, R9, 24), KEEP_R6(map, 1), MOVI(R0, 1), EXIT());

	is(ioctl(event, PERF_EVENT_IOC_SET_BPF, prog), 0, "a program that looks at its context");
	lseek(-1, 4711, SEEK_SET);
	is((long)map_value(map, 0), SYS_lseek, "the number of the call");
	is((long)map_value(map, 1), 4711, "a program reads lseek's second argument");
	is((long)perf_value(event), 1, "a program that returns 1: the event counts");
	close(event);
	close(prog);
	close(map);
}

static void test_task_helpers(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0), event;
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, CALL(BPF_FUNC_get_current_pid_tgid), MOV(R6, R0),
			KEEP_R6(map, 0), STOREI(BPF_DW, R10, -32, 0), STOREI(BPF_DW, R10, -24, 0),
			MOV(R1, R10), ADDI(R1, -32), MOVI(R2, 16), CALL(BPF_FUNC_get_current_comm),
			LOAD(BPF_DW, R6, R10, -32), KEEP_R6(map, 1), CALL(BPF_FUNC_ktime_get_ns),
			MOV(R6, R0), KEEP_R6(map, 2), CALL(BPF_FUNC_get_current_uid_gid),
			MOV(R6, R0), KEEP_R6(map, 3), MOVI(R0, 0), EXIT());
	char comm[17] = {0};
	uint64_t word;
	struct timespec now;
	FILE *file = fopen("/proc/self/comm", "r");

	event = attach_getppid(prog);
	calls(1);
	clock_gettime(CLOCK_MONOTONIC, &now);
	is((long)map_value(map, 0), (long)((uint64_t)getpid() << 32 | (uint64_t)getpid()),
	   "pid and tgid");
	if (!file || fread(comm, 1, 16, file) == 0)
		printf("# no name\n");
	word = map_value(map, 1);
	ok(!strncmp((char *)&word, comm, strcspn(comm, "\n") < 8 ? strcspn(comm, "\n") : 8),
	   "the name");
	ok(map_value(map, 2) <= (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
	   "the time");
	is((long)map_value(map, 3), 0, "root");
	fclose(file);
	close(event);
	close(prog);
	close(map);
}

/* A string of ring 3, as a call got it. */
static void test_probe_read(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0),
	    event = open_traced("syscalls/sys_enter_access");
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, LOAD(BPF_DW, R3, R1, 16),
			STOREI(BPF_DW, R10, -32, 0), MOV(R1, R10), ADDI(R1, -32), MOVI(R2, 8),
			CALL(BPF_FUNC_probe_read_user_str), MOV(R6, R0), KEEP_R6(map, 0),
			LOAD(BPF_DW, R6, R10, -32), KEEP_R6(map, 1), MOVI(R0, 0), EXIT());
	uint64_t word;

	ioctl(event, PERF_EVENT_IOC_SET_BPF, prog);
	syscall(SYS_access, "/dev", F_OK);
	word = map_value(map, 1);
	is((long)map_value(map, 0), 5, "a string of ring 3: its length with the NUL");
	ok(!strcmp((char *)&word, "/dev"), "probe_read_str reads the string");
	syscall(SYS_access, (char *)8, F_OK);
	is((long)map_value(map, 0), -EFAULT, "probe_read of unmapped memory: EFAULT");
	close(event);
	close(prog);
	close(map);
}

static void test_tail_call(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0),
	    jumps = (int)map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2, 0);
	int second =
		PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R6, 5), KEEP_R6(map, 0), MOVI(R0, 0), EXIT()),
	    event;
	int first =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R2, jumps), MOVI(R3, 1), CALL(BPF_FUNC_tail_call),
		 MOVI(R6, 3), KEEP_R6(map, 0), MOVI(R0, 0), EXIT());
	uint32_t key = 1;

	event = attach_getppid(first);
	calls(1);
	is((long)map_value(map, 0), 3, "a tail call to nothing goes on");
	is(map_command(BPF_MAP_UPDATE_ELEM, jumps, &key, &second, BPF_ANY), 0,
	   "a program goes into an array");
	calls(1);
	is((long)map_value(map, 0), 5, "a tail call");
	is(map_command(BPF_MAP_DELETE_ELEM, jumps, &key, NULL, 0), 0, "a program leaves the array");
	calls(1);
	is((long)map_value(map, 0), 3, "a removed program is not called");
	close(event);
	close(first);
	close(second);
	close(jumps);
	close(map);
}

static void test_function(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), event;
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R1, 20), MOVI(R6, 1),
			INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 13),
			INSN(BPF_ALU64 | BPF_ADD | BPF_X, R6, R0, 0, 0), KEEP_R6(map, 0),
			MOVI(R0, 0), EXIT(),
			/* the function */
			MOV(R6, R1), ADDI(R6, 21), MOV(R0, R6), EXIT());

	ok(prog >= 0, "a program with a function");
	event = attach_getppid(prog);
	calls(1);
	is((long)map_value(map, 0), 42, "is called, and keeps R6");
	close(event);
	close(prog);
	close(map);
}

/* ---- data for ring 3 ---- */

static int open_output(struct perf_ring *ring)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
	int fd;

	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	attr.wakeup_events = 1;
	fd = perf_open(&attr, -1, 0, -1, 0);
	perf_map(ring, fd, 1, PROT_READ | PROT_WRITE);
	return fd;
}

/* Puts 16 bytes out to index `at`, and the result into the array. */
#define OUTPUT(events, map, at)                                                                    \
	MOV(R9, R1), WIDE(R1, 0x1122334455667788), STORE(BPF_DW, R10, -32, R1),                    \
	    STOREI(BPF_DW, R10, -24, 9), MOV(R1, R9), MAP(R2, events), WIDE(R3, at), MOV(R4, R10), \
	    ADDI(R4, -32), MOVI(R5, 16), CALL(BPF_FUNC_perf_event_output), MOV(R6, R0),            \
	    KEEP_R6(map, 0), MOVI(R0, 0), EXIT()

/* The result of one output with these flags. */
static long output_result(int events, uint64_t flags)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog, event;
	long result;

	prog = PROG(BPF_PROG_TYPE_TRACEPOINT, OUTPUT(events, map, flags));
	event = attach_getppid(prog);
	calls(1);
	result = (long)map_value(map, 0);
	close(event);
	close(prog);
	close(map);
	return result;
}

static void test_perf_buffer(void)
{
	int events = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 2, 0), fd, clock;
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct perf_ring ring;
	uint32_t key = 0;

	fd = open_output(&ring);
	is(output_result(events, BPF_F_CURRENT_CPU), -ENOENT, "no event is there: ENOENT");
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_ANY), 0,
	   "an event goes into the array");
	is(map_command(BPF_MAP_LOOKUP_ELEM, events, &key, &clock, 0), -524,
	   "an event's element cannot be looked up");
	is(output_result(events, BPF_F_CURRENT_CPU), 0, "16 bytes go out");
	ok(perf_next(&ring, &record) && record.header.type == PERF_RECORD_SAMPLE,
	   "16 bytes arrive in the ring");
	is(record.header.size, 8 + 24, "16 bytes arrive in one record");
	is((uint32_t)record.words[0], 20, "the record has their size");
	ok((uint32_t)(record.words[0] >> 32) == 0x55667788 &&
	       (uint32_t)record.words[1] == 0x11223344,
	   "the record has the bytes sent");
	is(output_result(events, 1), -ENOENT, "output to an empty index: ENOENT");
	is(output_result(events, 2), -E2BIG, "beyond the end: E2BIG");
	is(output_result(events, 1ul << 33), -EINVAL, "an unknown flag: EINVAL");
	key = 5;
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_ANY), -E2BIG,
	   "no such element: E2BIG");
	key = 0;
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_NOEXIST), -EINVAL,
	   "only BPF_ANY: EINVAL");
	clock = perf_open(&attr, -1, 0, -1, 0);
	map_command(BPF_MAP_UPDATE_ELEM, events, &key, &clock, BPF_ANY);
	is(output_result(events, 0), -EINVAL, "an event that takes none: EINVAL");
	is(map_command(BPF_MAP_DELETE_ELEM, events, &key, NULL, 0), 0, "an event leaves the array");
	is(output_result(events, 0), -ENOENT, "a removed event is not there: ENOENT");
	close(clock);
	perf_unmap(&ring);
	close(fd);
	close(events);
}

/* Fills the ring: samples without room are reported as lost. */
static void test_perf_buffer_full(void)
{
	int events = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1, 0), fd;
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog, event;
	struct perf_ring ring;
	uint32_t key = 0;

	fd = open_output(&ring);
	map_command(BPF_MAP_UPDATE_ELEM, events, &key, &fd, BPF_ANY);
	prog = PROG(BPF_PROG_TYPE_TRACEPOINT, OUTPUT(events, map, BPF_F_CURRENT_CPU));
	event = attach_getppid(prog);
	calls(4096 / 32 + 10);
	is((long)map_value(map, 0), -ENOSPC, "no room: ENOSPC");
	while (perf_next(&ring, &record))
		;
	calls(1);
	ok(perf_next(&ring, &record) && record.header.type == PERF_RECORD_LOST &&
	       record.words[1] >= 10,
	   "LOST tells how many");
	close(event);
	close(prog);
	perf_unmap(&ring);
	close(fd);
	close(map);
	close(events);
}

/* Records of a ring buffer as libbpf reads them. */
struct ring {
	volatile uint64_t *consumer;
	const volatile uint64_t *producer;
	const uint8_t *data;
	uint64_t mask;
};

static const void *ring_next(struct ring *ring, uint32_t *length)
{
	while (*ring->consumer < *ring->producer) {
		const uint8_t *at = ring->data + (*ring->consumer & ring->mask);
		uint32_t header = *(const volatile uint32_t *)at;

		if (header & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		*length = header & ~BPF_RINGBUF_DISCARD_BIT;
		*ring->consumer += (*length + 8 + 7) & ~7ul;
		if (!(header & BPF_RINGBUF_DISCARD_BIT))
			return at + 8;
	}
	return NULL;
}

static void test_ring_buffer(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog, event;
	struct ring ring = {.mask = 4095};
	uint32_t length = 0;
	const uint64_t *data;
	unsigned total = 0;

	ring.consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	ring.producer = mmap(NULL, 4096 + 2 * 4096, PROT_READ, MAP_SHARED, map, 4096);
	ok(ring.consumer != MAP_FAILED && ring.producer != MAP_FAILED, "a ring buffer is mapped");
	ok(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map, 4096) == MAP_FAILED &&
	       errno == EPERM,
	   "the producer's page not to write: EPERM");
	ring.data = (const uint8_t *)ring.producer + 4096;
	prog =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R1, map), MOVI(R2, 24), MOVI(R3, 0),
		 CALL(BPF_FUNC_ringbuf_reserve), JUMPI(BPF_JEQ, R0, 0, 6),
		 STOREI(BPF_DW, R0, 0, 77), STOREI(BPF_DW, R0, 8, 78), STOREI(BPF_DW, R0, 16, 79),
		 MOV(R1, R0), MOVI(R2, 0), CALL(BPF_FUNC_ringbuf_submit), MOVI(R0, 0), EXIT());
	ok(prog >= 0, "a program that reserves and submits");
	event = attach_getppid(prog);
	calls(1);
	data = ring_next(&ring, &length);
	ok(data && length == 24 && data[0] == 77 && data[2] == 79, "a record");
	/* Three times around. */
	for (unsigned i = 0; i < 384; i++) {
		calls(1);
		while ((data = ring_next(&ring, &length)))
			total += data[1] == 78;
	}
	is(total, 384, "no record is lost while they are read");
	calls(300);
	for (total = 0; ring_next(&ring, &length); total++)
		;
	ok(total >= 120 && total <= 128, "a ring holds what fits");
	is(map_command(BPF_MAP_LOOKUP_ELEM, map, &length, &length, 0), -EINVAL,
	   "a ring buffer has no elements");
	close(event);
	close(prog);
	close(map);
}

/* ---- samples ---- */

static void test_sampled(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 3, 0), event, wrong;
	int prog =
	    PROG(BPF_PROG_TYPE_PERF_EVENT, MOV(R9, R1), LOAD(BPF_DW, R6, R9, 168), KEEP_R6(map, 1),
		 LOAD(BPF_DW, R6, R9, 128), KEEP_R6(map, 2), COUNT_IN(map), MOVI(R0, 0), EXIT());
	struct perf_ring ring;
	union bpf_attr link;
	int fd;

	attr.sample_period = 100000;
	attr.exclude_kernel = 1;
	attr.disabled = 1; /* no sample before the program is there */
	event = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, event, 1, PROT_READ | PROT_WRITE);
	wrong = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT());
	ok(ioctl(event, PERF_EVENT_IOC_SET_BPF, wrong) && errno == EINVAL,
	   "a program of another type: EINVAL");
	ok(ioctl(event, PERF_EVENT_IOC_SET_BPF, 900) && errno == EBADF, "no program: EBADF");
	memset(&link, 0, sizeof(link));
	link.link_create.prog_fd = (uint32_t)prog;
	link.link_create.target_fd = (uint32_t)event;
	link.link_create.attach_type = BPF_PERF_EVENT;
	fd = (int)bpf(BPF_LINK_CREATE, &link);
	ok(fd >= 0, "a program at samples, by a link");
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	while (map_value(map, 0) < 5)
		perf_loop(1000);
	ok(map_value(map, 1) >= 100000, "a program at samples sees the period");
	ok(map_value(map, 2) && map_value(map, 2) < 1ul << 47,
	   "a program at samples sees the address in ring 3");
	ok(!perf_next(&ring, &record), "a program that returns 0: no sample is written");
	close(fd);
	while (!perf_next(&ring, &record))
		perf_loop(1000);
	ok(record.header.type == PERF_RECORD_SAMPLE, "without the link they are");
	close(event);
	close(wrong);
	close(prog);
	close(map);
}

static void test_stacks(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0),
	    stacks = (int)map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 127 * 8, 64, 0), event;
	int prog =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R2, stacks), MOVI(R3, BPF_F_USER_STACK),
		 CALL(BPF_FUNC_get_stackid), MOV(R6, R0), KEEP_R6(map, 0), MOVI(R0, 0), EXIT());
	uint64_t addresses[127] = {0};
	uint32_t id;

	event = attach_getppid(prog);
	calls(1);
	id = (uint32_t)map_value(map, 0);
	ok(id < 64, "a stack has a number");
	is(map_command(BPF_MAP_LOOKUP_ELEM, stacks, &id, addresses, 0), 0,
	   "a stack is found by its number");
	ok(addresses[0] && addresses[0] < 1ul << 47, "a stack begins in ring 3");
	calls(1);
	ok(map_value(map, 0) < 64, "another is found, too");
	is(map_command(BPF_MAP_DELETE_ELEM, stacks, &id, NULL, 0), 0, "a stack is deleted");
	is(map_command(BPF_MAP_LOOKUP_ELEM, stacks, &id, addresses, 0), -ENOENT,
	   "a deleted stack is not there: ENOENT");
	close(event);
	close(prog);
	close(stacks);
	close(map);
}

static void test_raw(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), fd;
	int prog = PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, LOAD(BPF_DW, R6, R1, 8),
			JUMPI(BPF_JNE, R6, SYS_getppid, 9), COUNT_IN(map), MOVI(R0, 0), EXIT());
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)prog;
	attr.raw_tracepoint.name = (uintptr_t) "sys_enter";
	fd = (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	ok(fd >= 0, "a raw tracepoint");
	calls(CALLS);
	close(fd);
	calls(CALLS);
	is((long)map_value(map, 0), CALLS, "each call runs the raw tracepoint's program");
	attr.raw_tracepoint.name = (uintptr_t) "nothing";
	is(bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), -ENOENT, "no such one: ENOENT");
	close(prog);
	close(map);
}

int main(void)
{
	mount_tracefs();
	test_count();
	test_context();
	test_task_helpers();
	test_probe_read();
	test_tail_call();
	test_function();
	test_perf_buffer();
	test_perf_buffer_full();
	test_ring_buffer();
	test_sampled();
	test_stacks();
	test_raw();
	return tap_end();
}
