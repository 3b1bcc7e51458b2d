/* SPDX-License-Identifier: BSD-2-Clause */
/* Single answers that clients depend on, and that no table of the other programs asks for. */
#include "oracle.h"
#include "../guest/bpf/bpf_insns.h"
#include "../guest/bpf/bpf_sys.h"
#include "../guest/trace/tracing.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- groups whose members have changed since a child inherited them ---- */

static int open_member(uint64_t config, int leader)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, config);

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	return perf_try(&attr, 0, -1, leader, 0);
}

static void read_group(int fd, const char *what)
{
	uint64_t values[16] = {0};
	long result = failed(read(fd, values, sizeof(values)));

	report(result, "inherited group, %s", what);
	if (result >= 0)
		printf("  %ld bytes of %lu events\n", result, values[0]);
}

static void inherited_groups(void)
{
	int leader = open_member(PERF_COUNT_SW_DUMMY, -1),
	    first = open_member(PERF_COUNT_SW_PAGE_FAULTS, leader),
	    second = open_member(PERF_COUNT_SW_TASK_CLOCK, leader), third;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	read_group(leader, "as inherited");
	third = open_member(PERF_COUNT_SW_DUMMY, leader);
	read_group(leader, "one added");
	read_group(third, "read by the new one");
	close(third);
	read_group(leader, "the new one closed");
	close(second);
	read_group(leader, "an old one closed");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	read_group(leader, "the child gone");
	close(first);
	close(leader);
}

/* ---- programs at a tracepoint ---- */

static int open_point(void)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));

	attr.sample_period = 1;
	return perf_try(&attr, 0, -1, -1, 0);
}

static long load_program(void)
{
	const struct bpf_insn insns[] = {{.code = 0xb7}, {.code = 0x95}}; /* r0 = 0; exit */
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insn_cnt = COUNT(insns);
	attr.insns = (uintptr_t)insns;
	attr.license = (uintptr_t) "GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static void set_program(int event, long program, const char *what)
{
	report(failed(ioctl(event, PERF_EVENT_IOC_SET_BPF, program)), "SET_BPF, %s", what);
}

static void programs(void)
{
	int events[] = {open_point(), open_point(), open_point()};
	long first = load_program(), second = load_program();

	set_program(events[0], first, "the first");
	set_program(events[0], second, "another at the same event");
	set_program(events[1], first, "the same at another event");
	set_program(events[1], second, "another at another event");
	close(events[0]);
	set_program(events[2], second, "the same, which stays");
	set_program(events[2], first, "the same, whose event is closed");
	for (unsigned i = 0; i < COUNT(events); i++)
		close(events[i]);
	close((int)first);
	close((int)second);
}

/* ---- bytes in filters ---- */

static void filters(void)
{
	static const char *const formats[] = {
	    "%c",  "(%c)", "common_pid%c",   "%c==1",
	    " %c", "!%c",  "common_pid==%c", "common_pid == 1 %c"};
	int fd = open_point();
	char text[32];

	for (unsigned f = 0; f < COUNT(formats); f++) {
		row("filter %s, the byte from 1 to 255", formats[f]);
		for (unsigned byte = 1; byte < 256; byte++) {
			snprintf(text, sizeof(text), formats[f], (char)byte);
			cell(failed(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)));
		}
		row_end();
	}
	close(fd);
}

/* ---- files ---- */

static void write_number(const char *path, long value)
{
	char text[32];
	int fd = open(path, O_WRONLY);

	snprintf(text, sizeof(text), "%ld", value);
	report(failed(write(fd, text, strlen(text))), "%s: %s", path, text);
	close(fd);
}

static void depths(void)
{
	static const long values[] = {-1, 0, 127, 511, 512, 640, 641, 1000, 65535, 655360, 655361};

	for (unsigned i = 0; i < COUNT(values); i++)
		write_number("/proc/sys/kernel/perf_event_max_stack", values[i]);
	write_number("/proc/sys/kernel/perf_event_max_stack", 127);
}

static void modes(void)
{
	static const char *const files[] = {"events/syscalls/sys_enter_getppid/id",
					    "events/syscalls/sys_enter_getppid/format",
					    "events/syscalls/sys_enter_getppid/enable",
					    "events/header_page",
					    "trace",
					    "README",
					    "available_events",
					    "trace_clock",
					    "current_tracer",
					    "saved_cmdlines"},
				 *const how[] = {"r", "r+", "w", "w+", "a", "a+"};

	for (unsigned f = 0; f < COUNT(files); f++) {
		row("fopen of %s in each mode", files[f]);
		for (unsigned h = 0; h < COUNT(how); h++) {
			char path[128];
			FILE *file;

			snprintf(path, sizeof(path), TRACING "%s", files[f]);
			file = fopen(path, how[h]);
			cell(file ? 0 : -errno);
			if (file)
				fclose(file);
		}
		row_end();
	}
}

/* libbpf seeks to the end to know the size. */
static void types(void)
{
	FILE *file = fopen("/sys/kernel/btf/vmlinux", "r");
	struct stat status = {0};
	long bytes = 0, end;

	if (!file) {
		printf("types of the kernel: none\n");
		return;
	}
	stat("/sys/kernel/btf/vmlinux", &status);
	fseek(file, 0, SEEK_END);
	end = ftell(file);
	rewind(file);
	while (fgetc(file) != EOF)
		bytes++;
	fclose(file);
	printf("types of the kernel: %s, stat %s, end %s\n", bytes ? "some" : "empty",
	       status.st_size == bytes ? "exact" : "wrong", end == bytes ? "exact" : "wrong");
}

/* Functions with external and with internal linkage. */
static void kernel_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned shared = 0, own = 0;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		shared += line[17] == 'T';
		own += line[17] == 't';
	}
	printf("kallsyms: T %s, t %s\n", shared > 100 ? "many" : "few", own > 100 ? "many" : "few");
	if (file)
		fclose(file);
}

int main(void)
{
	mount_tracefs();
	inherited_groups();
	programs();
	filters();
	depths();
	modes();
	types();
	kernel_symbols();
	return 0;
}
