/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF_MAP_TYPE_PERF_EVENT_ARRAY, _PROG_ARRAY and _CGROUP_ARRAY: user space stores descriptors,
 * programs use perf events, programs and control groups. */
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "bpf/map/map.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/task/membership/cgroup.h"
#include "pmu/base/event.h"
#include "pmu/record/userpage.h"

static int slots_init(struct bpf_map *map)
{
	if (map->key_size != 4 || map->value_size != 4 || !map->max_entries)
		return -EINVAL;
	if (map->max_entries > MAP_BYTES_MAX / sizeof(struct slot))
		return -ENOMEM;
	map->slots = object_span((size_t)map->max_entries * sizeof(struct slot));
	return map->slots ? 0 : -ENOMEM;
}

/* After all processors have synchronised no program uses the object any more. */
static void empty(struct bpf_map *map, struct slot *slot)
{
	struct slot old = *slot;

	if (!old.object)
		return;
	__atomic_store_n(&slot->object, NULL, __ATOMIC_RELEASE);
	slot->file = slot->through = NULL;
	remote_synchronize();
	if (map->type == BPF_MAP_TYPE_PROG_ARRAY)
		object_put(old.object);
	else if (map->type == BPF_MAP_TYPE_CGROUP_ARRAY)
		cgroup_put(old.object);
	else
		file_put(old.file);
}

static void slots_destroy(struct bpf_map *map)
{
	for (uint32_t i = 0; i < map->max_entries; i++)
		empty(map, &map->slots[i]);
	kfree(map->slots);
}

static struct slot *slot_of(struct bpf_map *map, const void *key)
{
	uint32_t index;

	memcpy(&index, key, sizeof(index));
	return index < map->max_entries ? &map->slots[index] : NULL;
}

static int slots_remove(struct bpf_map *map, const void *key)
{
	struct slot *slot = slot_of(map, key);

	if (!slot)
		return -E2BIG;
	if (!slot->object)
		return -ENOENT;
	empty(map, slot);
	return 0;
}

static int slots_next(struct bpf_map *map, const void *key, void *next)
{
	const struct slot *slot = key ? slot_of(map, key) : NULL;
	uint32_t index = slot ? (uint32_t)(slot - map->slots) + 1 : 0;

	if (index >= map->max_entries)
		return -ENOENT;
	memcpy(next, &index, sizeof(index));
	return 0;
}

static int put_object(struct bpf_map *map, struct file *through, const void *key, struct slot new)
{
	struct slot *slot = slot_of(map, key);

	empty(map, slot);
	slot->file = new.file;
	slot->through = through;
	__atomic_store_n(&slot->object, new.object, __ATOMIC_RELEASE);
	return 0;
}

/* Checks the key and the flags, and reads the descriptor to store: 0 or a negative errno. */
static int check_put(struct bpf_map *map, const void *key, const void *value, uint64_t flags,
		     int *fd)
{
	memcpy(fd, value, sizeof(*fd));
	if (flags != BPF_ANY)
		return -EINVAL;
	return slot_of(map, key) ? 0 : -E2BIG;
}

static int perf_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
		    uint64_t flags)
{
	struct slot new = {.through = through};
	int fd, err = check_put(map, key, value, flags, &fd);

	if (err)
		return err;
	new.object = bpf_perf_event(fd, &new.file);
	if (!new.object)
		return -EBADF;
	if (((const struct perf_event *)new.object)->attr.inherit) {
		file_put(new.file);
		return -EOPNOTSUPP;
	}
	return put_object(map, through, key, new);
}

static int prog_put(struct bpf_map *map, struct file *through, const void *key, const void *value,
		    uint64_t flags)
{
	struct slot new = {.through = through};
	int fd, err = check_put(map, key, value, flags, &fd);

	if (err)
		return err;
	new.object = bpf_object_of_fd(fd, 1u << OBJECT_PROGRAM, NULL, &err);
	if (!new.object)
		return err;
	return put_object(map, through, key, new);
}

static int cgroup_set(struct bpf_map *map, struct file *through, const void *key, const void *value,
		      uint64_t flags)
{
	struct slot new = {.through = through};
	struct file *file;
	int fd, err = check_put(map, key, value, flags, &fd);

	if (err)
		return err;
	file = fd_get(fd);
	if (!file)
		return -EBADF;
	if (!(file->flags & O_PATH) && file->inode)
		new.object = cgroup_get(cgroup_of_inode(file->inode));
	file_put(file);
	return new.object ? put_object(map, through, key, new) : -EBADF;
}

int cgroup_array_holds(struct bpf_map *map, uint64_t index, const struct task *task)
{
	const struct cgroup *group, *own = cgroup_of(task);

	if (map->type != BPF_MAP_TYPE_CGROUP_ARRAY)
		return -EINVAL;
	if (index >= map->max_entries)
		return -E2BIG;
	group = __atomic_load_n(&map->slots[index].object, __ATOMIC_ACQUIRE);
	if (!group)
		return -EAGAIN;
	while (own && own != group)
		own = own->parent;
	return own == group;
}

static int prog_get(struct bpf_map *map, const void *key, void *value)
{
	const struct slot *slot = slot_of(map, key);

	if (!slot || !slot->object)
		return -ENOENT;
	memcpy(value, &((const struct bpf_object *)slot->object)->id, sizeof(uint32_t));
	return 0;
}

/* Removes the entries that were stored through this descriptor, unless they are to be preserved. */
static void perf_closed(struct bpf_map *map, struct file *through)
{
	if (map->flags & BPF_F_PRESERVE_ELEMS)
		return;
	for (uint32_t i = 0; i < map->max_entries; i++)
		if (map->slots[i].through == through)
			empty(map, &map->slots[i]);
}

/* Drops the programs with the last descriptor: an entry might be a program that holds the map. */
static void prog_closed(struct bpf_map *map, struct file *through)
{
	(void)through;
	for (uint32_t i = 0; !map->files && i < map->max_entries; i++)
		empty(map, &map->slots[i]);
}

struct bpf_program *prog_array_program(struct bpf_map *map, uint32_t index)
{
	return index < map->max_entries
		   ? __atomic_load_n(&map->slots[index].object, __ATOMIC_ACQUIRE)
		   : NULL;
}

const struct map_kind perf_array_kind = {
    .flags = BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_NUMA_NODE | BPF_F_PRESERVE_ELEMS,
    .init = slots_init,
    .destroy = slots_destroy,
    .remove = slots_remove,
    .next = slots_next,
    .put = perf_put,
    .closed = perf_closed,
};

const struct map_kind cgroup_array_kind = {
    .flags = BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_NUMA_NODE,
    .init = slots_init,
    .destroy = slots_destroy,
    .remove = slots_remove,
    .next = slots_next,
    .put = cgroup_set,
};

const struct map_kind prog_array_kind = {
    .flags = BPF_F_RDONLY | BPF_F_WRONLY | BPF_F_NUMA_NODE,
    .init = slots_init,
    .destroy = slots_destroy,
    .remove = slots_remove,
    .next = slots_next,
    .get = prog_get,
    .put = prog_put,
    .closed = prog_closed,
};
