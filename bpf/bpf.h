/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF: maps, programs and their run, as the files of bpf/ and api/ share them.
 *
 * A program never holds an address of the kernel's memory that it may use: its pointers are numbers
 * that name a region (its stack, its context, the values of a map, a record of a ring buffer) and a
 * place in it, and each access is checked against the region when it is made.
 */
#ifndef BPF_BPF_H
#define BPF_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/list.h"

struct bpf_map;
struct bpf_program;
struct btf;
struct file;
struct frame;
struct perf_event;
struct vma;

/* ---- map.c ---- */

#define MAP_BYTES_MOST (4ul << 20) /* of all values of a map: they lie in one piece */
#define NO_ELEMENT     UINT32_MAX
#define ENOTSUPP       524 /* of Linux, beyond its errno.h */

/* What a kind of map does. Keys and values are in the kernel's memory, values of per-processor maps
 * as one for each processor, each padded to 8 bytes. Returns are negative errno. */
struct map_kind {
	bool per_cpu;   /* a value for each processor */
	bool in_values; /* elements lie in map->values: programs get pointers to them */
	uint32_t flags; /* BPF_F_* that it may be made with */
	int (*init)(struct bpf_map *map);     /* checks sizes, allocates. Context: task */
	void (*destroy)(struct bpf_map *map); /* undoes it. Context: task */
	/* The element of a key, NO_ELEMENT: none. Context: any. */
	uint32_t (*find)(struct bpf_map *map, const void *key);
	/* The element of a key to write a value to, made when the flags (BPF_ANY, _NOEXIST, _EXIST)
	 * let it. Context: any. */
	int (*place)(struct bpf_map *map, const void *key, uint64_t flags, uint32_t *element);
	int (*remove)(struct bpf_map *map, const void *key); /* Context: any */
	/* The key behind `key` (NULL, or not there: the first): 0, -ENOENT at the end. Context:
	 * task. */
	int (*next)(struct bpf_map *map, const void *key, void *next);
	/* Those that do not lie in values: whole operations. Context: task. */
	int (*get)(struct bpf_map *map, const void *key, void *value);
	int (*put)(struct bpf_map *map, struct file *through, const void *key, const void *value,
		   uint64_t flags);
	void (*closed)(struct bpf_map *map,
		       struct file *through); /* a descriptor's file went away */
	int (*mmap)(struct bpf_map *map, struct vma *vma);
};

struct bpf_map {
	const struct map_kind *kind;
	uint32_t refs; /* atomic */
	uint32_t id, type, flags;
	uint32_t key_size, value_size, max_entries;
	uint32_t stride; /* of values: their size, padded to 8 */
	char name[BPF_OBJ_NAME_LEN];
	uint32_t uid;
	uint64_t map_extra;
	bool frozen;
	uint32_t files;  /* open files of it, and names in bpffs */
	struct btf *btf; /* of its key and value, referenced; NULL: not told */
	uint32_t btf_key, btf_value;
	uint8_t *values;  /* of in_values; a processor's follow those of the one before */
	size_t bytes;     /* of values */
	struct list link; /* in all maps, by id */
	union {
		struct hash *hash;
		struct ringbuf *ring;
		struct stacks *stacks;
		struct slot *slots; /* of perf events or programs */
	};
};

/* The kinds, by BPF_MAP_TYPE_*; NULL: not here. */
const struct map_kind *map_kind(uint32_t type);

/* A new map with one reference, or NULL and *error. Context: task. */
struct bpf_map *map_new(const union bpf_attr *attr, int *error);
void map_get(struct bpf_map *map);
void map_put(struct bpf_map *map);
/* The next id above, 0: none; the map of an id, with a reference, or NULL. Context: task. */
uint32_t map_next_id(uint32_t id);
struct bpf_map *map_by_id(uint32_t id);
/* Bytes of a value as lookups copy it. */
uint32_t map_copy_size(const struct bpf_map *map);
/* An element's value of the processor (0 where there is one for all). Context: any. */
static inline uint8_t *map_value(const struct bpf_map *map, uint32_t element, uint32_t cpu)
{
	return map->values + ((uint64_t)cpu * map->max_entries + element) * map->stride;
}

/* Its value here. Context: any. */
static inline uint8_t *map_value_here(const struct bpf_map *map, uint32_t element)
{
	return map_value(map, element, map->kind->per_cpu ? this_cpu_read(id) : 0);
}

/* Lookup, update and deletion as bpf(2) makes them. Context: task. */
int map_lookup(struct bpf_map *map, const void *key, void *value);
int map_update(struct bpf_map *map, struct file *through, const void *key, const void *value,
	       uint64_t flags);
int map_delete(struct bpf_map *map, const void *key);

extern const struct map_kind array_kind, percpu_array_kind, hash_kind, percpu_hash_kind,
    lru_hash_kind, lru_percpu_hash_kind, perf_array_kind, prog_array_kind, ring_kind, stack_kind;

/* A lock that programs of any context may want: false when it cannot be had here, as an NMI has
 * interrupted its holder. Context: any. */
bool map_lock(struct spinlock *lock, uint64_t *flags);
static inline void map_unlock(struct spinlock *lock, uint64_t flags)
{
	spin_unlock_irqrestore(lock, flags);
}

/* ---- ring.c: BPF_MAP_TYPE_RINGBUF. Context: any. ---- */

/* A record of `size` bytes, not yet to be read; NULL: no room. */
void *ring_record_reserve(struct bpf_map *map, uint32_t size);
/* It is complete, or (`discard`) nobody's; `flags`: BPF_RB_*. */
void ring_record_commit(struct bpf_map *map, void *record, uint64_t flags, bool discard);
uint64_t ring_record_query(struct bpf_map *map, uint64_t what);
struct poll_table;
unsigned ring_poll(struct bpf_map *map, struct poll_table *table); /* Context: task */

/* ---- events.c: perf events and programs in arrays ---- */

/* The perf event at the index, NULL: none. Context: any. */
struct perf_event *perf_array_event(struct bpf_map *map, uint32_t index);
struct bpf_program *prog_array_program(struct bpf_map *map, uint32_t index);

/* ---- stacks.c ---- */

int64_t stacks_id(struct bpf_map *map, const uint64_t *addresses, uint32_t nr, uint64_t flags);

/* ---- program.c ---- */

#define PROGRAM_MAPS  64    /* that one program uses, as Linux */
#define PROGRAM_INSNS 65536 /* of one program */

struct bpf_program {
	uint32_t refs; /* atomic */
	uint32_t id, type;
	uint32_t nr_insns, nr_maps;
	struct bpf_insn *insns;
	struct bpf_map *maps[PROGRAM_MAPS];
	char name[BPF_OBJ_NAME_LEN];
	uint8_t tag[8];
	uint32_t uid;
	uint64_t load_time; /* ns since start */
	uint64_t run_count, misses;
	struct btf *btf;  /* of its functions, referenced; NULL: not told */
	struct list link; /* in all programs, by id */
};

struct text;
/* Of attr->insn_cnt instructions, which it takes over; what it does not like goes to `log` (NULL:
 * nowhere). NULL and *error. Context: task. */
struct bpf_program *program_load(const union bpf_attr *attr, struct bpf_insn *insns,
				 struct text *log, int *error);
void program_get(struct bpf_program *program);
void program_put(struct bpf_program *program);
uint32_t program_next_id(uint32_t id);
struct bpf_program *program_by_id(uint32_t id);

/* check.c: whether the instructions make sense: registers, jumps, ends, calls that there are. `log`
 * may be NULL. */
int program_check(struct bpf_program *program, struct text *log);

/* ---- run.c ---- */

#define STACK_BYTES_EACH 512
#define CALLS_MOST       8
#define CONTEXT_MOST     4096    /* bytes */
#define RECORDS_MOST     8       /* of ring buffers that a run holds */
#define RUN_MOST         1000000 /* instructions of a run */

/* What a program runs on. */
struct bpf_context {
	void *data;
	uint32_t bytes;
	uint32_t readable; /* from here on; what is before is hidden */
	const struct frame *frame;
	struct perf_event *event; /* of a PERF_EVENT program, NULL: another */
	uint64_t function;        /* where a probe is */
	uint64_t cookie;
};

/* Runs the program: what it returns, 0 when it did something that it must not, or one is already
 * running on this processor. Context: any. */
uint64_t program_run(struct bpf_program *program, const struct bpf_context *context);

/* The run under way, as helpers see it. */
struct run {
	struct bpf_program *program;
	const struct bpf_context *context;
	uint64_t left; /* instructions, and what helpers do */
	uint32_t depth, tail_calls;
	uint32_t nr_records; /* that were taken, given back or not */
	bool failed;
	struct {
		struct bpf_map *map;
		void *record; /* NULL: free */
		uint32_t bytes;
	} records[RECORDS_MOST];
	uint64_t saved[CALLS_MOST][4];
	uint32_t back[CALLS_MOST];
	uint8_t stack[CALLS_MOST * STACK_BYTES_EACH];
	uint8_t scratch[2048]; /* of helpers */
};

/* The memory behind a program's pointer, NULL when `bytes` there are not its own (to `write`). */
void *run_memory(struct run *run, uint64_t pointer, uint64_t bytes, bool write);
/* A helper's work on so many bytes counts as instructions of the run, too. */
static inline void run_spend(struct run *run, uint64_t bytes)
{
	uint64_t instructions = bytes / 4;

	run->left -= instructions < run->left ? instructions : run->left;
}

/* The map behind a program's pointer to one, NULL: it is none. */
struct bpf_map *run_map(struct run *run, uint64_t pointer);
/* The program's pointer to an element's value here. */
uint64_t run_element(struct run *run, struct bpf_map *map, uint32_t element);
/* Runs the function at the instruction with up to two arguments: what it returns. */
uint64_t run_function(struct run *run, uint32_t at, uint64_t first, uint64_t second);

#define POINTER_TAG      0xbf0bul /* the upper 16 bits of all pointers of programs */
#define REGION_SHIFT     32
#define REGION_STACK     0u
#define REGION_CONTEXT   1u
#define REGION_RECORDS   2u
#define REGION_MAPS      16u    /* values of the program's maps */
#define REGION_MAP_NAMES 0x100u /* the maps themselves: no memory */
#define REGION_CODE      0x200u /* functions: no memory */

static inline uint64_t run_pointer(uint32_t region, uint32_t offset)
{
	return POINTER_TAG << 48 | (uint64_t)region << REGION_SHIFT | offset;
}

/* helpers*.c: by BPF_FUNC_*. */
typedef uint64_t helper_fn(struct run *run, const uint64_t argument[5]);
helper_fn *helper_find(uint32_t number, uint32_t type);

/* Programs that run in an NMI must not touch what its tasks have half changed. */
static inline bool run_is_sampled(const struct run *run)
{
	return run->context->event != NULL;
}

#endif
