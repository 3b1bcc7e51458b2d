/* SPDX-License-Identifier: BSD-2-Clause */
/* Features that CO-RE tools need: libbpf's probes, code that read-only data turns off, raw
 * tracepoints by type, arrays of control groups, and large maps. */
#include "tests/guest/bpf/bpf_calls.h"
#include <linux/btf.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define MISSING 195896080 /* libbpf's call where a field does not exist */
#define RODATA  (BPF_F_RDONLY_PROG | BPF_F_MMAPABLE)

/* ---- what libbpf tries ---- */

static void global_data(void)
{
	int data = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 32, 1, 0);
	int prog = PROG(BPF_PROG_TYPE_SOCKET_FILTER, VALUE(R1, data), STOREI(BPF_DW, R1, 0, 42),
			MOVI(R0, 0), EXIT());

	ok(prog >= 0, "a socket filter with global data loads");
	close(prog);
	close(data);
}

/* A program that calls a missing function if the word in the map is not 0. */
static int guarded(int data)
{
	return PROG(BPF_PROG_TYPE_TRACEPOINT, VALUE(R1, data), LOAD(BPF_B, R1, R1, 0),
		    JUMPI(BPF_JEQ, R1, 0, 1), CALL(MISSING), MOVI(R0, 0), EXIT());
}

static int data_of(uint64_t word, uint32_t flags, bool freeze)
{
	int fd = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, flags);
	union bpf_attr attr;
	uint32_t key = 0;

	map_command(BPF_MAP_UPDATE_ELEM, fd, &key, &word, BPF_ANY);
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	if (freeze)
		bpf(BPF_MAP_FREEZE, &attr);
	return fd;
}

static void dead_code(void)
{
	static const struct {
		const char *name;
		uint64_t word;
		uint32_t flags;
		bool freeze, loads;
	} cases[] = {
	    {"frozen read-only data turn it off", 0, RODATA, true, true},
	    {"frozen read-only data turn it on", 1, RODATA, true, false},
	    {"data that are not frozen", 0, RODATA, false, false},
	    {"data that programs may write", 0, BPF_F_MMAPABLE, true, false},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int data = data_of(cases[i].word, cases[i].flags, cases[i].freeze),
		    prog = guarded(data);

		ok(cases[i].loads ? prog >= 0 : prog == -EINVAL,
		   "call of a missing function, %s: %d", cases[i].name, prog);
		close(prog);
		close(data);
	}
	ok(PROG(BPF_PROG_TYPE_TRACEPOINT, MOVI(R1, 1), JUMPI(BPF_JNE, R1, 0, 1), CALL(MISSING),
		MOVI(R0, 0), EXIT()) >= 0,
	   "call of a missing function, a constant turns it off");
	ok(PROG(BPF_PROG_TYPE_TRACEPOINT, CALL(BPF_FUNC_get_smp_processor_id),
		JUMPI(BPF_JEQ, R0, 0, 1), CALL(MISSING), MOVI(R0, 0), EXIT()) == -EINVAL,
	   "call of a missing function, a processor's number may turn it on");
}

/* ---- raw tracepoints by type ---- */

/* The kernel's types: number of the one with this name and kind, and the offset in bytes of its
 * member, if one is given. 0: none. */
static uint32_t type_number(const char *name, unsigned kind, const char *member, uint32_t *offset)
{
	static uint8_t types[16 << 20];
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	const struct btf_header *header = (const struct btf_header *)types;
	const uint8_t *at = types + sizeof(*header), *end;
	const char *strings;
	size_t bytes = 0;

	for (ssize_t n; (n = read(fd, types + bytes, sizeof(types) - bytes)) > 0;)
		bytes += (size_t)n;
	close(fd);
	end = at + header->type_len;
	strings = (const char *)types + header->hdr_len + header->str_off;
	for (uint32_t number = 1; bytes && at < end; number++) {
		static const uint8_t each[] = {
		    [BTF_KIND_STRUCT] = 12,    [BTF_KIND_UNION] = 12,   [BTF_KIND_ENUM] = 8,
		    [BTF_KIND_FUNC_PROTO] = 8, [BTF_KIND_DATASEC] = 12, [19] = 12};
		static const uint8_t once[] = {[BTF_KIND_INT] = 4,
					       [BTF_KIND_ARRAY] = 12,
					       [BTF_KIND_VAR] = 4,
					       [17] = 4,
					       [19] = 0};
		const struct btf_type *type = (const struct btf_type *)at;
		unsigned this_kind = type->info >> 24 & 0x1f, nr = type->info & 0xffff;
		const struct btf_member *members = (const struct btf_member *)(type + 1);

		if (this_kind == kind && !strcmp(strings + type->name_off, name)) {
			for (unsigned i = 0; member && i < nr; i++)
				if (!strcmp(strings + members[i].name_off, member))
					*offset = (members[i].offset & 0xffffff) / 8;
			return number;
		}
		at += sizeof(*type) + nr * each[this_kind] + once[this_kind];
	}
	return 0;
}

static long load_by_type(const struct bpf_insn *insns, uint32_t nr, uint32_t type)
{
	static char log[65536];
	union bpf_attr attr = prog_attr(BPF_PROG_TYPE_TRACING, insns, nr, log, sizeof(log));

	attr.expected_attach_type = BPF_TRACE_RAW_TP;
	attr.attach_btf_id = type;
	return bpf(BPF_PROG_LOAD, &attr);
}

/* The program counts the switches from this process, whose number it reads from the task. */
static void points_by_type(void)
{
	uint32_t type = type_number("btf_trace_sched_switch", BTF_KIND_TYPEDEF, NULL, NULL),
		 tgid = 0, namespaces = 0, mount, number;
	int counts = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), link;
	union bpf_attr attr;
	uint64_t before;

	type_number("task_struct", BTF_KIND_STRUCT, "tgid", &tgid);
	ok(type && tgid, "types have sched_switch, and tasks with a tgid");
	ok(type_number("task_struct", BTF_KIND_STRUCT, "nsproxy", &namespaces) && namespaces &&
	       type_number("nsproxy", BTF_KIND_STRUCT, "mnt_ns", &mount) &&
	       type_number("mnt_namespace", BTF_KIND_STRUCT, "ns", &number),
	   "types have a task's mount namespace");
	ok(type_number("bpf_ringbuf", BTF_KIND_STRUCT, NULL, NULL), "types show ring buffers");
	const struct bpf_insn insns[] = {LOAD(BPF_DW, R1, R1, 8),
					 LOAD(BPF_W, R1, R1, (int16_t)tgid),
					 JUMPI(BPF_JNE, R1, getpid(), 4),
					 VALUE(R1, counts),
					 MOVI(R2, 1),
					 ADD_ATOMIC(R1, 0, R2),
					 MOVI(R0, 0),
					 EXIT()};
	long prog = load_by_type(insns, sizeof(insns) / sizeof(insns[0]), type);

	ok(prog >= 0, "a program for sched_switch by its type: %ld", prog);
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)prog;
	link = (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	before = map_value(counts, 0);
	for (unsigned i = 0; i < 5; i++)
		usleep(1000);
	ok(link >= 0 && map_value(counts, 0) >= before + 5,
	   "a program attached by type sees each sleep");
	attr.raw_tracepoint.name = (uintptr_t) "sched_switch";
	is((uint64_t)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), (uint64_t)-EINVAL,
	   "attaching by type with a name: EINVAL");
	is((uint64_t)load_by_type(insns, sizeof(insns) / sizeof(insns[0]), 0), (uint64_t)-EINVAL,
	   "a program without a type");
	close(link);
	close((int)prog);
	close(counts);
}

/* ---- maps ---- */

/* The answer of current_task_under_cgroup for element `index`. */
static int64_t under(int groups, int kept, int index)
{
	run_once(PROG(BPF_PROG_TYPE_TRACEPOINT, MAP(R1, groups), MOVI(R2, index),
		      CALL(BPF_FUNC_current_task_under_cgroup), KEEP(kept, 0), MOVI(R0, 0),
		      EXIT()));
	return (int64_t)map_value(kept, 0);
}

static void groups_array(void)
{
	int groups = (int)map_create(BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 3, 0),
	    kept = (int)map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), root, other, none = -1;
	uint32_t key = 0;

	mkdir("/tmp", 0777);
	mkdir("/tmp/groups", 0755);
	if (groups < 0 || mount("none", "/tmp/groups", "cgroup2", 0, NULL)) {
		skip("array of control groups", "no control groups of version 2");
		return;
	}
	mkdir("/tmp/groups/other", 0755);
	root = open("/tmp/groups", O_RDONLY);
	other = open("/tmp/groups/other", O_RDONLY);
	is((uint64_t)map_command(BPF_MAP_UPDATE_ELEM, groups, &key, &root, 0), 0, "the root");
	key = 1;
	is((uint64_t)map_command(BPF_MAP_UPDATE_ELEM, groups, &key, &other, 0), 0, "another group");
	is((uint64_t)map_command(BPF_MAP_UPDATE_ELEM, groups, &key, &none, 0), (uint64_t)-EBADF,
	   "no group");
	is((uint64_t)under(groups, kept, 0), 1, "the task is under the root");
	is((uint64_t)under(groups, kept, 1), 0, "current_task_under_cgroup of another group");
	is((uint64_t)under(groups, kept, 2), (uint64_t)-EAGAIN, "an empty element");
	is((uint64_t)under(groups, kept, 3), (uint64_t)-E2BIG, "after the end");
	is((uint64_t)map_command(BPF_MAP_DELETE_ELEM, groups, &key, NULL, 0), 0,
	   "a group leaves the array");
	close(groups);
	close(other);
	close(root);
	rmdir("/tmp/groups/other");
	umount("/tmp/groups");
	close(kept);
}

/* Bigger than the 4 MiB that the allocator keeps together. */
static void large_maps(void)
{
	static const struct {
		const char *name;
		uint32_t type, value, entries;
	} cases[] = {{"array of 16 MiB", BPF_MAP_TYPE_ARRAY, 4096, 4096},
		     {"hash of 300,000", BPF_MAP_TYPE_HASH, 8, 300000}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = (int)map_create(cases[i].type, 4, cases[i].value, cases[i].entries, 0);
		static uint64_t value[512], read_back[512];
		uint32_t key = cases[i].entries - 1;

		value[0] = 12345;
		ok(fd >= 0, "%s: it is made", cases[i].name);
		is((uint64_t)map_command(BPF_MAP_UPDATE_ELEM, fd, &key, value, 0), 0,
		   "a large map's last element");
		map_command(BPF_MAP_LOOKUP_ELEM, fd, &key, read_back, 0);
		is(read_back[0], 12345, "is found again");
		close(fd);
	}
}

static void ring_keys(void)
{
	int ring = (int)map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	uint32_t key = 0;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)ring;
	attr.next_key = (uintptr_t)&key;
	is((uint64_t)bpf(BPF_MAP_GET_NEXT_KEY, &attr), (uint64_t)-524,
	   "a ring has no keys: ENOTSUPP");
	close(ring);
}

int main(void)
{
	mount_tracefs();
	global_data();
	dead_code();
	points_by_type();
	groups_array();
	large_maps();
	ring_keys();
	return tap_end();
}
