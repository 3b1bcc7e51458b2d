/* SPDX-License-Identifier: BSD-2-Clause */
/* Where BPF and events meet: the records of programs that come and go, events that programs read,
 * cookies. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static struct perf_record record;

/* Returns Linux's information about the program. */
static struct bpf_prog_info info_of(int prog)
{
	struct bpf_prog_info info = {0};

	object_info(prog, &info, sizeof(info));
	return info;
}

static void next(struct perf_ring *ring, uint32_t type, const char *what)
{
	record.header.type = 0;
	while (perf_next(ring, &record) && record.header.type != type)
		;
	is(record.header.type, type, what);
}

/* KSYMBOL: address, then length, type and flags, then the name. */
static void check_symbol(const char *name, unsigned flags)
{
	char *text = (char *)&record.words[2];

	ok(record.words[0] >> 47 == 0x1ffff, "where the program lies");
	ok((uint32_t)record.words[1] > 0, "how long it is");
	is((record.words[1] >> 32) & 0xffff, PERF_RECORD_KSYMBOL_TYPE_BPF,
	   "KSYMBOL is of type BPF");
	is(record.words[1] >> 48, flags, "whether it goes");
	ok(!strncmp(text, name, strlen(name)), "KSYMBOL's name has the tag: %s", text);
}

/* The tags are Linux's: of the instructions, without the number of a map's descriptor. */
static void test_tags(void)
{
	static const uint8_t nothing[8] = {0xa0, 0x4f, 0x5e, 0xef, 0x06, 0xa7, 0xf5, 0x55};
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT()), maps[2], progs[2];
	struct bpf_prog_info info = info_of(prog), other;

	ok(!memcmp(info.tag, nothing, sizeof(nothing)), "the tag of a program that does nothing");
	close(prog);
	for (int i = 0; i < 2; i++) {
		maps[i] = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
		progs[i] = PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R1, maps[i]), MOVI(R0, 0), EXIT());
	}
	info = info_of(progs[0]);
	other = info_of(progs[1]);
	ok(!memcmp(info.tag, other.tag, sizeof(info.tag)),
	   "a program's tag does not depend on its map");
	for (int i = 0; i < 2; i++) {
		close(progs[i]);
		close(maps[i]);
	}
}

static void test_records(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct bpf_prog_info info;
	struct perf_ring ring;
	char name[32] = "bpf_prog_";
	int fd, prog;

	attr.ksymbol = attr.bpf_event = 1;
	fd = perf_open(&attr, -1, 0, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	prog = PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R0, 0), EXIT());
	info = info_of(prog);
	for (unsigned i = 0; i < sizeof(info.tag); i++)
		sprintf(name + strlen(name), "%02x", info.tag[i]);
	next(&ring, PERF_RECORD_KSYMBOL, "a program comes: KSYMBOL");
	check_symbol(name, 0);
	next(&ring, PERF_RECORD_BPF_EVENT, "and BPF_EVENT");
	is(record.words[0] & 0xffff, PERF_BPF_EVENT_PROG_LOAD, "BPF_EVENT reports a load");
	is((long)(record.words[0] >> 32), info.id, "BPF_EVENT has the program's number");
	ok(!memcmp(&record.words[1], info.tag, sizeof(info.tag)),
	   "BPF_EVENT has the program's tag");
	close(prog);
	for (int i = 0; i < 100 && ring.page->data_head == ring.tail; i++)
		usleep(10000); /* Linux waits until no processor can still run it */
	next(&ring, PERF_RECORD_BPF_EVENT, "it goes: BPF_EVENT");
	is(record.words[0] & 0xffff, PERF_BPF_EVENT_PROG_UNLOAD, "BPF_EVENT reports an unload");
	is((long)(record.words[0] >> 32), info.id, "the unload has the program's number");
	perf_unmap(&ring);
	close(fd);
}

static int open_getppid(void)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));

	return perf_open(&attr, -1, 0, -1, 0);
}

/* Both helpers, of the events in the map's elements: 0 a clock, 1 none, 2 another task's. */
static int reader(int events, int values)
{
	return PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R1, events), MOVI(R2, 0),
		    CALL(BPF_FUNC_perf_event_read), MOV(R6, R0), KEEP_R6(values, 0),
		    MAP(R1, events), MOVI(R2, 0), MOV(R3, R10), ADDI(R3, -40), MOVI(R4, 24),
		    CALL(BPF_FUNC_perf_event_read_value), MOV(R6, R0), KEEP_R6(values, 1),
		    LOAD(BPF_DW, R6, R10, -40), KEEP_R6(values, 2), LOAD(BPF_DW, R6, R10, -24),
		    KEEP_R6(values, 3), MAP(R1, events), MOVI(R2, 1),
		    CALL(BPF_FUNC_perf_event_read), MOV(R6, R0), KEEP_R6(values, 4),
		    MAP(R1, events), MOVI(R2, 2), CALL(BPF_FUNC_perf_event_read), MOV(R6, R0),
		    KEEP_R6(values, 5), MOVI(R0, 0), EXIT());
}

static void test_reading(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	int events = (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 3, 0),
	    values = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 6, 0);
	int clock, inherited, elsewhere, prog, event = open_getppid();
	pid_t other = fork();
	uint64_t before, after;
	uint32_t key = 0;

	if (!other) {
		pause();
		_exit(0);
	}
	attr.disabled = 0;
	elsewhere = perf_open(&attr, other, -1, -1, 0);
	clock = perf_open(&attr, 0, -1, -1, 0);
	attr.inherit = 1;
	inherited = perf_open(&attr, 0, -1, -1, 0);
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &clock, BPF_ANY), 0, "an event in a map");
	key = 1;
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &inherited, BPF_ANY), -EOPNOTSUPP,
	   "an inherited event in a map: EOPNOTSUPP");
	key = 2;
	is(map_command(BPF_MAP_UPDATE_ELEM, events, &key, &elsewhere, BPF_ANY), 0,
	   "another task's");
	prog = reader(events, values);
	ok(prog >= 0, "a program that reads them");
	is(ioctl(event, PERF_EVENT_IOC_SET_BPF, prog), 0,
	   "a program that reads events is attached to a call");
	before = perf_value(clock);
	syscall(SYS_getppid);
	after = perf_value(clock);
	ok(before < map_value(values, 0) && map_value(values, 0) < after,
	   "bpf_perf_event_read: between what is read before and after");
	is((long)map_value(values, 1), 0, "bpf_perf_event_read_value");
	ok(map_value(values, 0) < map_value(values, 2) && map_value(values, 2) < after,
	   "tells the count");
	ok(map_value(values, 3) > 0, "perf_event_read_value returns the time that it ran");
	is((long)map_value(values, 4), -ENOENT, "perf_event_read_value without an event: ENOENT");
	is((long)map_value(values, 5), -EINVAL,
	   "perf_event_read_value of another task's event: EINVAL");
	close(event);
	close(prog);
	close(elsewhere);
	close(inherited);
	close(clock);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(values);
	close(events);
}

static void test_cookie(void)
{
	int values = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), event = open_getppid(), link;
	int prog = PROG(BPF_PROG_TYPE_TRACEPOINT, CALL(BPF_FUNC_get_attach_cookie), MOV(R6, R0),
			KEEP_R6(values, 0), MOVI(R0, 0), EXIT());
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.target_fd = (uint32_t)event;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = 0x1234567890;
	link = (int)bpf(BPF_LINK_CREATE, &attr);
	ok(link >= 0, "a link with a cookie");
	syscall(SYS_getppid);
	is((long)map_value(values, 0), 0x1234567890, "get_attach_cookie returns the link's cookie");
	close(link);
	close(event);
	close(prog);
	close(values);
}

/* The program of a sampling event also filters the samples of a child's inherited event. */
static void test_inherited(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = perf_attr(type, config);
	int values = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	int prog =
	    PROG(BPF_PROG_TYPE_PERF_EVENT, MOVI(R6, 1), KEEP_R6(values, 0), MOVI(R0, 1), EXIT());
	uint64_t none = 0;
	uint32_t key = 0;
	int event, status = -1;
	pid_t child;

	attr.sample_period = 50000;
	attr.inherit = 1;
	event = perf_open(&attr, 0, -1, -1, 0);
	is(ioctl(event, PERF_EVENT_IOC_SET_BPF, prog), 0, "a program at an inherited event");
	child = fork();
	if (!child) {
		map_command(BPF_MAP_UPDATE_ELEM, values, &key, &none, BPF_ANY);
		for (volatile unsigned i = 0; i < 3000000; i++)
			if (i % 1024 == 0 && map_value(values, 0))
				break;
		_exit(map_value(values, 0) == 1 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	is(status, 0, "runs in a child");
	close(event);
	close(prog);
	close(values);
}

int main(void)
{
	mount_tracefs();
	test_tags();
	test_records();
	test_reading();
	test_cookie();
	test_inherited(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (have_hardware())
		test_inherited(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	return tap_end();
}
