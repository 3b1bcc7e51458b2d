/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF programs and their execution, shared by bpf/ and api/.
 *
 * A program never holds a usable address of kernel memory: its pointers are numbers that name a
 * region (its stack, its context, the values of a map, a record of a ring buffer) and an offset in
 * it, and each access is checked against the region at run time.
 */
#ifndef BPF_BPF_H
#define BPF_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/map/map.h"
#include "bpf/object/object.h"

struct btf;
struct frame;
struct perf_event;

/* ---- program.c ---- */

#define PROGRAM_MAPS  64    /* that one program uses, as Linux */
#define PROGRAM_INSNS 65536 /* of one program */

struct bpf_program {
	struct bpf_object object;
	uint32_t type;
	uint32_t nr_insns, nr_maps;
	struct bpf_insn *insns;
	struct op *ops;         /* the decoded instructions, after one extra: ops.h */
	const struct op *entry; /* where a run begins */
	struct bpf_map *maps[PROGRAM_MAPS];
	char name[BPF_OBJ_NAME_LEN];
	uint8_t tag[8];
	uint32_t uid;
	uint64_t load_time; /* ns since start */
	uint64_t run_count, misses;
	const char *point; /* of a TRACING program: its raw tracepoint */
	struct btf *btf;   /* types of its functions, referenced; NULL: none */
};

struct text;
/* Loads a program of attr->insn_cnt instructions, which it takes ownership of. Errors are described
 * in `log` (NULL: no log). NULL and *error on failure. Context: task. */
struct bpf_program *program_load(const union bpf_attr *attr, struct bpf_insn *insns,
				 struct text *log, int *error);
static inline void program_get(struct bpf_program *program)
{
	object_get(&program->object);
}

static inline void program_put(struct bpf_program *program)
{
	object_put(&program->object);
}

/* Replaces instructions that cannot be reached, in a program that calls unknown functions. Returns
 * 0 or -ENOMEM. Context: task. */
int program_bury(struct bpf_program *program);
/* check.c: checks that the instructions are valid: registers, jumps, exits, called helpers. `log`
 * may be NULL. */
int program_check(struct bpf_program *program, struct text *log);

/* ---- run.c ---- */

#define STACK_BYTES_EACH 512
#define CALLS_MAX        8
#define RECORDS_MAX      8       /* of ring buffers that a run holds */
#define INNER_MAX        16      /* maps that a run finds in maps */
#define RUN_MAX          1000000 /* instructions that a run goes back over */

/* The context of a run. The caller sets `fill` and the data that fill() needs; the rest is filled
 * in when a program first uses the context. */
struct bpf_context {
	/* Fills in the fields below; NULL: they are valid. Context: any. */
	void (*fill)(struct bpf_context *context);
	const void *place;        /* fill()'s: where the program is attached */
	const void *hit;          /* fill()'s: what has happened there */
	uint64_t period, address; /* of a sample */
	void *data;
	uint32_t bytes;
	uint32_t readable; /* from here on; what is before is hidden */
	const struct frame *frame;
	struct perf_event *event; /* of a PERF_EVENT program */
	uint64_t function;        /* where a probe is; 0: there is none */
	uint64_t cookie;
	uint64_t words[23]; /* for data that are made for the program: registers, a sample */
};

/* The run in progress, for helpers. */
struct run {
	bool running; /* a program: others are turned away. Atomic: NMI and task */
	struct bpf_program *program;
	uint64_t left; /* remaining budget: instructions, and work of helpers */
	union {
		uint64_t begun; /* all of the flags and counts below: 0 between runs */
		struct {
			bool failed;
			bool has_records; /* took some, given back or not */
			uint8_t depth, tail_calls, nr_inner;
			uint8_t bottom; /* of run_function(): the depth that it began at */
		};
	};
	struct bpf_context context;
	uint32_t stack_bytes; /* of all functions that are under way */
	uint32_t key_bytes;
	const struct op *end; /* where what run_function() ran has left */
	uint8_t *frame;       /* where R10 points to */
	uint64_t word;        /* copy of the kernel's memory that a TRACING program reads */
	uint64_t reg[11];     /* except in functions called by run_function() */
	const void *key;      /* of for_each_map_elem's element, NULL: there is none under way */
	struct bpf_map *inner[INNER_MAX]; /* not referenced: they stay while the run does */
	struct {
		struct bpf_map *map;
		void *record; /* NULL: free */
		uint32_t bytes;
	} records[RECORDS_MAX];
	uint64_t saved[CALLS_MAX][4];
	uint32_t back[CALLS_MAX];
	uint8_t stack[CALLS_MAX * STACK_BYTES_EACH];
	uint8_t scratch[2048]; /* of helpers */
};

#define BYTES_FREE 64

/* Charges a helper's work on `bytes` bytes to the run, as instructions, if it is large. */
static inline void run_spend(struct run *run, uint64_t bytes)
{
	uint64_t instructions = bytes / 4;

	if (bytes > BYTES_FREE)
		run->left -= instructions < run->left ? instructions : run->left;
}

/* run.c: fills in the rest of the context. Context: any. */
void run_fill(struct run *run);

/* Returns the program's context, filled in. Context: any. */
static inline struct bpf_context *run_context(struct run *run)
{
	if (run->context.fill)
		run_fill(run);
	return &run->context;
}

/* Runs the function at the instruction; returns its result. */
uint64_t run_function(struct run *run, uint32_t at, const uint64_t arguments[4]);

#define POINTER_TAG      0xbf0bul /* the upper 16 bits of all pointers of programs */
#define REGION_SHIFT     32
#define REGION_STACK     0u
#define REGION_CONTEXT   1u
#define REGION_RECORDS   2u
#define REGION_KEY       10u    /* of the element that for_each_map_elem is at: only to be read */
#define REGION_MAPS      16u    /* values of the program's maps */
#define REGION_MAP_NAMES 0x100u /* the maps themselves: no memory */
#define REGION_CODE      0x200u /* functions: no memory */

static inline uint64_t run_pointer(uint32_t region, uint32_t offset)
{
	return POINTER_TAG << 48 | (uint64_t)region << REGION_SHIFT | offset;
}

/* Returns the memory behind a program's pointer, or NULL if the program may not access (`write`:
 * write) `bytes` there. run_memory() handles the stack, the most frequent case;
 * run_memory_elsewhere() the rest. */
void *run_memory_elsewhere(struct run *run, uint64_t pointer, uint64_t bytes, bool write);
static inline void *run_memory(struct run *run, uint64_t pointer, uint64_t bytes, bool write)
{
	uint64_t offset = pointer - run_pointer(REGION_STACK, 0);

	if (bytes <= run->stack_bytes && offset <= run->stack_bytes - bytes)
		return run->stack + offset;
	return run_memory_elsewhere(run, pointer, bytes, write);
}

/* Returns the number of the map that a program's pointer names; UINT64_MAX: not a map. */
static inline uint64_t run_map_number(uint64_t pointer)
{
	uint64_t index = pointer - run_pointer(REGION_MAP_NAMES, 0);

	return (uint32_t)index ? UINT64_MAX : index >> REGION_SHIFT;
}

/* Returns the map with that number: the program's maps, then the inner maps that it found; NULL:
 * none. */
static inline struct bpf_map *run_map_at(const struct run *run, uint64_t number)
{
	if (number < run->program->nr_maps)
		return run->program->maps[number];
	return number - PROGRAM_MAPS < run->nr_inner ? run->inner[number - PROGRAM_MAPS] : NULL;
}

/* Returns the map itself, NULL: not a map. */
static inline struct bpf_map *run_map(const struct run *run, uint64_t pointer)
{
	return run_map_at(run, run_map_number(pointer));
}

/* Sets the number of nested calls. */
static inline void run_set_depth(struct run *run, uint32_t depth)
{
	run->depth = (uint8_t)depth;
	run->stack_bytes = (depth + 1) * STACK_BYTES_EACH;
	run->frame = run->stack + run->stack_bytes;
}

/* helpers*.c: by BPF_FUNC_*. */
typedef uint64_t helper_fn(struct run *run, const uint64_t argument[5]);
helper_fn *helper_find(uint32_t number, uint32_t type);
/* Returns how many registers the helper `number` reads, from R1 on; it must exist. */
unsigned helper_arguments(uint32_t number);

#endif
