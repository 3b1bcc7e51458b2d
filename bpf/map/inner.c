/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF_MAP_TYPE_ARRAY_OF_MAPS and _HASH_OF_MAPS: maps whose elements are maps of the same shape. An
 * element's value holds a pointer that only this file uses. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "bpf/map/inner.h"
#include "bpf/object/files.h"

static struct map_shape shape_of(const struct bpf_map *map)
{
	return (struct map_shape){
	    .type = map->type,
	    .flags = map->flags,
	    .key_size = map->key_size,
	    .value_size = map->value_size,
	    .max_entries =
		map->kind == &array_kind && !(map->flags & BPF_F_INNER_MAP) ? map->max_entries : 0,
	};
}

static bool same_shape(const struct map_shape *a, const struct map_shape *b)
{
	return a->type == b->type && a->flags == b->flags && a->key_size == b->key_size &&
	       a->value_size == b->value_size && a->max_entries == b->max_entries;
}

int inner_init(struct bpf_map *map)
{
	struct bpf_map *model;
	int err;

	model = bpf_map_of_fd((int)map->inner_fd, NULL, &err);
	if (!model)
		return err;
	err = model->kind->of_maps                     ? -EINVAL
	      : model->type == BPF_MAP_TYPE_PROG_ARRAY ? -ENOTSUPP
						       : 0;
	map->inner = shape_of(model);
	map_put(model);
	return err;
}

static struct bpf_map **element_of(const struct bpf_map *map, uint32_t element)
{
	return (struct bpf_map **)map_value(map, element, 0);
}

struct bpf_map *inner_at(struct bpf_map *map, const void *key)
{
	uint32_t element = map->kind->find(map, key);

	return element == NO_ELEMENT ? NULL
				     : __atomic_load_n(element_of(map, element), __ATOMIC_ACQUIRE);
}

/* After all processors have synchronised no program uses the old map any more. */
static void exchange(struct bpf_map *map, uint32_t element, struct bpf_map *now)
{
	struct bpf_map *old = __atomic_exchange_n(element_of(map, element), now, __ATOMIC_ACQ_REL);

	if (!old)
		return;
	remote_synchronize();
	map_put(old);
}

int inner_get(struct bpf_map *map, const void *key, void *value)
{
	const struct bpf_map *inner = inner_at(map, key);

	if (!inner)
		return -ENOENT;
	__builtin_memcpy(value, &inner->object.id, sizeof(uint32_t));
	return 0;
}

int inner_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
	      uint64_t flags)
{
	struct map_shape shape;
	struct bpf_map *inner;
	uint32_t element;
	int fd, err;

	(void)through;
	__builtin_memcpy(&fd, value, sizeof(fd));
	if (map->type == BPF_MAP_TYPE_ARRAY_OF_MAPS && flags != BPF_ANY)
		return -EINVAL;
	if (map->type == BPF_MAP_TYPE_ARRAY_OF_MAPS && map->kind->find(map, key) == NO_ELEMENT)
		return -E2BIG;
	inner = bpf_map_of_fd(fd, NULL, &err);
	if (!inner)
		return err;
	shape = shape_of(inner);
	err =
	    same_shape(&shape, &map->inner) ? map->kind->place(map, key, flags, &element) : -EINVAL;
	if (err)
		map_put(inner);
	else
		exchange(map, element, inner);
	return err;
}

int inner_remove(struct bpf_map *map, const void *key)
{
	uint32_t element = map->kind->find(map, key);

	if (element == NO_ELEMENT)
		return map->type == BPF_MAP_TYPE_ARRAY_OF_MAPS ? -E2BIG : -ENOENT;
	if (!*element_of(map, element))
		return -ENOENT;
	exchange(map, element, NULL);
	return 0;
}

void inner_destroy(struct bpf_map *map)
{
	for (uint32_t i = 0; map->values && i < map->max_entries; i++)
		if (*element_of(map, i))
			map_put(*element_of(map, i));
}
