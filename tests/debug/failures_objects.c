/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls about BPF, probes, mounts, control groups and tracees, to let fail. */
#include "tests/debug/failures.h"
#include "tests/fuzz/fuzz.h"
#include "tests/guest/bpf/bpf_insns.h"
#include "tests/guest/bpf/bpf_sys.h"
#include <linux/btf.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>

#define TRACING "/sys/kernel/tracing/"
#define PLACE   FAILURES_DIRECTORY "/directory"
#define PIN     "/sys/fs/bpf/failures"
#define GROUP   "/sys/fs/cgroup/failures"

static int map, program, types, event, fd;
static pid_t tracee;
static char buffer[4096];

void clean_objects(void)
{
	umount2(PLACE, MNT_DETACH);
	unlink(PIN);
	rmdir(GROUP);
	close(open(TRACING "kprobe_events", O_WRONLY | O_TRUNC));
	close(open(TRACING "uprobe_events", O_WRONLY | O_TRUNC));
}

static long put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_APPEND);
	long result = file < 0 ? -1 : write(file, text, strlen(text));

	if (file >= 0)
		close(file);
	return result;
}

/* ---- BPF ---- */

static long do_map(void)
{
	return map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
}

static long do_hash(void)
{
	return map_create(BPF_MAP_TYPE_HASH, 4, 8, 4, 0);
}

static long do_ring(void)
{
	return map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, PAGE, 0);
}

static void with_hash(void)
{
	map = (int)do_hash();
}

static long do_update(void)
{
	uint32_t key = 1;
	uint64_t value = 2;

	return map_command(BPF_MAP_UPDATE_ELEM, map, &key, &value, BPF_ANY);
}

static void with_map(void)
{
	map = (int)do_map();
}

static long do_load(void)
{
	return PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R1, map), MOVI(R0, 1), EXIT());
}

static long do_types(void)
{
	static struct {
		struct btf_header header;
		struct btf_type number;
		uint32_t bits;
		char strings[8];
	} data = {.header = {.magic = BTF_MAGIC,
			     .version = 1,
			     .hdr_len = sizeof(struct btf_header),
			     .type_len = 16,
			     .str_off = 16,
			     .str_len = 8},
		  .number = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = 4},
		  .bits = 32,
		  .strings = "\0number"};
	union bpf_attr attr = {.btf = (uintptr_t)&data, .btf_size = sizeof(data)};

	attr.btf_log_buf = (uintptr_t)buffer;
	attr.btf_log_size = sizeof(buffer);
	attr.btf_log_level = 1;
	return bpf(BPF_BTF_LOAD, &attr);
}

static void with_types(void)
{
	types = (int)do_types();
}

static long do_typed_map(void)
{
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY,
			       .key_size = 4,
			       .value_size = 4,
			       .max_entries = 2,
			       .btf_fd = (uint32_t)types,
			       .btf_key_type_id = 1,
			       .btf_value_type_id = 1};

	return bpf(BPF_MAP_CREATE, &attr);
}

static long do_info(void)
{
	struct bpf_btf_info info = {.btf = (uintptr_t)buffer, .btf_size = sizeof(buffer)};
	union bpf_attr attr = {.info = {(uint32_t)types, sizeof(info), (uintptr_t)&info}};

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static long do_types_by_id(void)
{
	union bpf_attr attr = {.btf_id = 1}; /* the kernel's */

	return bpf(BPF_BTF_GET_FD_BY_ID, &attr);
}

static long pin(int object)
{
	union bpf_attr attr = {.pathname = (uintptr_t)PIN, .bpf_fd = (uint32_t)object};

	return bpf(BPF_OBJ_PIN, &attr);
}

static long do_pin(void)
{
	return pin(map);
}

static void with_pin(void)
{
	with_map();
	do_pin();
}

static long do_get(void)
{
	union bpf_attr attr = {.pathname = (uintptr_t)PIN};

	return bpf(BPF_OBJ_GET, &attr);
}

static long do_unlink_pin(void)
{
	return unlink(PIN);
}

static uint64_t id_of(const char *name)
{
	char text[128];
	int file;
	ssize_t bytes;

	snprintf(text, sizeof(text), TRACING "events/%s/id", name);
	file = open(text, O_RDONLY);
	bytes = read(file, text, sizeof(text) - 1);
	close(file);
	text[bytes > 0 ? bytes : 0] = 0;
	return strtoull(text, NULL, 10);
}

static long open_traced(const char *name)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id_of(name)};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static long do_open_traced(void)
{
	return open_traced("syscalls/sys_enter_getppid");
}

static void with_program(void)
{
	with_map();
	program = (int)do_load();
	event = (int)do_open_traced();
}

static long do_pin_program(void)
{
	return pin(program);
}

static long do_attach(void)
{
	return ioctl(event, PERF_EVENT_IOC_SET_BPF, program);
}

static long do_link(void)
{
	union bpf_attr attr = {.link_create = {.prog_fd = (uint32_t)program,
					       .target_fd = (uint32_t)event,
					       .attach_type = BPF_PERF_EVENT}};

	return bpf(BPF_LINK_CREATE, &attr);
}

static void with_link(void)
{
	with_program();
	fd = (int)do_link();
}

static long do_pin_link(void)
{
	return pin(fd);
}

static void with_raw_program(void)
{
	program = PROG(BPF_PROG_TYPE_RAW_TRACEPOINT, MOVI(R0, 0), EXIT());
}

static long do_raw_link(void)
{
	union bpf_attr attr = {.raw_tracepoint = {(uintptr_t) "sys_enter", (uint32_t)program}};

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* ---- traces and probes ---- */

static void with_event(void)
{
	event = (int)do_open_traced();
}

static long do_filter(void)
{
	return ioctl(event, PERF_EVENT_IOC_SET_FILTER, "common_pid > 3 && common_pid < 9");
}

static void with_printed(void)
{
	int printer =
	    PROG(BPF_PROG_TYPE_TRACEPOINT, STOREI(BPF_DW, R10, -8, 0x0a42), MOV(R1, R10),
		 ADDI(R1, -8), MOVI(R2, 3), CALL(BPF_FUNC_trace_printk), MOVI(R0, 0), EXIT());

	with_event();
	ioctl(event, PERF_EVENT_IOC_SET_BPF, printer);
	syscall(SYS_getppid);
}

static long do_trace_pipe(void)
{
	int file = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK);
	long got = file < 0 ? -1 : read(file, buffer, sizeof(buffer));

	if (file >= 0)
		close(file);
	return got;
}

static long do_kprobe(void)
{
	return put(TRACING "kprobe_events", "p:failures/k sys_getppid a=%di b=+8(%sp):u32\n");
}

static long do_uprobe(void)
{
	return put(TRACING "uprobe_events", "p:failures/u /proc/self/exe:0x1000 a=%di\n");
}

static void with_kprobe(void)
{
	do_kprobe();
}

static long do_open_kprobe(void)
{
	return open_traced("failures/k");
}

/* ---- mounts ---- */

static void with_place(void)
{
	mkdir("/tmp", 0777);
	mkdir(FAILURES_DIRECTORY, 0777);
	mkdir(PLACE, 0777);
}

static long do_mount(void)
{
	return mount("none", PLACE, "tmpfs", 0, "mode=0700");
}

static long do_bind(void)
{
	return mount("/proc", PLACE, NULL, MS_BIND, NULL);
}

static void with_mount(void)
{
	with_place();
	do_mount();
	mkdir(PLACE "/inner", 0700);
	close(open(PLACE "/inner/file", O_CREAT | O_RDWR, 0600));
}

static long do_umount(void)
{
	return umount2(PLACE, 0);
}

static void with_used_mount(void)
{
	with_mount();
	fd = open(PLACE "/inner/file", O_RDWR);
}

static long do_detach(void)
{
	return umount2(PLACE, MNT_DETACH);
}

/* ---- control groups ---- */

static long do_group(void)
{
	return mkdir(GROUP, 0700);
}

static void with_group(void)
{
	do_group();
}

static long do_join(void)
{
	long result = put(GROUP "/cgroup.procs", "0");

	put("/sys/fs/cgroup/cgroup.procs", "0");
	return result;
}

static void with_group_directory(void)
{
	do_group();
	fd = open(GROUP, O_RDONLY | O_DIRECTORY);
}

static long do_group_event(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_PAGE_FAULTS};

	return syscall(SYS_perf_event_open, &attr, fd, 0, -1, PERF_FLAG_PID_CGROUP);
}

/* ---- tracees ---- */

static void with_tracee(void)
{
	tracee = fork();
	if (!tracee) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(tracee, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, tracee, NULL, (void *)PTRACE_O_EXITKILL);
}

static long set_debug_register(unsigned number, uint64_t value)
{
	size_t at = offsetof(struct user, u_debugreg) + number * sizeof(uint64_t);

	return ptrace(PTRACE_POKEUSER, tracee, (void *)at, (void *)value);
}

static long do_watch(void)
{
	long first = set_debug_register(0, (uintptr_t)buffer),
	     second = set_debug_register(1, (uintptr_t)buffer + 8),
	     control = set_debug_register(7, 0xdd0005); /* both, writes of four bytes */

	return first || second || control ? -1 : 0;
}

static long do_poke(void)
{
	return ptrace(PTRACE_POKEDATA, tracee, (void *)buffer, (void *)4711);
}

static long do_registers(void)
{
	struct user_regs_struct registers;

	return ptrace(PTRACE_GETREGS, tracee, NULL, &registers) ||
		       ptrace(PTRACE_SETREGS, tracee, NULL, &registers)
		   ? -1
		   : 0;
}

static long do_step(void)
{
	long result = ptrace(PTRACE_SINGLESTEP, tracee, NULL, NULL);

	if (!result)
		waitpid(tracee, NULL, 0);
	return result;
}

const struct failing_call calls_of_objects[] = {
    {"an array of BPF", NULL, do_map},
    {"a hash of BPF", NULL, do_hash},
    {"a ring of BPF", NULL, do_ring},
    {"an element of a hash", with_hash, do_update},
    {"BPF_PROG_LOAD", with_map, do_load},
    {"BPF_BTF_LOAD", NULL, do_types},
    {"a map of types", with_types, do_typed_map},
    {"what types are told", with_types, do_info},
    {"BPF_BTF_GET_FD_BY_ID", NULL, do_types_by_id},
    {"BPF_OBJ_PIN of a map", with_map, do_pin},
    {"BPF_OBJ_PIN of a program", with_program, do_pin_program},
    {"BPF_OBJ_PIN of a link", with_link, do_pin_link},
    {"BPF_OBJ_GET", with_pin, do_get},
    {"unlink of a pin", with_pin, do_unlink_pin},
    {"a program at an event", with_program, do_attach},
    {"BPF_LINK_CREATE", with_program, do_link},
    {"BPF_RAW_TRACEPOINT_OPEN", with_raw_program, do_raw_link},
    {"perf_event_open, tracepoint", NULL, do_open_traced},
    {"PERF_EVENT_IOC_SET_FILTER", with_event, do_filter},
    {"read of trace_pipe", with_printed, do_trace_pipe},
    {"a probe in the kernel", NULL, do_kprobe},
    {"a probe in a program", NULL, do_uprobe},
    {"perf_event_open of a probe", with_kprobe, do_open_kprobe},
    {"mount", with_place, do_mount},
    {"mount of another place", with_place, do_bind},
    {"umount2", with_mount, do_umount},
    {"umount2 of what is used", with_used_mount, do_detach},
    {"mkdir of a control group", NULL, do_group},
    {"a process into a control group", with_group, do_join},
    {"perf_event_open of a control group", with_group_directory, do_group_event},
    {"debug registers of a tracee", with_tracee, do_watch},
    {"memory of a tracee", with_tracee, do_poke},
    {"registers of a tracee", with_tracee, do_registers},
    {"a step of a tracee", with_tracee, do_step},
    {NULL, NULL, NULL},
};
