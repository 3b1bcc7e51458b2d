/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF maps: operations of a kind of map, and further functions of each kind for programs. */
#ifndef BPF_MAP_MAP_H
#define BPF_MAP_MAP_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/spinlock.h"
#include "bpf/object/object.h"

struct bpf_map;
struct bpf_program;
struct btf;
struct file;
struct perf_event;
struct poll_table;
struct vma;

#define MAP_BYTES_MAX (256ul << 20) /* total size of a map's values, which are contiguous */
#define NO_ELEMENT    UINT32_MAX

/* Operations of a kind of map. Keys and values are in the kernel's memory; a value of a
 * per-processor map is an array with one entry for each processor, each padded to 8 bytes. Returns
 * are negative errno. */
struct map_kind {
	bool per_cpu;   /* a value for each processor */
	bool in_values; /* elements are in map->values: programs get pointers to them */
	bool of_maps;   /* the elements in `values` are maps: programs get pointers to the maps */
	uint32_t flags; /* BPF_F_* that it may be made with */
	int (*init)(struct bpf_map *map);     /* checks sizes, allocates. Context: task */
	void (*destroy)(struct bpf_map *map); /* undoes it. Context: task */
	/* Returns the element of a key, NO_ELEMENT: none. Context: any. */
	uint32_t (*find)(struct bpf_map *map, const void *key);
	/* Returns the element of a key for writing, made if the flags (BPF_ANY, _NOEXIST, _EXIST)
	 * allow it. Context: any. */
	int (*place)(struct bpf_map *map, const void *key, uint64_t flags, uint32_t *element);
	int (*remove)(struct bpf_map *map, const void *key); /* Context: any */
	/* Returns the key of the element, NULL: not in use. NULL operation: all elements are in
	 * use, and their keys are their indices. For in_values. Context: any. */
	const void *(*key_of)(const struct bpf_map *map, uint32_t element);
	/* Returns the key after `key` (NULL, or not found: the first): 0, -ENOENT at the end.
	 * Context: task. */
	int (*next)(struct bpf_map *map, const void *key, void *next);
	/* For elements outside of `values`: whole operations. Context: task. */
	int (*get)(struct bpf_map *map, const void *key, void *value);
	int (*put)(struct bpf_map *map, struct file *through, const void *key, const void *value,
		   uint64_t flags);
	void (*closed)(struct bpf_map *map,
		       struct file *through); /* a descriptor's file went away */
	int (*mmap)(struct bpf_map *map, struct vma *vma);
	unsigned (*poll)(struct bpf_map *map, struct poll_table *table);
};

/* The properties that inner maps must share. */
struct map_shape {
	uint32_t type, flags, key_size, value_size, max_entries;
};

struct bpf_map {
	struct bpf_object object;
	const struct map_kind *kind;
	uint32_t type, flags;
	uint32_t key_size, value_size, max_entries;
	uint32_t stride; /* of values: their size, padded to 8 */
	char name[BPF_OBJ_NAME_LEN];
	uint32_t uid;
	uint64_t map_extra;
	bool frozen;
	uint32_t files;   /* open files of it, and names in bpffs */
	uint32_t writers; /* mappings through which it can be written */
	struct btf *btf;  /* types of its key and value, referenced; NULL: none */
	uint32_t btf_key, btf_value;
	struct map_shape inner; /* of of_maps: what its elements are like */
	uint32_t inner_fd;      /* that of a map like them, while it is made */
	uint8_t *values; /* for in_values and of_maps; per processor, one array after the other */
	size_t bytes;    /* size of values; BPF_F_MMAPABLE: on pages of their own */
	union {
		struct hash *hash;
		struct ringbuf *ring;
		struct stacks *stacks;
		struct slot *slots; /* of perf events or programs */
	};
};

/* Returns the operations of BPF_MAP_TYPE_*; NULL: not supported. */
const struct map_kind *map_kind(uint32_t type);

/* Returns a new map with one reference, or NULL and *error. Context: task. */
struct bpf_map *map_new(const union bpf_attr *attr, int *error);
static inline void map_get(struct bpf_map *map)
{
	object_get(&map->object);
}

static inline void map_put(struct bpf_map *map)
{
	object_put(&map->object);
}

/* Returns the size of a value in a lookup's copy. */
uint32_t map_copy_size(const struct bpf_map *map);
/* Returns an element's value for the processor (0 if there is one for all). Context: any. */
static inline uint8_t *map_value(const struct bpf_map *map, uint32_t element, uint32_t cpu)
{
	return map->values + ((uint64_t)cpu * map->max_entries + element) * map->stride;
}

/* Returns its value for this processor. Context: any. */
static inline uint8_t *map_value_here(const struct bpf_map *map, uint32_t element)
{
	return map_value(map, element, map->kind->per_cpu ? this_cpu_read(id) : 0);
}

/* bpf(2)'s lookup, update and deletion. Context: task. */
int map_lookup(struct bpf_map *map, const void *key, void *value);
int map_update(struct bpf_map *map, struct file *through, const void *key, const void *value,
	       uint64_t flags);
int map_delete(struct bpf_map *map, const void *key);

extern const struct map_kind array_kind, percpu_array_kind, hash_kind, percpu_hash_kind,
    lru_hash_kind, lru_percpu_hash_kind, perf_array_kind, prog_array_kind, ring_kind, stack_kind,
    array_of_maps_kind, hash_of_maps_kind, cgroup_array_kind;

/* Takes a lock that programs of any context use: false if an NMI has interrupted its holder.
 * Context: any. */
bool map_lock(struct spinlock *lock, uint64_t *flags);
static inline void map_unlock(struct spinlock *lock, uint64_t flags)
{
	spin_unlock_irqrestore(lock, flags);
}

/* ---- ring.c: BPF_MAP_TYPE_RINGBUF. Context: any. ---- */

/* Reserves a record of `size` bytes, not yet readable; NULL: no room. */
void *ring_record_reserve(struct bpf_map *map, uint32_t size);
/* Completes the record, or (`discard`) marks it as discarded; `flags`: BPF_RB_*. */
void ring_record_commit(struct bpf_map *map, void *record, uint64_t flags, bool discard);
uint64_t ring_record_query(struct bpf_map *map, uint64_t what);

/* ---- events.c: perf events and programs in arrays ---- */

struct slot {
	/* struct perf_event, struct cgroup, or a program's struct bpf_object. Atomic pointer */
	void *object;
	struct file *file;    /* of the perf event, referenced */
	struct file *through; /* the map's file by which it was put in; only compared */
};

/* Returns the perf event at the index, below max_entries; NULL: none. Context: any. */
static inline struct perf_event *perf_array_event(struct bpf_map *map, uint32_t index)
{
	return __atomic_load_n(&map->slots[index].object, __ATOMIC_ACQUIRE);
}

struct task;
/* Returns 1 if the task is in the control group at the index, or below it, else 0; -EINVAL: the map
 * is none of groups, -E2BIG: it ends before the index, -EAGAIN: nothing is there. Context: any. */
int cgroup_array_holds(struct bpf_map *map, uint64_t index, const struct task *task);
/* Returns the program at the index, NULL: none. Context: any. */
struct bpf_program *prog_array_program(struct bpf_map *map, uint32_t index);

/* ---- stacks.c ---- */

int64_t stacks_id(struct bpf_map *map, const uint64_t *addresses, uint32_t nr, uint64_t flags);

#endif
