/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/fuzz/latency.c: events, BPF and tracing. */
#ifndef TESTS_FUZZ_LATENCY_PERF_H
#define TESTS_FUZZ_LATENCY_PERF_H

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include "abi/linux/bpf.h"

#define EVENTS   3000
#define SIBLINGS 1000

static int events[EVENTS];

static int open_event(struct perf_event_attr attr, int group)
{
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static unsigned nr_events;

static void prepare_group(void)
{
	const struct perf_event_attr attr = {
	    .config = PERF_COUNT_SW_TASK_CLOCK, .read_format = PERF_FORMAT_GROUP, .disabled = 1};

	for (nr_events = 0; nr_events < SIBLINGS; nr_events++) {
		events[nr_events] = open_event(attr, nr_events ? events[0] : -1);
		if (events[nr_events] < 0)
			break;
	}
	must(nr_events > 10 ? 0 : -1);
}

static void call_group(void)
{
	static uint64_t values[SIBLINGS + 8];

	must(ioctl(events[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	must(read(events[0], values, sizeof(values)));
	must(ioctl(events[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	must(close(events[0]));
}

static void prepare_events(void)
{
	const struct perf_event_attr attr = {
	    .config = PERF_COUNT_SW_PAGE_FAULTS, .inherit = 1, .disabled = 1};

	for (nr_events = 0; nr_events < EVENTS; nr_events++)
		must(events[nr_events] = open_event(attr, -1));
}

static void call_prctl(void)
{
	must(prctl(PR_TASK_PERF_EVENTS_ENABLE));
	must(prctl(PR_TASK_PERF_EVENTS_DISABLE));
}

static void call_event_exec(void)
{
	must(prctl(PR_TASK_PERF_EVENTS_ENABLE));
	execl("/proc/self/exe", "fuzz", "well", (char *)NULL);
}

static void call_big_ring(void)
{
	const struct perf_event_attr attr = {.config = PERF_COUNT_SW_DUMMY};
	int fd = open_event(attr, -1);
	size_t bytes = PAGE + 32 * MIB;
	void *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (ring == MAP_FAILED)
		_exit(errno);
	must(munmap(ring, bytes));
	must(close(fd));
}

static long bpf(int what, union bpf_attr *attr)
{
	return syscall(SYS_bpf, what, attr, sizeof(*attr));
}

static int a_map;

static int make_bpf_map(uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries)
{
	union bpf_attr attr = {.map_type = type,
			       .key_size = key_bytes,
			       .value_size = value_bytes,
			       .max_entries = entries};

	return (int)bpf(BPF_MAP_CREATE, &attr);
}

static void call_bpf_maps(void)
{
	int fd = make_bpf_map(BPF_MAP_TYPE_HASH, 8, 8, 1000000);

	must(fd);
	must(close(fd));
	must(fd = make_bpf_map(BPF_MAP_TYPE_ARRAY, 4, 16, 1000000));
	must(close(fd));
}

#define KEYS 20000

static void prepare_bpf_map(void)
{
	must(a_map = make_bpf_map(BPF_MAP_TYPE_HASH, 8, 8, KEYS));
	for (uint64_t key = 0; key < KEYS; key++) {
		union bpf_attr attr = {
		    .map_fd = (uint32_t)a_map, .key = (uint64_t)&key, .value = (uint64_t)&key};

		must(bpf(BPF_MAP_UPDATE_ELEM, &attr));
	}
}

static void call_bpf_batch(void)
{
	static uint64_t keys[KEYS], values[KEYS], next;
	union bpf_attr attr = {.batch = {.out_batch = (uint64_t)&next,
					 .keys = (uint64_t)keys,
					 .values = (uint64_t)values,
					 .count = KEYS,
					 .map_fd = (uint32_t)a_map}};

	bpf(BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr);
}

static void call_bpf_close(void)
{
	must(close(a_map));
}

/* r0 = 0 all over, and exit. */
static void call_bpf_load(void)
{
	static struct bpf_insn code[1000000];
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_TRACEPOINT,
			       .insns = (uint64_t)code,
			       .insn_cnt = COUNT(code),
			       .license = (uint64_t) "GPL"};

	for (unsigned i = 0; i < COUNT(code) - 1; i++)
		code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
	code[COUNT(code) - 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	bpf(BPF_PROG_LOAD, &attr);
}

/* The kernel's own BTF, loaded as a program's. */
static void call_btf_load(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	long bytes = lseek(fd, 0, SEEK_END);
	char *btf = map_new(PROT_READ | PROT_WRITE, MAP_PRIVATE, 8 * MIB);
	union bpf_attr attr = {.btf = (uint64_t)btf, .btf_size = (uint32_t)bytes};

	if (bytes <= 0)
		_exit(0);
	bytes = pread(fd, btf, (size_t)bytes, 0);
	bpf(BPF_BTF_LOAD, &attr);
}

static const struct latency_case perf_cases[] = {
    {"a group of events, all at once", prepare_group, call_group},
    {"prctl() of 3,000 events", prepare_events, call_prctl},
    {"fork() with 3,000 inherited events", prepare_events, call_fork},
    {"exec with 3,000 events", prepare_events, call_event_exec},
    {"exit with 3,000 events", prepare_events, call_nothing},
    {"a ring of 32 MiB", NULL, call_big_ring},
    {"maps of BPF with a million entries", NULL, call_bpf_maps},
    {"a batch of 20,000 keys", prepare_bpf_map, call_bpf_batch},
    {"close() of a map of 20,000 keys", prepare_bpf_map, call_bpf_close},
    {"BPF_PROG_LOAD of a million instructions", NULL, call_bpf_load},
    {"BPF_BTF_LOAD of the kernel's types", NULL, call_btf_load},
};

#endif
