/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of BPF under ASan and UBSan: what the check lets through runs, and leaves neither its
 * stack, context, maps and records nor anything after.
 */
#include <linux/bpf.h>
#include <stdlib.h>
#include "arch/x86/cpu/frame.h"
#include "bpf/attach.h"
#include "bpf/object/files.h"
#include "bpf/run.h"
#include "api/perf/perf.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vm.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"
#include "trace/btf.h"
#include "trace/buffer/pipe.h"

#define INSNS_MAX     64
#define KNOWN_CALL    12 /* instructions of the longest piece */
#define CONTEXT_BYTES 72 /* of which programs see the bytes from the 8th on */
#define CANARY        0x5eed5eed5eed5eedul

static const struct {
	uint32_t type, key, value, entries;
} maps_made[] = {
    {BPF_MAP_TYPE_ARRAY, 4, 64, 4},        {BPF_MAP_TYPE_HASH, 8, 8, 6},
    {BPF_MAP_TYPE_RINGBUF, 0, 0, 4096},    {BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 4},
    {BPF_MAP_TYPE_STACK_TRACE, 4, 64, 4},  {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 2},
    {BPF_MAP_TYPE_LRU_HASH, 4, 12, 3},     {BPF_MAP_TYPE_PERCPU_ARRAY, 4, 1, 2},
    {BPF_MAP_TYPE_ARRAY, 4, 5000, 1},      {BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 4},
    {BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 2}, {BPF_MAP_TYPE_HASH_OF_MAPS, 4, 4, 2},
    {BPF_MAP_TYPE_ARRAY, 4, 8, 1}, /* the canary */
};

#define NR_MAPS (sizeof(maps_made) / sizeof(maps_made[0]))

static int maps[NR_MAPS];

/* Text that programs print is dropped. */
int trace_pipe_prepare(void)
{
	return 0;
}

void trace_pipe_print(const char *text)
{
	(void)text;
}

/* No address is one of the kernel's functions. */
const char *symbols_find(uint64_t address, uint64_t *offset)
{
	(void)address;
	(void)offset;
	return NULL;
}

/* Nor does anybody ask for the kernel's types. */
const void *kernel_btf(uint32_t *bytes)
{
	*bytes = 0;
	return NULL;
}

const char *kernel_btf_point(uint32_t type)
{
	(void)type;
	return NULL;
}

static void make_maps(void)
{
	for (unsigned i = 0; i < NR_MAPS; i++) {
		union bpf_attr attr;
		int error;

		memset(&attr, 0, sizeof(attr));
		attr.map_type = maps_made[i].type;
		attr.key_size = maps_made[i].key;
		attr.value_size = maps_made[i].value;
		attr.max_entries = maps_made[i].entries;
		attr.inner_map_fd = (uint32_t)maps[0];
		maps[i] = bpf_fd(&map_new(&attr, &error)->object, 0);
	}
}

/* The element 0 of a map becomes, or is asked to be, the value; returns what was done. */
static int element(unsigned number, void *value, bool put)
{
	int error;
	uint32_t key = 0;
	struct file *file;
	struct bpf_map *map = bpf_map_of_fd(maps[number], &file, &error);

	error = put ? map_update(map, file, &key, value, BPF_ANY) : map_lookup(map, &key, value);
	map_put(map);
	file_put(file);
	return error;
}

/* ---- programs ---- */

struct writer {
	struct bpf_insn insns[INSNS_MAX / 2 * KNOWN_CALL + 1];
	uint32_t nr;
};

static void put(struct writer *w, uint8_t code, unsigned dst, unsigned src, int16_t off, int imm)
{
	w->insns[w->nr++] = (struct bpf_insn){
	    .code = code, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm};
}

static void put_raw(struct bytes *in, struct writer *w)
{
	uint64_t word = take(in, 8);

	memcpy(&w->insns[w->nr++], &word, sizeof(word));
}

static void put_wide(struct writer *w, unsigned dst, unsigned src, uint64_t value)
{
	put(w, BPF_LD | BPF_IMM | BPF_DW, dst, src, 0, (int32_t)value);
	put(w, 0, 0, 0, 0, (int32_t)(value >> 32));
}

/* Never the canary's. */
static void put_map(struct bytes *in, struct writer *w)
{
	unsigned dst = take_one_of(in, 10);

	put_wide(w, dst, BPF_PSEUDO_MAP_FD, (uint32_t)maps[take_one_of(in, NR_MAPS - 1)]);
}

static void put_value_pointer(struct bytes *in, struct writer *w)
{
	static const unsigned single[] = {8}; /* maps of one element */
	unsigned dst = take_one_of(in, 10);

	put_wide(w, dst, BPF_PSEUDO_MAP_VALUE, (uint32_t)maps[single[0]] | take(in, 2) << 32);
}

static void put_function(struct bytes *in, struct writer *w)
{
	unsigned dst = take_one_of(in, 10);

	put_wide(w, dst, BPF_PSEUDO_FUNC, take_one_of(in, INSNS_MAX));
}

static void put_pointer(struct bytes *in, struct writer *w)
{
	unsigned dst = take_one_of(in, 10);

	put_wide(w, dst, 0, run_pointer((uint32_t)take(in, 2) & 0x3ff, (uint32_t)take(in, 2)));
}

static void put_stack_pointer(struct bytes *in, struct writer *w)
{
	unsigned dst = take_one_of(in, 10);

	put(w, BPF_ALU64 | BPF_MOV | BPF_X, dst, 10, 0, 0);
	put(w, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, -(int)take_one_of(in, 128) * 4);
}

static void put_call(struct bytes *in, struct writer *w)
{
	bool own = take_one_of(in, 8) == 0;

	put(w, BPF_JMP | BPF_CALL, 0, own ? BPF_PSEUDO_CALL : 0, 0,
	    own ? (int8_t)take(in, 1) : (int)take_one_of(in, 200));
}

/* Writes a call as compilers do, with arguments that loading can follow; some are out of bounds. */
static void put_known_call(struct bytes *in, struct writer *w)
{
	static const int calls[] = {BPF_FUNC_map_lookup_elem, BPF_FUNC_map_update_elem,
				    BPF_FUNC_perf_event_output};
	int call = calls[take_one_of(in, 3)], off = 8 - (int)take_one_of(in, 136) * 4;
	unsigned map = call == BPF_FUNC_perf_event_output ? 2 : 1;

	put_wide(w, map, BPF_PSEUDO_MAP_FD, (uint32_t)maps[take_one_of(in, NR_MAPS - 1)]);
	for (unsigned reg = map + 1; reg <= 4; reg++) {
		put(w, BPF_ALU64 | BPF_MOV | BPF_X, reg, 10, 0, 0);
		put(w, BPF_ALU64 | BPF_ADD | BPF_K, reg, 0, 0, off - 8 * (int)reg);
	}
	if (map == 2)
		put_wide(w, 3, 0, BPF_F_CURRENT_CPU);
	put(w, BPF_ALU64 | BPF_MOV | BPF_K, map == 1 ? 4 : 5, 0, 0, (int8_t)take(in, 1));
	put(w, BPF_JMP | BPF_CALL, 0, 0, 0, call);
}

static void put_number(struct bytes *in, struct writer *w)
{
	unsigned dst = take_one_of(in, 10);

	put(w, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int16_t)take(in, 2));
}

static void put_memory(struct bytes *in, struct writer *w)
{
	static const uint8_t codes[] = {
	    BPF_LDX | BPF_MEM | BPF_B,     BPF_LDX | BPF_MEM | BPF_H,    BPF_LDX | BPF_MEM | BPF_W,
	    BPF_LDX | BPF_MEM | BPF_DW,    BPF_STX | BPF_MEM | BPF_B,    BPF_STX | BPF_MEM | BPF_DW,
	    BPF_STX | BPF_ATOMIC | BPF_DW, BPF_STX | BPF_ATOMIC | BPF_W,
	};
	uint8_t code = codes[take_one_of(in, sizeof(codes))];
	unsigned dst = take_one_of(in, 11), src = take_one_of(in, 11);
	int16_t off = (int8_t)take(in, 1);

	put(w, code, dst, src, off, BPF_MODE(code) == BPF_ATOMIC ? (int)take(in, 1) : 0);
}

static void put_jump(struct bytes *in, struct writer *w)
{
	unsigned op = take_one_of(in, 14) << 4, dst = take_one_of(in, 11);
	int16_t off = (int8_t)take(in, 1);

	put(w, (uint8_t)(BPF_JMP | op), op ? dst : 0, 0, off, op ? (int8_t)take(in, 1) : 0);
}

static void put_exit(struct bytes *in, struct writer *w)
{
	(void)in;
	put(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void (*const pieces[])(struct bytes *in, struct writer *w) = {
    put_raw,  put_map,    put_value_pointer, put_function, put_pointer, put_stack_pointer,
    put_call, put_number, put_memory,        put_jump,     put_exit,    put_known_call,
};

/* A program of one of the types that there are, NULL: it was refused. */
static struct bpf_program *load(struct bytes *in)
{
	static const uint32_t types[] = {BPF_PROG_TYPE_TRACEPOINT, BPF_PROG_TYPE_PERF_EVENT,
					 BPF_PROG_TYPE_RAW_TRACEPOINT};
	uint32_t pieces_wanted = take_one_of(in, INSNS_MAX / 2);
	struct bpf_insn *insns;
	struct writer w = {.nr = 0};
	union bpf_attr attr;
	int error;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = types[take_one_of(in, 3)];
	while (pieces_wanted-- && in->left)
		pieces[take_one_of(in, sizeof(pieces) / sizeof(pieces[0]))](in, &w);
	put(&w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	attr.insn_cnt = w.nr;
	insns = kalloc(w.nr * sizeof(*insns));
	memcpy(insns, w.insns, w.nr * sizeof(*insns));
	return program_load(&attr, insns, NULL, &error);
}

/* The other program goes where tail calls find it. */
static void offer(struct bpf_program *program)
{
	int fd = bpf_fd(&program->object, 0);

	element(5, &fd, true);
	fake_close(fd);
}

/* ---- runs ---- */

static struct perf_event *open_event(uint64_t config, int *fd)
{
	struct perf_event_attr attr = fake_attr(PERF_TYPE_SOFTWARE, config);
	struct perf_event *event;
	struct file *file;

	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	*fd = fake_open(&attr, -1, 0, -1, 0);
	event = perf_event_of_fd(*fd, &file);
	file_put(file);
	return event;
}

static void run(struct bytes *in, struct bpf_program *program, struct perf_event *event)
{
	struct frame frame = {.cs = 0x33, .rip = FAKE_USER_RIP, .rsp = 0x7000, .rbp = 0x7000};
	struct run *run = run_here();
	void *data = malloc(CONTEXT_BYTES); /* with ASan's zones around it */

	memset(data, (int)take(in, 1), CONTEXT_BYTES);
	if (!run_begin(run, program))
		abort();
	memset(&run->context, 0, sizeof(run->context));
	run->context.data = data;
	run->context.bytes = CONTEXT_BYTES;
	run->context.readable = 8;
	run->context.frame = &frame;
	run->context.event = program->type == BPF_PROG_TYPE_PERF_EVENT ? event : NULL;
	run_go(run);
	free(data);
	if (run->running || run->begun)
		abort();
}

static void check_canary(void)
{
	uint64_t value = 0;

	if (element(NR_MAPS - 1, &value, false) || value != CANARY)
		abort();
}

static void run_programs(struct bytes *in, struct perf_event *event)
{
	struct bpf_program *first = load(in), *second = load(in);

	if (second)
		offer(second); /* takes the reference; the array has one */
	for (unsigned i = 0; first && i < 3; i++)
		run(in, first, event);
	if (first)
		program_put(first);
	check_canary();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = {data, size};
	uint64_t canary = CANARY;
	struct perf_event *event;
	int output, clock;

	bpf_perf_event = perf_event_of_fd;
	fake_boot("intel-v4");
	bpf_cpus_init();
	make_maps();
	element(NR_MAPS - 1, &canary, true);
	event = open_event(PERF_COUNT_SW_CPU_CLOCK, &clock);
	open_event(PERF_COUNT_SW_BPF_OUTPUT, &output);
	element(3, &output, true);
	element(NR_MAPS - 3, &maps[0], true);
	element(NR_MAPS - 2, &maps[0], true);
	run_programs(&in, event);
	for (unsigned i = 0; i < NR_MAPS; i++)
		fake_close(maps[i]);
	fake_close(output);
	fake_close(clock);
	fake_run(1, MODEL_USER);
	kfree(this_cpu()->bpf);
	this_cpu()->bpf = NULL;
	fake_shutdown();
	if (fake_open_objects)
		abort();
	return 0;
}
