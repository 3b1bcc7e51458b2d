/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes in the kernel: calls and returns of a system call's function, arguments, programs,
 * refused addresses. The functions are ones that both kernels have. */
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/probes.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CALLS 20

static struct perf_record record;

/* The name of a function that getppid(2), close(2) end in. */
static const char *function_of(const char *call)
{
	static char name[64];
	char line[256], symbol[128];
	FILE *symbols = fopen("/proc/kallsyms", "r");
	bool ours = true;

	snprintf(name, sizeof(name), "__x64_sys_%s", call);
	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%*s %*s %127s", symbol) == 1 && !strcmp(symbol, name))
			ours = false;
	fclose(symbols);
	if (ours)
		snprintf(name, sizeof(name), "sys_%s", call);
	return name;
}

static uint64_t address_of(const char *name)
{
	char line[256], symbol[128];
	FILE *symbols = fopen("/proc/kallsyms", "r");
	uint64_t address, found = 0;

	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%lx %*s %127s", &address, symbol) == 2 && !strcmp(symbol, name))
			found = address;
	fclose(symbols);
	return found;
}

/* Linux's probes at functions are ftrace's, which another program may have switched off. */
static void switch_ftrace_on(void)
{
	int fd = open("/proc/sys/kernel/ftrace_enabled", O_WRONLY);

	if (fd >= 0 && write(fd, "1", 1) != 1)
		printf("# ftrace stays off\n");
	close(fd);
}

static struct perf_event_attr kprobe_attr(const char *name, uint64_t offset, bool returns)
{
	struct perf_event_attr attr = perf_attr(pmu_type("kprobe"), returns);

	attr.kprobe_func = (uintptr_t)name;
	attr.probe_offset = offset;
	return attr;
}

static int kprobe_count(const char *name, bool returns)
{
	struct perf_event_attr attr = kprobe_attr(name, 0, returns);

	return perf_try(&attr, 0, -1, -1, 0);
}

static void calls(int number)
{
	while (number--)
		syscall(SYS_getppid);
}

static void test_counts(void)
{
	int enters = kprobe_count(function_of("getppid"), false),
	    returns = kprobe_count(function_of("getppid"), true),
	    more = kprobe_count(function_of("getppid"), false);

	ok(enters >= 0 && returns >= 0 && more >= 0, "probes at a function of the kernel");
	calls(CALLS);
	is((long)perf_value(enters), CALLS, "a probed function's calls are counted");
	is((long)perf_value(returns), CALLS, "a probed function's returns are counted");
	close(enters);
	calls(CALLS);
	is((long)perf_value(more), 2 * CALLS, "closing one probe leaves the other");
	close(more);
	close(returns);
	is(syscall(SYS_getppid), getppid(), "without probes the call is as it was");
}

/* Each instruction of the function, as far as there are any. */
static void test_each(void)
{
	const char *name = function_of("umask");
	unsigned placed = 0, wrong = 0;

	for (uint64_t offset = 0; offset < 24; offset++) {
		struct perf_event_attr attr = kprobe_attr(name, offset, false);
		int fd = perf_try(&attr, 0, -1, -1, 0);

		if (fd < 0)
			continue;
		placed++;
		umask(022);
		wrong += umask(022) != 022;
		close(fd);
	}
	ok(placed > 3 && !wrong, "a function does the same with a probe at each instruction");
}

static void test_sleeping(void)
{
	const char *name = function_of("wait4");
	int fd = kprobe_count(name, true), status = -1, pid = fork();

	if (!pid) {
		usleep(1000);
		_exit(3);
	}
	is(waitpid(pid, &status, 0), pid, "a function that sleeps");
	is(WEXITSTATUS(status), 3, "ends as ever");
	is((long)perf_value(fd), 1, "the return of a sleeping call is counted");
	close(fd);
}

static void test_record(void)
{
	char text[128];
	struct perf_event_attr attr;
	struct perf_ring ring;
	uint64_t words[3];
	int fd;

	snprintf(text, sizeof(text), "r:mine/k %s result=$retval:s64\n", function_of("getppid"));
	is(tracefs_write("kprobe_events", text, O_APPEND), 0, "a probe is defined");
	attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("mine/k"));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	fd = perf_open(&attr, 0, -1, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	calls(1);
	ok(perf_next(&ring, &record), "a return is sampled");
	memcpy(words, (char *)record.words + 12, sizeof(words));
	ok(words[0] >> 47 == 0x1ffff && words[1] >> 47 == 0x1ffff,
	   "the function and where it returns to");
	is((long)words[2], getppid(), "a return's record has the result");
	perf_unmap(&ring);
	is(tracefs_write("kprobe_events", "-:mine/k\n", O_APPEND), -EBUSY,
	   "removing a probe in use: EBUSY");
	close(fd);
	is(tracefs_write("kprobe_events", "-:mine/k\n", O_APPEND), 0, "then it goes");
}

static uint64_t symbol(const char *wanted)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	uint64_t address, found = 0;

	while (!found && fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%lx %*c %255s", &address, name) == 2 && !strcmp(name, wanted))
			found = address;
	fclose(symbols);
	return found;
}

/* As perf probe names places. */
static void test_text(void)
{
	uint64_t offset = symbol(function_of("getppid")) - symbol("_stext");
	struct perf_event_attr attr;
	char text[128];
	int fd;

	snprintf(text, sizeof(text), "p:mine/k _stext+%lu regs=$arg1\n", offset);
	is(tracefs_write("kprobe_events", text, O_APPEND), 0, "a place from the text's begin on");
	attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of("mine/k"));
	fd = perf_open(&attr, 0, -1, -1, 0);
	calls(3);
	is((long)perf_value(fd), 3, "is the function");
	close(fd);
	is(tracefs_write("kprobe_events", "-:mine/k\n", O_APPEND), 0, "a probe is removed");
	snprintf(text, sizeof(text), "r:mine/k _stext+%lu\n", offset);
	is(tracefs_write("kprobe_events", text, O_APPEND), 0, "a probe of a return is defined");
	is(tracefs_write("kprobe_events", "-:mine/k\n", O_APPEND), 0, "goes, too");
}

static void test_program(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 2, 0);
	int prog = PROG(BPF_PROG_TYPE_KPROBE, CALL(BPF_FUNC_get_func_ip), MOV(R6, R0), MAP(R1, map),
			STOREI(BPF_W, R10, -4, 0), MOV(R2, R10), ADDI(R2, -4),
			STORE(BPF_DW, R10, -16, R6), MOV(R3, R10), ADDI(R3, -16), MOVI(R4, 0),
			CALL(BPF_FUNC_map_update_elem), MOVI(R0, 0), EXIT());
	int fd = kprobe_count(function_of("getppid"), false);

	is(ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog), 0, "a program at a probe");
	calls(1);
	ok(map_value(map, 0) >> 47 == 0x1ffff, "knows the function");
	close(fd);
	close(prog);
	close(map);
}

static void test_refused(void)
{
	struct perf_event_attr attr = kprobe_attr("no_such_function", 0, false);
	char text[128];

	is(perf_try(&attr, 0, -1, -1, 0), -ENOENT, "no such function: ENOENT");
	attr = kprobe_attr((void *)8, 0, false);
	is(perf_try(&attr, 0, -1, -1, 0), -EFAULT, "a name that cannot be read: EFAULT");
	attr = kprobe_attr(is_linux() ? "exc_int3" : "exception_from_kernel", 0, false);
	is(perf_try(&attr, 0, -1, -1, 0), -EINVAL, "a probe at code that probes need: EINVAL");
	attr = kprobe_attr(NULL, 0x1000, false);
	is(perf_try(&attr, 0, -1, -1, 0), -ENOENT,
	   "an address that is none of the kernel's: ENOENT");
	is(tracefs_write("kprobe_events", "p:mine/no no_such_function\n", O_APPEND), -ENOENT,
	   "tracefs: no such function");
	snprintf(text, sizeof(text), "p:mine/no %s $retval\n", function_of("getppid"));
	is(tracefs_write("kprobe_events", text, O_APPEND), -EINVAL, "no result at a call");
	snprintf(text, sizeof(text), "p:mine/no %s+1x\n", function_of("getppid"));
	is(tracefs_write("kprobe_events", text, O_APPEND), -EINVAL, "no number");
}

/* The next TEXT_POKE within so many bytes from `address`: false when there is none. */
static bool next_poke(struct perf_ring *ring, uint64_t address, uint64_t bytes)
{
	while (perf_next(ring, &record))
		if (record.header.type == PERF_RECORD_TEXT_POKE && record.words[0] >= address &&
		    record.words[0] < address + bytes)
			return true;
	return false;
}

/* How the code of the probed function changes, and back. */
static void test_pokes(void)
{
	const char *name = function_of("getppid");
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	uint8_t first[16] = {0}, last[16] = {0};
	struct perf_ring ring;
	uint64_t address = address_of(name);
	uint16_t lengths[2] = {0};
	int fd, probe;

	attr.text_poke = 1;
	fd = perf_open(&attr, -1, 0, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	probe = kprobe_count(name, false);
	ok(next_poke(&ring, address, 8), "TEXT_POKE tells of a probe");
	memcpy(lengths, &record.words[1], sizeof(lengths));
	ok(lengths[0] && lengths[0] == lengths[1] && lengths[0] <= 5, "code for code");
	ok(record.header.size == 16 + ((4 + 2 * lengths[0] + 7) & ~7),
	   "TEXT_POKE has the old and the new bytes only");
	memcpy(first, (char *)&record.words[1] + 4, 2 * lengths[0]);
	ok(memcmp(first, first + lengths[0], lengths[0]) != 0, "TEXT_POKE's bytes differ");
	close(probe);
	while (next_poke(&ring, address, 8))
		memcpy(last, (char *)&record.words[1] + 4, 2 * lengths[0]);
	ok(!memcmp(last + lengths[0], first, lengths[0]), "the last TEXT_POKE restores the bytes");
	perf_unmap(&ring);
	close(fd);
}

/* Returns the function of task_rename; the debug kernel has a check before it. */
static const char *renaming(void)
{
	static const char checked[] = "__wrap_task_rename";

	if (is_linux())
		return "__set_task_comm";
	return address_of(checked) ? checked : "task_rename";
}

static void named(int times)
{
	while (times--)
		prctl(PR_SET_NAME, "other");
}

/* An event at a function of the kernel and a probe there, in any order. */
static void test_event_too(void)
{
	const char *name = renaming();
	struct perf_event_attr event = perf_attr(PERF_TYPE_TRACEPOINT, id_of("task/task_rename")),
			       inside = kprobe_attr(name, 1, false);
	char now[16];
	int fd, probe;

	fd = perf_open(&event, -1, 0, -1, 0);
	probe = kprobe_count(name, false);
	named(CALLS);
	is((long)perf_value(fd), CALLS, "an event at a function that is probed, too");
	is((long)perf_value(probe), CALLS, "a probe at an event's function counts as well");
	is(perf_try(&inside, 0, -1, -1, 0), -EILSEQ, "a probe within an event's jump: EILSEQ");
	close(fd);
	named(CALLS);
	is((long)perf_value(probe), 2 * CALLS, "the probe stays when the event goes");
	fd = perf_open(&event, -1, 0, -1, 0);
	named(CALLS);
	close(probe);
	named(CALLS);
	is((long)perf_value(fd), 2 * CALLS, "the event stays when the probe goes");
	close(fd);
	named(CALLS);
	prctl(PR_GET_NAME, now);
	ok(!strcmp(now, "other"), "the function does what it did");
}

/* The bytes that are patched for an event. */
static void test_event_pokes(void)
{
	uint64_t address = address_of(renaming());
	struct perf_event_attr event = perf_attr(PERF_TYPE_TRACEPOINT, id_of("task/task_rename"));
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	uint8_t first[16] = {0}, last[16] = {0};
	struct perf_ring ring;
	uint16_t lengths[2] = {0};
	int fd, patched;

	attr.text_poke = 1;
	fd = perf_open(&attr, -1, 0, -1, 0);
	perf_map(&ring, fd, 8, PROT_READ | PROT_WRITE);
	patched = perf_open(&event, -1, 0, -1, 0);
	ok(next_poke(&ring, address, 256), "TEXT_POKE tells of an event's place");
	address = record.words[0];
	memcpy(lengths, &record.words[1], sizeof(lengths));
	ok(lengths[0] == lengths[1] && (lengths[0] == 5 || lengths[0] == 2), "a jump's bytes");
	memcpy(first, (char *)&record.words[1] + 4, 2ul * lengths[0]);
	ok(memcmp(first, first + lengths[0], lengths[0]) != 0,
	   "the bytes of an event's jump differ");
	close(patched);
	while (next_poke(&ring, address, 1))
		memcpy(last, (char *)&record.words[1] + 4, 2ul * lengths[0]);
	ok(!memcmp(last + lengths[0], first, lengths[0]),
	   "the last TEXT_POKE of an event restores the bytes");
	perf_unmap(&ring);
	close(fd);
}

int main(void)
{
	switch_ftrace_on();
	mount_tracefs();
	tracefs_write("../../../proc/sys/kernel/kptr_restrict", "0", 0);
	test_counts();
	test_each();
	test_sleeping();
	test_record();
	test_text();
	test_program();
	test_refused();
	test_pokes();
	test_event_too();
	test_event_pokes();
	return tap_end();
}
