/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: allocation, ids, and bpf(2)'s operations on one element. */
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include "arch/x86/cpu/cpu.h"
#include "bpf/map/map.h"
#include "bpf/object/btf.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

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
	    [BPF_MAP_TYPE_CGROUP_ARRAY] = &cgroup_array_kind,
	    [BPF_MAP_TYPE_LRU_HASH] = &lru_hash_kind,
	    [BPF_MAP_TYPE_LRU_PERCPU_HASH] = &lru_percpu_hash_kind,
	    [BPF_MAP_TYPE_ARRAY_OF_MAPS] = &array_of_maps_kind,
	    [BPF_MAP_TYPE_HASH_OF_MAPS] = &hash_of_maps_kind,
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

/* Returns the size that pages_alloc() rounds `bytes` up to. */
static uint64_t whole_pages(uint64_t bytes)
{
	uint64_t whole = PAGE_SIZE;

	while (whole < bytes)
		whole *= 2;
	return whole;
}

/* Allocates the values of all elements. */
static int values_init(struct bpf_map *map)
{
	uint64_t each = (uint64_t)map->stride * map->max_entries;

	if (map->value_size > MAP_BYTES_MAX || each > MAP_BYTES_MAX)
		return -E2BIG;
	each *= map->kind->per_cpu ? nr_cpus : 1;
	if (each > MAP_BYTES_MAX)
		return -ENOMEM;
	map->values =
	    map->flags & BPF_F_MMAPABLE ? pages_alloc(whole_pages(each)) : object_span(each);
	map->bytes = each;
	return map->values ? 0 : -ENOMEM;
}

static void values_free(struct bpf_map *map)
{
	if (!(map->flags & BPF_F_MMAPABLE))
		kfree(map->values);
	else
		for (uint64_t at = 0; map->values && at < whole_pages(map->bytes); at += PAGE_SIZE)
			page_put(map->values + at);
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
	int err = map->kind->in_values || map->kind->of_maps ? values_init(map) : 0;

	if (!err)
		err = map->kind->init(map);
	if (err)
		values_free(map);
	return err;
}

static void destroy(struct bpf_object *object)
{
	struct bpf_map *map = (struct bpf_map *)object;

	map->kind->destroy(map);
	btf_put(map->btf);
	values_free(map);
	kfree(map);
}

static void used(struct bpf_object *object)
{
	((struct bpf_map *)object)->files++;
}

static void unused(struct bpf_object *object, struct file *file)
{
	struct bpf_map *map = (struct bpf_map *)object;

	map->files--;
	if (map->kind->closed)
		map->kind->closed(map, file);
}

static int map_mmap(struct bpf_object *object, struct vma *vma)
{
	struct bpf_map *map = (struct bpf_map *)object;

	if (!map->kind->mmap)
		return -ENOTSUPP;
	if (!(vma->flags & MAP_SHARED))
		return -EINVAL;
	if (vma->prot & PROT_WRITE && map->frozen)
		return -EPERM;
	if (vma->prot & PROT_WRITE && map->flags & BPF_F_RDONLY_PROG)
		return -EACCES;
	if (!(vma->prot & PROT_WRITE))
		vma->flags |= VMA_SEALED;
	return map->kind->mmap(map, vma);
}

static unsigned map_poll(struct bpf_object *object, struct poll_table *table)
{
	struct bpf_map *map = (struct bpf_map *)object;

	return map->kind->poll ? map->kind->poll(map, table) : POLLERR;
}

static const struct object_ops map_ops = {
    .destroy = destroy,
    .used = used,
    .unused = unused,
    .mmap = map_mmap,
    .poll = map_poll,
};

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
	object_init(&map->object, OBJECT_MAP, &map_ops);
	map->type = attr->map_type;
	map->flags = attr->map_flags;
	map->key_size = attr->key_size;
	map->value_size = attr->value_size;
	map->max_entries = attr->max_entries;
	map->stride = (attr->value_size + 7) & ~7u;
	map->map_extra = attr->map_extra;
	map->inner_fd = attr->inner_map_fd;
	map->uid = current_task()->cred.uid.real;
	memcpy(map->name, attr->map_name, sizeof(map->name));
	*error = map_init(map);
	if (*error) {
		kfree(map);
		return NULL;
	}
	object_publish(&map->object);
	return map;
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
