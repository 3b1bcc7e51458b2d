/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF_MAP_TYPE_ARRAY and _PERCPU_ARRAY: elements by index, all present from the start. */
#include <linux/errno.h>
#include "bpf/map/inner.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/vm/vm.h"

static int array_init(struct bpf_map *map)
{
	if (map->key_size != 4 || !map->max_entries || !map->value_size)
		return -EINVAL;
	return 0;
}

static void array_destroy(struct bpf_map *map)
{
	(void)map;
}

static uint32_t array_find(struct bpf_map *map, const void *key)
{
	uint32_t index;

	__builtin_memcpy(&index, key, sizeof(index));
	return index < map->max_entries ? index : NO_ELEMENT;
}

static int array_place(struct bpf_map *map, const void *key, uint64_t flags, uint32_t *element)
{
	if (flags > BPF_EXIST)
		return -EINVAL;
	*element = array_find(map, key);
	if (*element == NO_ELEMENT)
		return -E2BIG;
	return flags == BPF_NOEXIST ? -EEXIST : 0;
}

static int array_remove(struct bpf_map *map, const void *key)
{
	(void)map;
	(void)key;
	return -EINVAL;
}

static int array_next(struct bpf_map *map, const void *key, void *next)
{
	uint32_t index = key ? array_find(map, key) : NO_ELEMENT;

	index = index == NO_ELEMENT ? 0 : index + 1;
	if (index >= map->max_entries)
		return -ENOENT;
	memcpy(next, &index, sizeof(index));
	return 0;
}

/* ---- values that are mapped ---- */

static void *fault(struct vma *vma, uint64_t index, bool write)
{
	const struct bpf_map *map = vma->priv;
	uint8_t *page = map->values + index * PAGE_SIZE;

	(void)write;
	if (index >= (map->bytes + PAGE_SIZE - 1) / PAGE_SIZE)
		return NULL;
	page_get(page);
	return page;
}

static void opened(struct vma *vma)
{
	struct bpf_map *map = vma->priv;

	map->writers += !(vma->flags & VMA_SEALED);
	map_get(map);
}

static void closed(struct vma *vma)
{
	struct bpf_map *map = vma->priv;

	map->writers -= !(vma->flags & VMA_SEALED);
	map_put(map);
}

static const struct vma_ops array_vma_ops = {.fault = fault, .open = opened, .close = closed};

static int array_mmap(struct bpf_map *map, struct vma *vma)
{
	uint64_t pages = (map->bytes + PAGE_SIZE - 1) / PAGE_SIZE;

	if (!(map->flags & BPF_F_MMAPABLE) ||
	    vma->pgoff + (vma->end - vma->start) / PAGE_SIZE > pages)
		return -EINVAL;
	vma->ops = &array_vma_ops;
	vma->priv = map;
	opened(vma);
	return 0;
}

#define FLAGS                                                                                    \
	(BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG | BPF_F_NUMA_NODE | \
	 BPF_F_PRESERVE_ELEMS)

#define ARRAY(called, with, each)        \
	const struct map_kind called = { \
	    .per_cpu = each,             \
	    .in_values = true,           \
	    .flags = with,               \
	    .init = array_init,          \
	    .destroy = array_destroy,    \
	    .find = array_find,          \
	    .place = array_place,        \
	    .remove = array_remove,      \
	    .next = array_next,          \
	    .mmap = array_mmap,          \
	}

ARRAY(array_kind, (FLAGS & ~BPF_F_PRESERVE_ELEMS) | BPF_F_MMAPABLE | BPF_F_INNER_MAP, false);
ARRAY(percpu_array_kind, FLAGS & ~(BPF_F_PRESERVE_ELEMS | BPF_F_NUMA_NODE), true);

static int maps_init(struct bpf_map *map)
{
	if (map->value_size != sizeof(uint32_t) || array_init(map))
		return -EINVAL;
	return inner_init(map);
}

const struct map_kind array_of_maps_kind = {
    .of_maps = true,
    .flags = BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_NUMA_NODE,
    .init = maps_init,
    .destroy = inner_destroy,
    .find = array_find,
    .place = array_place,
    .remove = inner_remove,
    .next = array_next,
    .get = inner_get,
    .put = inner_put,
};
