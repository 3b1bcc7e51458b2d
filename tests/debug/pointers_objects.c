/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers in what bpf(2), ptrace(2), mount(2), traces, probes and special files are handed. */
#include "tests/debug/pointers.h"
#include "abi/ring0.h"
#include "tests/guest/bpf/bpf_insns.h"
#include "tests/guest/bpf/bpf_sys.h"
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#define TRACING "/sys/kernel/tracing/"

static char buffer[4 * PAGE] __attribute__((aligned(16)));
static const struct bpf_insn nothing[] = {MOVI(R0, 0), EXIT()};
static int map, types, program, event;

static int open_traced(uint64_t id)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* ---- bpf(2) ---- */

/* Makes of an attr one that the command takes. */
static void batch_attr(union bpf_attr *attr)
{
	attr->batch.in_batch = attr->batch.out_batch = (uintptr_t)buffer;
	attr->batch.keys = (uintptr_t)buffer + PAGE;
	attr->batch.values = (uintptr_t)buffer + 2 * PAGE;
	attr->batch.count = 4;
	attr->batch.map_fd = (uint32_t)map;
}

static void element_attr(union bpf_attr *attr)
{
	attr->map_fd = (uint32_t)map;
	attr->key = (uintptr_t)buffer;
	attr->value = (uintptr_t)buffer + PAGE;
}

static void program_attr(union bpf_attr *attr)
{
	attr->prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr->insns = (uintptr_t)nothing;
	attr->insn_cnt = COUNT(nothing);
	attr->license = (uintptr_t) "GPL";
	attr->log_buf = (uintptr_t)buffer;
	attr->log_size = PAGE;
	attr->log_level = 1;
}

static void types_attr(union bpf_attr *attr)
{
	attr->btf = (uintptr_t)buffer;
	attr->btf_size = 64;
	attr->btf_log_buf = (uintptr_t)buffer + PAGE;
	attr->btf_log_size = PAGE;
	attr->btf_log_level = 1;
}

static void pin_attr(union bpf_attr *attr)
{
	attr->pathname = (uintptr_t) "/sys/fs/bpf/pointed";
	attr->bpf_fd = (uint32_t)map;
}

static void info_attr(union bpf_attr *attr)
{
	attr->info.bpf_fd = (uint32_t)map;
	attr->info.info_len = 64;
	attr->info.info = (uintptr_t)buffer;
}

static void query_attr(union bpf_attr *attr)
{
	attr->task_fd_query.pid = (uint32_t)getpid();
	attr->task_fd_query.fd = (uint32_t)event;
	attr->task_fd_query.buf = (uintptr_t)buffer;
	attr->task_fd_query.buf_len = 64;
}

static void raw_attr(union bpf_attr *attr)
{
	attr->raw_tracepoint.name = (uintptr_t) "sys_enter";
	attr->raw_tracepoint.prog_fd = (uint32_t)program;
}

#define FIELD(name) offsetof(union bpf_attr, name)

static const struct {
	int command;
	void (*fill)(union bpf_attr *attr);
	size_t pointers[4];
	unsigned nr;
} commands[] = {
    {BPF_MAP_LOOKUP_ELEM, element_attr, {FIELD(key), FIELD(value)}, 2},
    {BPF_MAP_UPDATE_ELEM, element_attr, {FIELD(key), FIELD(value)}, 2},
    {BPF_MAP_DELETE_ELEM, element_attr, {FIELD(key)}, 1},
    {BPF_MAP_GET_NEXT_KEY, element_attr, {FIELD(key), FIELD(next_key)}, 2},
    {BPF_MAP_LOOKUP_AND_DELETE_ELEM, element_attr, {FIELD(key), FIELD(value)}, 2},
    {BPF_MAP_LOOKUP_BATCH,
     batch_attr,
     {FIELD(batch.in_batch), FIELD(batch.out_batch), FIELD(batch.keys), FIELD(batch.values)},
     4},
    {BPF_MAP_LOOKUP_AND_DELETE_BATCH,
     batch_attr,
     {FIELD(batch.in_batch), FIELD(batch.out_batch), FIELD(batch.keys), FIELD(batch.values)},
     4},
    {BPF_MAP_UPDATE_BATCH, batch_attr, {FIELD(batch.keys), FIELD(batch.values)}, 2},
    {BPF_MAP_DELETE_BATCH, batch_attr, {FIELD(batch.keys)}, 1},
    {BPF_PROG_LOAD, program_attr, {FIELD(insns), FIELD(license), FIELD(log_buf)}, 3},
    {BPF_BTF_LOAD, types_attr, {FIELD(btf), FIELD(btf_log_buf)}, 2},
    {BPF_OBJ_PIN, pin_attr, {FIELD(pathname)}, 1},
    {BPF_OBJ_GET, pin_attr, {FIELD(pathname)}, 1},
    {BPF_OBJ_GET_INFO_BY_FD, info_attr, {FIELD(info.info)}, 1},
    {BPF_TASK_FD_QUERY, query_attr, {FIELD(task_fd_query.buf)}, 1},
    {BPF_RAW_TRACEPOINT_OPEN, raw_attr, {FIELD(raw_tracepoint.name)}, 1},
};

static void make_bpf(void)
{
	union bpf_attr attr = {.btf_id = 1}; /* the kernel's */

	map = (int)map_create(BPF_MAP_TYPE_HASH, 4, 8, 4, 0);
	types = (int)bpf(BPF_BTF_GET_FD_BY_ID, &attr);
	memset(&attr, 0, sizeof(attr));
	program_attr(&attr);
	program = (int)bpf(BPF_PROG_LOAD, &attr);
	event = open_traced(1);
	element_attr(memset(&attr, 0, sizeof(attr)));
	bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* Each pointer of each command; the others are good. */
static void bpf_pointers(uint64_t address)
{
	make_bpf();
	for (unsigned i = 0; i < COUNT(commands); i++)
		for (unsigned k = 0; k < commands[i].nr; k++) {
			union bpf_attr attr;

			commands[i].fill(memset(&attr, 0, sizeof(attr)));
			memcpy((char *)&attr + commands[i].pointers[k], &address, sizeof(address));
			bpf(commands[i].command, &attr);
		}
}

/* Passes the address in each word of any command's argument; the first words may be numbers. */
static void bpf_words(uint64_t address)
{
	uint64_t words[16];

	make_bpf();
	for (int command = 0; command < 37; command++)
		for (unsigned i = 0; i < COUNT(words); i++) {
			memset(words, 0, sizeof(words));
			words[0] = (uint32_t)(i & 1 ? map : types);
			words[1] = (uintptr_t)buffer;
			words[i] = address;
			syscall(SYS_bpf, command, words, sizeof(words));
			words[0] |= 64ul << 32; /* a length */
			syscall(SYS_bpf, command, words, sizeof(words));
		}
}

/* Pointers in the information about objects: names, lists of maps, types. */
static void bpf_infos(uint64_t address)
{
	int objects[3];

	make_bpf();
	objects[0] = map, objects[1] = types, objects[2] = program;
	for (unsigned i = 0; i < COUNT(objects); i++)
		for (size_t at = 0; at + 8 <= 240; at += 8) {
			union bpf_attr attr = {
			    .info = {(uint32_t)objects[i], 240, (uintptr_t)buffer}};

			memset(buffer, 0xff, 240); /* lengths */
			memcpy(buffer + at, &address, sizeof(address));
			bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
		}
}

/* Programs that read there: what is no good fails, and writes nothing. */
static void bpf_reads(uint64_t address)
{
	static const int helpers[] = {BPF_FUNC_probe_read,        BPF_FUNC_probe_read_str,
				      BPF_FUNC_probe_read_user,   BPF_FUNC_probe_read_user_str,
				      BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_kernel_str,
				      BPF_FUNC_probe_write_user};

	event = open_traced(1);
	for (unsigned i = 0; i < COUNT(helpers); i++) {
		const struct bpf_insn insns[] = {MOV(R1, R10),
						 ADDI(R1, -16),
						 MOVI(R2, 16),
						 WIDE(R3, address),
						 STOREI(BPF_DW, R10, -8, 0),
						 STOREI(BPF_DW, R10, -16, 0),
						 CALL(helpers[i]),
						 MOVI(R0, 0),
						 EXIT()};
		int reader = (int)prog_load(BPF_PROG_TYPE_TRACEPOINT, insns, COUNT(insns));

		ioctl(event, PERF_EVENT_IOC_SET_BPF, reader);
		syscall(SYS_getppid);
		close(reader);
	}
}

/* ---- tracers ---- */

/* The address as a tracer's source, its target, and the value of registers, including debug
 * registers. */
static void tracer(uint64_t address)
{
	static const long requests[] = {PTRACE_PEEKDATA,
					PTRACE_POKEDATA,
					PTRACE_GETREGS,
					PTRACE_SETREGS,
					PTRACE_GETFPREGS,
					PTRACE_SETFPREGS,
					PTRACE_GETSIGINFO,
					PTRACE_SETSIGINFO,
					PTRACE_GETREGSET,
					PTRACE_SETREGSET,
					PTRACE_GETEVENTMSG,
					PTRACE_PEEKUSER,
					PTRACE_POKEUSER,
					PTRACE_GETSIGMASK,
					PTRACE_SETSIGMASK,
					PTRACE_PEEKSIGINFO,
					0x420e /* GET_SYSCALL_INFO */};
	struct iovec hostile = {(void *)address, 64};
	pid_t tracee = fork();

	if (!tracee) {
		syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(tracee, NULL, 0);
	for (unsigned i = 0; i < COUNT(requests); i++) {
		syscall(SYS_ptrace, requests[i], tracee, address, buffer);
		syscall(SYS_ptrace, requests[i], tracee, buffer, address);
		syscall(SYS_ptrace, requests[i], tracee, 1, address);
		syscall(SYS_ptrace, requests[i], tracee, 8, address);
		syscall(SYS_ptrace, requests[i], tracee, 64, address);
		syscall(SYS_ptrace, requests[i], tracee, 1, &hostile);
		syscall(SYS_ptrace, requests[i], tracee, 0x202, &hostile);
	}
	for (size_t at = 0; at < sizeof(struct user); at += 8)
		syscall(SYS_ptrace, PTRACE_POKEUSER, tracee, at, address);
	syscall(SYS_ptrace, PTRACE_CONT, tracee, 0, SIGKILL);
	waitpid(tracee, NULL, 0);
}

/* ---- files that do things ---- */

static void mounts(uint64_t address)
{
	const uint32_t handle[4] = {8};

	for (unsigned i = 0; i < 5; i++) {
		const uint64_t none = (uintptr_t) "none", at = (uintptr_t) "/tmp";
		uint64_t words[] = {none, at, (uintptr_t) "tmpfs", 0, (uintptr_t) "mode=0700"};

		words[i] = address;
		if (!syscall(SYS_mount, words[0], words[1], words[2], words[3], words[4]))
			syscall(SYS_umount2, at, 2);
	}
	syscall(SYS_umount2, address, 0);
	/* Other files have no handles. */
	syscall(SYS_name_to_handle_at, AT_FDCWD, "/sys/fs/cgroup", address, address, 0);
	syscall(SYS_name_to_handle_at, AT_FDCWD, "/sys/fs/cgroup", handle, address, 0);
}

/* The address as the buffer of each read and write, and as its offset. */
static void special_files(uint64_t address)
{
	static const char *const files[] = {TRACING "trace_pipe",
					    TRACING "kprobe_events",
					    TRACING "uprobe_events",
					    "/sys/fs/cgroup/cgroup.procs",
					    "/proc/sys/vm/nr_hugepages",
					    "/proc/self/mem",
					    "/proc/self/comm",
					    "/dev/mem",
					    "/dev/cpu/0/msr",
					    "/dev/cpu/0/cpuid",
					    "/dev/kmsg",
					    "/sys/kernel/btf/vmlinux",
					    TRACING "events/syscalls/sys_enter_read/format"};

	for (unsigned i = 0; i < COUNT(files); i++) {
		int from = open(files[i], O_RDONLY | O_NONBLOCK), to = open(files[i], O_WRONLY);

		pread(from, (void *)address, 64, 16);
		pread(from, buffer, 64, (off_t)address);
		read(from, (void *)address, 64);
		write(to, (void *)address, 64);
		if (i != 8) { /* which writes there what the kernel needs */
			pwrite(to, (void *)address, 64, 0);
			pwrite(to, buffer, 64, (off_t)address);
		}
		for (unsigned command = 0; command < 8; command++)
			ioctl(from, (int)(0xc0100000 | command), address);
		close(from);
		close(to);
	}
	ioctl(open("/dev/ring0", O_RDWR), RING0_CALL, address);
}

/* ---- traces and probes ---- */

/* Hits a probe whose arguments are at the address. */
static void hit_probe(uint64_t address)
{
	char text[128];
	int probes = open(TRACING "kprobe_events", O_WRONLY | O_APPEND), id;

	snprintf(text, sizeof(text), "p:pointed/k sys_getppid a=@0x%lx b=@0x%lx:string\n", address,
		 address);
	write(probes, text, strlen(text));
	memset(text, 0, sizeof(text));
	id = open(TRACING "events/pointed/k/id", O_RDONLY);
	if (read(id, text, 16) > 0) {
		event = open_traced(strtoull(text, NULL, 10));
		syscall(SYS_getppid);
		close(event);
	}
	close(id);
	write(probes, "-:pointed/k\n", 12);
	close(probes);
}

static void trace_controls(uint64_t address)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};

	event = open_traced(1);
	ioctl(event, PERF_EVENT_IOC_SET_FILTER, address);
	ioctl(event, PERF_EVENT_IOC_QUERY_BPF, address);
	ioctl(event, PERF_EVENT_IOC_SET_BPF, address);
	for (attr.type = 6; attr.type < 16; attr.type++) { /* kprobe's and uprobe's among them */
		attr.config1 = address;                    /* kprobe_func, uprobe_path */
		syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		attr.config1 = 0;
		attr.config2 = address; /* kprobe_addr */
		syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	}
	hit_probe(address);
}

#define LATER(function)             \
	{                           \
#function, function \
	}

/* The first probe at a place leaves a copy of its instruction in the kernel's text. */
void prepare_objects(void)
{
	hit_probe(0);
}

const struct later_pointer later_objects[] = {
    LATER(bpf_pointers),  LATER(bpf_words),      LATER(bpf_infos),
    LATER(bpf_reads),     LATER(tracer),         LATER(mounts),
    LATER(special_files), LATER(trace_controls), {NULL, NULL},
};
