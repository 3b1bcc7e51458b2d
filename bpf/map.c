/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: their life, their ids, and what bpf(2) does with one element. */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "bpf/bpf.h"
#include "bpf/btf.h"
#include "bpf/files.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"

static struct list maps = {&maps, &maps}; /* by id */
static uint32_t last_id;

const struct map_kind *map_kind(uint32_t type)
{
	static const struct map_kind *const kinds[] = {
	    [BPF_MAP_TYPE_HASH] = &hash_kind,
	    [BPF_MAP_TYPE_ARRAY] = &array_kind,
	    [BPF_MAP_TYPE_PROG_ARRAY] = &prog_array_kind,
	    [BPF_MAP_TYPE_PERF_EVENT_ARRAY] = &perf_array_kind,
	    [BPF_MAP_TYPE_PERCPU_HASH] = &percpu_hash_kind,
	    [BPF_MAP_TYPE_PERCPU_ARRAY] = &percpu_array_kind,
	    [BPF_MAP_TYPE_STACK_TRACE] = &stack_kind,
	    [BPF_MAP_TYPE_LRU_HASH] = &lru_hash_kind,
	    [BPF_MAP_TYPE_LRU_PERCPU_HASH] = &lru_percpu_hash_kind,
	    [BPF_MAP_TYPE_RINGBUF] = &ring_kind,
	};

	return type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : NULL;
}

bool map_lock(struct spinlock *lock, uint64_t *flags)
{
	bool waits = !this_cpu_read(nmi_depth);

	*flags = irq_save();
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		if (!waits) {
			irq_restore(*flags);
			return false;
		}
	return true;
}

/* Room for the values of all elements. */
static int values_init(struct bpf_map *map)
{
	uint64_t each = (uint64_t)map->stride * map->max_entries;

	if (map->value_size > MAP_BYTES_MOST || each > MAP_BYTES_MOST)
		return -E2BIG;
	each *= map->kind->per_cpu ? nr_cpus : 1;
	if (each > MAP_BYTES_MOST)
		return -ENOMEM;
	map->values = kalloc(each);
	map->bytes = each;
	return map->values ? 0 : -ENOMEM;
}

#define FLAGS_ALL \
	(BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG | BPF_F_NUMA_NODE)

static int check_attr(const union bpf_attr *attr, const struct map_kind *kind)
{
	if (attr->map_flags & ~kind->flags)
		return -EINVAL;
	if ((attr->map_flags & (BPF_F_RDONLY | BPF_F_WRONLY)) == (BPF_F_RDONLY | BPF_F_WRONLY) ||
	    (attr->map_flags & (BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG)) ==
		(BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG))
		return -EINVAL;
	return 0;
}

static int map_init(struct bpf_map *map)
{
	int err = map->kind->in_values ? values_init(map) : 0;

	if (!err)
		err = map->kind->init(map);
	if (err)
		kfree(map->values);
	return err;
}

struct bpf_map *map_new(const union bpf_attr *attr, int *error)
{
	const struct map_kind *kind = map_kind(attr->map_type);
	struct bpf_map *map;

	*error = kind ? check_attr(attr, kind) : -EINVAL;
	if (*error)
		return NULL;
	map = kalloc(sizeof(*map));
	*error = -ENOMEM;
	if (!map)
		return NULL;
	map->kind = kind;
	map->refs = 1;
	map->type = attr->map_type;
	map->flags = attr->map_flags;
	map->key_size = attr->key_size;
	map->value_size = attr->value_size;
	map->max_entries = attr->max_entries;
	map->stride = (attr->value_size + 7) & ~7u;
	map->map_extra = attr->map_extra;
	map->uid = current_task()->cred.uid.real;
	memcpy(map->name, attr->map_name, sizeof(map->name));
	*error = map_init(map);
	if (*error) {
		kfree(map);
		return NULL;
	}
	map->id = ++last_id;
	list_add_tail(&maps, &map->link);
	return map;
}

void map_get(struct bpf_map *map)
{
	__atomic_add_fetch(&map->refs, 1, __ATOMIC_RELAXED);
}

void map_put(struct bpf_map *map)
{
	if (__atomic_sub_fetch(&map->refs, 1, __ATOMIC_ACQ_REL))
		return;
	list_remove(&map->link);
	map->kind->destroy(map);
	btf_put(map->btf);
	kfree(map->values);
	kfree(map);
}

uint32_t map_next_id(uint32_t id)
{
	const struct bpf_map *map;

	list_for_each(map, &maps, link)
		if (map->id > id)
			return map->id;
	return 0;
}

struct bpf_map *map_by_id(uint32_t id)
{
	struct bpf_map *map;

	list_for_each(map, &maps, link)
		if (map->id == id) {
			map_get(map);
			return map;
		}
	return NULL;
}

uint32_t map_copy_size(const struct bpf_map *map)
{
	if (map->kind->per_cpu)
		return map->stride * nr_cpus;
	return map->kind->in_values ? map->value_size : map->value_size ? map->value_size : 4;
}

int map_lookup(struct bpf_map *map, const void *key, void *value)
{
	uint32_t element;

	if (!map->kind->in_values)
		return map->kind->get ? map->kind->get(map, key, value) : -ENOTSUPP;
	element = map->kind->find(map, key);
	if (element == NO_ELEMENT)
		return -ENOENT;
	if (!map->kind->per_cpu) {
		memcpy(value, map_value(map, element, 0), map->value_size);
		return 0;
	}
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		memcpy((uint8_t *)value + cpu * map->stride, map_value(map, element, cpu),
		       map->stride);
	return 0;
}

int map_update(struct bpf_map *map, struct file *through, const void *key, const void *value,
	       uint64_t flags)
{
	uint32_t element;
	int err;

	if (!map->kind->in_values)
		return map->kind->put ? map->kind->put(map, through, key, value, flags) : -ENOTSUPP;
	err = map->kind->place(map, key, flags, &element);
	if (err)
		return err;
	if (!map->kind->per_cpu) {
		memcpy(map_value(map, element, 0), value, map->value_size);
		return 0;
	}
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		memcpy(map_value(map, element, cpu), (const uint8_t *)value + cpu * map->stride,
		       map->value_size);
	return 0;
}

int map_delete(struct bpf_map *map, const void *key)
{
	return map->kind->remove ? map->kind->remove(map, key) : -ENOTSUPP;
}
