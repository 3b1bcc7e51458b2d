/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2) on objects: links, names in bpffs, types in BTF, and attached programs. */
#define _GNU_SOURCE
#include "tests/guest/bpf/bpf_calls.h"
#include "tests/guest/trace/tracing.h"
#include <linux/btf.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define CHAIN 300 /* three ends each, of some 100 bytes of stack */

#define BPFFS "/sys/fs/bpf"
#define PIN   BPFFS "/tests"

static union bpf_attr zero;

static int open_traced(const char *event)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of(event));

	return perf_open(&attr, -1, 0, -1, 0);
}

static int empty_program(uint32_t type)
{
	return PROG(type, MOVI(R0, 1), EXIT());
}

static long link_perf(int prog, int event)
{
	union bpf_attr attr = zero;

	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.target_fd = (uint32_t)event;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	return bpf(BPF_LINK_CREATE, &attr);
}

static uint32_t program_id(int fd)
{
	struct bpf_prog_info info = {0};

	return object_info(fd, &info, sizeof(info)) ? 0 : info.id;
}

/* ---- names ---- */

static long pin(int fd, const char *path)
{
	union bpf_attr attr = zero;

	attr.pathname = (uintptr_t)path;
	attr.bpf_fd = (uint32_t)fd;
	return bpf(BPF_OBJ_PIN, &attr);
}

static long get(const char *path, uint32_t flags)
{
	union bpf_attr attr = zero;

	attr.pathname = (uintptr_t)path;
	attr.file_flags = flags;
	return bpf(BPF_OBJ_GET, &attr);
}

static void test_pins(void)
{
	int map = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), again, i = 0;
	uint64_t value = 4711;
	struct statfs fs;
	struct stat st;

	is(statfs(BPFFS, &fs) || fs.f_type != 0xcafe4a11, 0, "bpffs is there");
	mkdir(PIN, 0700);
	is(statfs(PIN, &fs) || fs.f_type != 0xcafe4a11, 0, "a directory in it, too");
	is(pin(map, PIN "/map"), 0, "a map gets a name");
	is(pin(map, PIN "/map"), -EEXIST, "a second name for the pin's path: EEXIST");
	is(pin(map, PIN "/a.b"), -EPERM, "names have no dots: EPERM");
	mkdir("/tmp", 0777);
	is(pin(map, "/tmp/map"), -EPERM, "elsewhere: EPERM");
	is(pin(map, BPFFS "/none/map"), -ENOENT, "pinning into a missing directory: ENOENT");
	is(pin(0, PIN "/zero"), -EINVAL, "something else: EINVAL");
	is(stat(PIN "/map", &st) || st.st_mode != (S_IFREG | 0600), 0, "the pin's mode is 0600");
	ok(open(PIN "/map", O_RDONLY) < 0 && errno == EIO, "open of a pin: EIO");
	ok(open(PIN "/new", O_CREAT | O_RDWR, 0600) < 0 && errno == EACCES,
	   "creating a file in bpffs: EACCES");
	map_command(BPF_MAP_UPDATE_ELEM, map, &i, &value, 0);
	close(map);
	again = (int)get(PIN "/map", 0);
	ok(again >= 0 && map_value(again, 0) == 4711, "a pinned map outlives its descriptor");
	close(again);
	again = (int)get(PIN "/map", BPF_F_RDONLY);
	is((long)map_value(again, 0), 4711, "a pin is opened for reading");
	is(map_command(BPF_MAP_UPDATE_ELEM, again, &i, &value, 0), -EPERM, "only: EPERM");
	close(again);
	is(get(PIN "/map", BPF_F_RDONLY | BPF_F_WRONLY), -EINVAL,
	   "BPF_OBJ_GET without access: EINVAL");
	is(get("/proc/self/stat", BPF_F_RDONLY), -EACCES,
	   "BPF_OBJ_GET of a file that is no pin: EACCES");
	is(rename(PIN "/map", PIN "/moved"), 0, "a pin is renamed");
	ok(rename(PIN "/moved", "/tmp/moved") && errno == EXDEV,
	   "a pin is not renamed out of bpffs: EXDEV");
	ok(rmdir(PIN) && errno == ENOTEMPTY, "a directory with a pin is not removed");
	is(unlink(PIN "/moved"), 0, "a pin is removed");
	is(get(PIN "/moved", 0), -ENOENT, "a removed pin is gone");
	is(rmdir(PIN), 0, "the empty directory is removed");
}

/* ---- links ---- */

static uint32_t next_link(uint32_t id)
{
	union bpf_attr attr = zero;

	attr.start_id = id;
	return bpf(BPF_LINK_GET_NEXT_ID, &attr) ? 0 : attr.next_id;
}

static void test_links(void)
{
	int prog = empty_program(BPF_PROG_TYPE_TRACEPOINT),
	    event = open_traced("syscalls/sys_enter_getppid"), link = (int)link_perf(prog, event),
	    again;
	struct bpf_link_info info = {0};
	union bpf_attr attr = zero;

	ok(link >= 0, "a link at a trace event");
	is(link_perf(prog, event), -EEXIST, "only one program: EEXIST");
	is(object_info(link, &info, sizeof(info)), 0, "BPF_OBJ_GET_INFO_BY_FD of a link");
	is((long)info.type, BPF_LINK_TYPE_PERF_EVENT, "the link is a perf event's");
	is((long)info.prog_id, (long)program_id(prog), "the link has the program's number");
	is((long)next_link(info.id - 1), (long)info.id, "found in the list");
	attr.link_id = info.id;
	again = (int)bpf(BPF_LINK_GET_FD_BY_ID, &attr);
	ok(again >= 0, "opened by its number");
	close(link);
	syscall(SYS_getppid);
	is((long)perf_value(event), 1, "a link lives as long as a descriptor of it");
	attr = zero;
	attr.link_update.link_fd = (uint32_t)again;
	attr.link_update.new_prog_fd = (uint32_t)prog;
	is(bpf(BPF_LINK_UPDATE, &attr), -EINVAL, "a link takes no other program: EINVAL");
	attr = zero;
	attr.link_detach.link_fd = (uint32_t)again;
	is(bpf(BPF_LINK_DETACH, &attr), -EOPNOTSUPP, "a link is not detached: EOPNOTSUPP");
	is(pin(again, BPFFS "/link"), 0, "a link is pinned");
	close(again);
	close(event);
	is((long)next_link(info.id - 1), (long)info.id, "a pin keeps its link");
	unlink(BPFFS "/link");
	ok(next_link(info.id - 1) != info.id, "a link ends with its pin");
	attr = zero;
	attr.link_id = info.id;
	is(bpf(BPF_LINK_GET_FD_BY_ID, &attr), -ENOENT, "nobody has that number: ENOENT");
	close(prog);
}

static void test_raw_link(void)
{
	int prog = empty_program(BPF_PROG_TYPE_RAW_TRACEPOINT), link;
	struct bpf_link_info info = {0};
	union bpf_attr attr = zero;
	char name[16] = "";

	attr.raw_tracepoint.name = (uintptr_t) "sys_enter";
	attr.raw_tracepoint.prog_fd = (uint32_t)prog;
	link = (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	info.raw_tracepoint.tp_name = (uintptr_t)name;
	info.raw_tracepoint.tp_name_len = sizeof(name);
	is(object_info(link, &info, sizeof(info)), 0, "a raw tracepoint's link");
	ok(info.type == BPF_LINK_TYPE_RAW_TRACEPOINT && !strcmp(name, "sys_enter"),
	   "a raw tracepoint's link has its name");
	is((long)info.raw_tracepoint.tp_name_len, 10,
	   "a raw tracepoint's link has its name's length");
	close(link);
	close(prog);
}

/* ---- who is where ---- */

static long query(int fd, char *name, uint32_t room, union bpf_attr *attr)
{
	*attr = zero;
	attr->task_fd_query.pid = (uint32_t)getpid();
	attr->task_fd_query.fd = (uint32_t)fd;
	attr->task_fd_query.buf_len = room;
	attr->task_fd_query.buf = (uintptr_t)name;
	return bpf(BPF_TASK_FD_QUERY, attr);
}

static void test_queries(void)
{
	int prog = empty_program(BPF_PROG_TYPE_TRACEPOINT),
	    event = open_traced("syscalls/sys_enter_getppid"), link;
	struct {
		uint32_t room, nr, ids[4];
	} ask = {.room = 4};
	union bpf_attr attr;
	char name[32] = "";

	is(query(event, name, sizeof(name), &attr), -ENOENT, "no program is there: ENOENT");
	is(ioctl(event, PERF_EVENT_IOC_QUERY_BPF, &ask), 0, "PERF_EVENT_IOC_QUERY_BPF of an event");
	is(ask.nr, 0, "an event has no programs");
	link = (int)link_perf(prog, event);
	is(query(event, name, sizeof(name), &attr), 0,
	   "BPF_TASK_FD_QUERY of a tracepoint's descriptor");
	is((long)attr.task_fd_query.fd_type, BPF_FD_TYPE_TRACEPOINT, "a tracepoint");
	ok(!strcmp(name, "sys_enter_getppid"), "the tracepoint has its name");
	is((long)attr.task_fd_query.buf_len, 17, "the tracepoint has its name's length");
	is((long)attr.task_fd_query.prog_id, (long)program_id(prog),
	   "the tracepoint has its program's number");
	is(query(event, name, 4, &attr), -ENOSPC, "the name is cut: ENOSPC");
	ok(!strcmp(name, "sys"), "a name without room is cut at its end");
	is(query(prog, name, sizeof(name), &attr), -524, "a program is no place: ENOTSUPP");
	is(query(900, name, sizeof(name), &attr), -EBADF, "nothing: EBADF");
	is(ioctl(event, PERF_EVENT_IOC_QUERY_BPF, &ask), 0, "the event's programs");
	ok(ask.nr == 1 && ask.ids[0] == program_id(prog), "are one");
	ask.room = 65;
	ok(ioctl(event, PERF_EVENT_IOC_QUERY_BPF, &ask) && errno == E2BIG,
	   "a query without room for all programs: E2BIG");
	attr = zero;
	attr.query.attach_type = BPF_PERF_EVENT;
	is(bpf(BPF_PROG_QUERY, &attr), -EINVAL, "BPF_PROG_QUERY of an event: EINVAL");
	close(link);
	close(event);
	close(prog);
}

/* ---- types ---- */

static struct {
	struct btf_header header;
	struct btf_type number;
	uint32_t bits;
	struct btf_type name;
	char strings[12];
} __attribute__((packed)) types;

static void make_types(void)
{
	memset(&types, 0, sizeof(types));
	types.header = (struct btf_header){.magic = BTF_MAGIC,
					   .version = 1,
					   .hdr_len = sizeof(types.header),
					   .type_len = 28,
					   .str_off = 28,
					   .str_len = 12};
	types.number = (struct btf_type){.name_off = 1, .info = BTF_KIND_INT << 24, .size = 4};
	types.bits = 32;
	types.name = (struct btf_type){.name_off = 5, .info = BTF_KIND_TYPEDEF << 24, .type = 1};
	memcpy(types.strings, "\0int\0number", 12);
}

static long load_types(uint32_t bytes)
{
	union bpf_attr attr = zero;

	attr.btf = (uintptr_t)&types;
	attr.btf_size = bytes;
	return bpf(BPF_BTF_LOAD, &attr);
}

#define REFUSED(what, change)                                 \
	do {                                                  \
		make_types();                                 \
		change;                                       \
		is(load_types(sizeof(types)), -EINVAL, what); \
	} while (0)

static void test_refused_types(void)
{
	REFUSED("types of another magic", types.header.magic++);
	REFUSED("with sections that overlap", types.header.str_off -= 4);
	REFUSED("that go on beyond their end", types.header.str_len++);
	REFUSED("with a name outside", types.name.name_off = 12);
	REFUSED("of an unknown kind", types.number.info = 31u << 24);
	REFUSED("of a type that there is not", types.name.type = 7);
	REFUSED("too long", types.number.info = BTF_KIND_STRUCT << 24 | 9);
	REFUSED("with more bits than bytes", types.bits = 40);
	REFUSED("with strings that do not end", types.strings[11] = 'x');
	make_types();
	types.header.version++;
	is(load_types(sizeof(types)), -524, "types of another version: ENOTSUPP");
	make_types();
	is(load_types(8), -EINVAL, "half a header");
	is(load_types(0), -EINVAL, "nothing");
	types.header.hdr_len = sizeof(types) + 4;
	is(load_types(sizeof(types)), -EINVAL, "a header longer than all");
}

static long typed_map(int btf, uint32_t value)
{
	union bpf_attr attr = zero;

	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = value;
	attr.max_entries = 2;
	attr.btf_fd = (uint32_t)btf;
	attr.btf_key_type_id = 1;
	attr.btf_value_type_id = 2;
	return bpf(BPF_MAP_CREATE, &attr);
}

static void test_types(void)
{
	struct bpf_btf_info info = {0};
	struct bpf_map_info map_info = {0};
	union bpf_attr attr = zero;
	char copy[sizeof(types)] = "";
	int btf, again, map;

	make_types();
	btf = (int)load_types(sizeof(types));
	ok(btf >= 0, "types are loaded");
	info.btf = (uintptr_t)copy;
	info.btf_size = sizeof(copy);
	is(object_info(btf, &info, sizeof(info)), 0, "BPF_OBJ_GET_INFO_BY_FD of types");
	ok(info.btf_size == sizeof(types) && !memcmp(copy, &types, sizeof(types)),
	   "types are read back unchanged");
	is((long)info.kernel_btf, 0, "not the kernel's");
	attr.btf_id = info.id;
	again = (int)bpf(BPF_BTF_GET_FD_BY_ID, &attr);
	ok(again >= 0, "types have a number");
	map = (int)typed_map(btf, 4);
	ok(map >= 0, "a map of these types");
	is(object_info(map, &map_info, sizeof(map_info)), 0, "tells them");
	ok(map_info.btf_id == info.id && map_info.btf_key_type_id == 1 &&
	       map_info.btf_value_type_id == 2,
	   "the map's information has the types' numbers");
	is(typed_map(btf, 8), -EINVAL, "a value of another size: EINVAL");
	is(typed_map(map, 4), -EINVAL, "types that are a map: EINVAL");
	close(again);
	close(btf);
	is(bpf(BPF_BTF_GET_FD_BY_ID, &attr) < 0, 0, "the map keeps its types");
	close(map);
}

static void test_kernel_types(void)
{
	struct bpf_btf_info info = {0};
	union bpf_attr attr = zero;
	struct btf_header header = {0};
	char name[16] = "";
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY), btf;
	long end;

	is(read(fd, &header, sizeof(header)), sizeof(header), "the kernel's types");
	end = lseek(fd, 0, SEEK_END);
	is(header.magic, BTF_MAGIC, "the kernel's types have a header");
	is(end, (long)(header.hdr_len + header.str_off + header.str_len),
	   "the kernel's types have the header's length");
	close(fd);
	attr.btf_id = 1;
	btf = (int)bpf(BPF_BTF_GET_FD_BY_ID, &attr);
	ok(btf >= 0, "the kernel's types have number 1");
	info.name = (uintptr_t)name;
	info.name_len = sizeof(name);
	is(object_info(btf, &info, sizeof(info)), 0,
	   "BPF_OBJ_GET_INFO_BY_FD of the kernel's types");
	ok(info.kernel_btf == 1 && info.btf_size == (uint32_t)end && !strcmp(name, "vmlinux"),
	   "the kernel's types are named vmlinux");
	close(btf);
}

/* A program's printed text comes out of trace_pipe, once. */
static void test_printk(void)
{
	char text[4096] = "", name[32];
	int pipe = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK), event, prog;

	prog = PROG(BPF_PROG_TYPE_TRACEPOINT, WIDE(R1, 0x0a64253d6e6f6e61),
		    STORE(BPF_DW, R10, -16, R1), STOREI(BPF_DW, R10, -8, 0), MOV(R1, R10),
		    ADDI(R1, -16), MOVI(R2, 9), MOVI(R3, 42), CALL(BPF_FUNC_trace_printk),
		    MOVI(R0, 0), EXIT());
	event = open_traced("syscalls/sys_enter_getppid");
	ioctl(event, PERF_EVENT_IOC_SET_BPF, prog);
	while (read(pipe, text, sizeof(text)) > 0)
		;
	ok(errno == EAGAIN, "nothing is printed yet: EAGAIN");
	syscall(SYS_getppid);
	ok(read(pipe, text, sizeof(text) - 1) > 0, "a program prints");
	snprintf(name, sizeof(name), "-%d ", getpid());
	ok(strstr(text, "bpf_trace_printk: anon=42\n") && strstr(text, name),
	   "trace_pipe has the program's text and the task's name");
	ok(read(pipe, text, sizeof(text)) < 0 && errno == EAGAIN, "once");
	close(event);
	close(prog);
	close(pipe);
}

/* Each program has a map, with an event, with a program: the last close ends all of them. */
static void test_chain(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	int prog = PROG(BPF_PROG_TYPE_PERF_EVENT, MOVI(R0, 1), EXIT()), made = 0;
	uint32_t key = 0;

	attr.sample_period = 1000000000;
	for (int i = 0; i < CHAIN && prog >= 0; i++) {
		int map =
		    (int)map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1, BPF_F_PRESERVE_ELEMS);
		int event = perf_open(&attr, 0, -1, -1, 0);

		made += !ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) &&
			!map_command(BPF_MAP_UPDATE_ELEM, map, &key, &event, BPF_ANY);
		close(prog);
		prog = PROG(BPF_PROG_TYPE_PERF_EVENT, MAP(R1, map), MOVI(R0, 1), EXIT());
		close(event);
		close(map);
	}
	is(made, CHAIN, "a chain of programs, maps and events");
	is(close(prog), 0, "the last descriptor of a chain is closed");
}

int main(void)
{
	mount_tracefs();
	mount("bpf", BPFFS, "bpf", 0, NULL);
	test_pins();
	test_links();
	test_raw_link();
	test_queries();
	test_refused_types();
	test_types();
	test_kernel_types();
	test_printk();
	test_chain();
	return tap_end();
}
