/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2) on maps: creation; elements, single and in batches. */
#include <linux/btf.h>
#include <linux/fcntl.h>
#include "api/bpf/bpf.h"
#include "bpf/bpf.h"
#include "bpf/object/btf.h"
#include "bpf/object/files.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"

/* Checks that the types of key and value match their sizes; an array's key is a number. */
static int check_types(const struct bpf_map *map, const struct btf *btf, uint32_t key,
		       uint32_t value)
{
	bool array = map->type == BPF_MAP_TYPE_ARRAY || map->type == BPF_MAP_TYPE_PERCPU_ARRAY;
	uint32_t bytes;

	if (!map->kind->in_values)
		return -ENOTSUPP;
	if (!btf_size(btf, value, &bytes) || bytes != map->value_size)
		return -EINVAL;
	if (array && !key && map->max_entries == 1 && map->type == BPF_MAP_TYPE_ARRAY)
		return 0; /* variables of a program: one element */
	if (!btf_size(btf, key, &bytes) || bytes != map->key_size)
		return -EINVAL;
	return array && btf_kind(btf, key) != BTF_KIND_INT ? -EINVAL : 0;
}

static int set_types(struct bpf_map *map, const union bpf_attr *attr)
{
	int err;
	struct btf *btf = bpf_btf_of_fd((int)attr->btf_fd, &err);

	if (!btf)
		return err;
	err = btf->kernel ? -EACCES
			  : check_types(map, btf, attr->btf_key_type_id, attr->btf_value_type_id);
	if (err) {
		btf_put(btf);
		return err;
	}
	map->btf = btf;
	map->btf_key = attr->btf_key_type_id;
	map->btf_value = attr->btf_value_type_id;
	return 0;
}

int map_create(union bpf_attr *attr, uint64_t user)
{
	struct bpf_map *map;
	int error;

	(void)user;
	CHECK(map_extra);
	if (!bpf_name_valid(attr->map_name) || attr->map_extra || attr->btf_vmlinux_value_type_id ||
	    (attr->btf_key_type_id && !attr->btf_value_type_id))
		return -EINVAL;
	if (!privileged())
		return -EPERM;
	map = map_new(attr, &error);
	if (!map)
		return error;
	error = attr->btf_value_type_id ? set_types(map, attr) : 0;
	if (error) {
		map_put(map);
		return error;
	}
	return bpf_fd(&map->object, attr->map_flags);
}

/* The map of a command for an element, with its key copied. */
struct element {
	struct bpf_map *map;
	struct file *file;
	uint8_t *key, *value;
};

static int element_begin(struct element *e, const union bpf_attr *attr, int fd, unsigned ways,
			 bool with_key)
{
	int err;

	*e = (struct element){0};
	e->map = bpf_map_of_fd(fd, &e->file, &err);
	if (!e->map)
		return err;
	if ((ways & 1 && (e->file->flags & O_ACCMODE) == O_WRONLY) ||
	    (ways & 2 && ((e->file->flags & O_ACCMODE) == O_RDONLY || e->map->frozen)))
		return -EPERM;
	e->key = kalloc(e->map->key_size + 1ul);
	e->value = kalloc(map_copy_size(e->map) + 1ul);
	if (!e->key || !e->value)
		return -ENOMEM;
	if (!e->map->kind->next)
		return attr->key ? -EINVAL : -ENOTSUPP; /* keys of no bytes */
	return with_key ? copy_from_user(e->key, attr->key, e->map->key_size) : 0;
}

static int element_end(struct element *e, int result)
{
	kfree(e->key);
	kfree(e->value);
	if (e->map)
		map_put(e->map);
	if (e->file)
		file_put(e->file);
	return result;
}

int map_lookup_elem(union bpf_attr *attr, uint64_t user)
{
	struct element e;
	int err;

	(void)user;
	CHECK(flags);
	if (attr->flags & ~(uint64_t)BPF_F_LOCK)
		return -EINVAL;
	err = element_begin(&e, attr, (int)attr->map_fd, 1, true);
	if (!err && attr->flags) /* no map has locks */
		err = -EINVAL;
	if (!err)
		err = map_lookup(e.map, e.key, e.value);
	if (!err)
		err = copy_to_user(attr->value, e.value, map_copy_size(e.map));
	return element_end(&e, err);
}

int map_update_elem(union bpf_attr *attr, uint64_t user)
{
	struct element e;
	int err;

	(void)user;
	CHECK(flags);
	err = element_begin(&e, attr, (int)attr->map_fd, 2, true);
	if (!err)
		err = copy_from_user(e.value, attr->value, map_copy_size(e.map));
	if (!err)
		err = map_update(e.map, e.file, e.key, e.value, attr->flags);
	return element_end(&e, err);
}

int map_delete_elem(union bpf_attr *attr, uint64_t user)
{
	struct element e;
	int err;

	(void)user;
	CHECK(key);
	err = element_begin(&e, attr, (int)attr->map_fd, 2, true);
	if (!err)
		err = map_delete(e.map, e.key);
	return element_end(&e, err);
}

int map_lookup_and_delete(union bpf_attr *attr, uint64_t user)
{
	struct element e;
	int err;

	(void)user;
	CHECK(flags);
	if (attr->flags & ~(uint64_t)BPF_F_LOCK)
		return -EINVAL;
	err = element_begin(&e, attr, (int)attr->map_fd, 3, true);
	if (!err && attr->flags)
		err = -EINVAL;
	if (!err && !e.map->kind->in_values)
		err = -ENOTSUPP;
	if (!err && (e.map->type == BPF_MAP_TYPE_ARRAY || e.map->type == BPF_MAP_TYPE_PERCPU_ARRAY))
		err = -ENOTSUPP;
	if (!err)
		err = map_lookup(e.map, e.key, e.value);
	if (!err)
		err = copy_to_user(attr->value, e.value, map_copy_size(e.map));
	if (!err)
		err = map_delete(e.map, e.key);
	return element_end(&e, err);
}

int map_get_next_key(union bpf_attr *attr, uint64_t user)
{
	struct element e;
	int err;

	(void)user;
	CHECK(next_key);
	err = element_begin(&e, attr, (int)attr->map_fd, 1, attr->key != 0);
	if (!err)
		err = e.map->kind->next(e.map, attr->key ? e.key : NULL, e.key);
	if (!err)
		err = copy_to_user(attr->next_key, e.key, e.map->key_size);
	return element_end(&e, err);
}

int map_freeze(union bpf_attr *attr, uint64_t user)
{
	struct file *file;
	struct bpf_map *map;
	int err;

	(void)user;
	CHECK(map_fd);
	map = bpf_map_of_fd((int)attr->map_fd, &file, &err);
	if (!map)
		return err;
	err = map->writers || map->frozen ? -EBUSY : privileged() ? 0 : -EPERM;
	if (!err)
		map->frozen = true;
	map_put(map);
	file_put(file);
	return err;
}

/* ---- batches ---- */

static int batch_copy(struct element *e, const union bpf_attr *attr, uint32_t at, bool out)
{
	uint64_t key = attr->batch.keys + (uint64_t)at * e->map->key_size,
		 value = attr->batch.values + (uint64_t)at * map_copy_size(e->map);
	int err = out ? copy_to_user(key, e->key, e->map->key_size)
		      : copy_from_user(e->key, key, e->map->key_size);

	if (err || !attr->batch.values)
		return err;
	return out ? copy_to_user(value, e->value, map_copy_size(e->map))
		   : copy_from_user(e->value, value, map_copy_size(e->map));
}

/* A batch may cover a large map: lets other tasks run. */
static int between(void)
{
	return sched_pause() ? 0 : -EINTR;
}

static int set_count(uint64_t user, uint32_t count)
{
	return copy_to_user(user + offsetof(union bpf_attr, batch.count), &count, sizeof(count));
}

static int batch_begin(struct element *e, const union bpf_attr *attr, unsigned ways)
{
	int err;

	if (attr->batch.elem_flags & ~(uint64_t)BPF_F_LOCK || attr->batch.flags)
		return -EINVAL;
	err = element_begin(e, attr, (int)attr->batch.map_fd, ways, false);
	if (!err && attr->batch.elem_flags & BPF_F_LOCK)
		return -EINVAL;
	return !err && !e->map->kind->in_values ? -ENOTSUPP : err;
}

/* Starts at the key in in_batch; without one at the first. */
static int batch_lookup(union bpf_attr *attr, uint64_t user, bool removes)
{
	struct element e = {0};
	uint32_t done = 0;
	bool first = !attr->batch.in_batch;
	int err;

	CHECK(batch.flags);
	err = batch_begin(&e, attr, removes ? 3 : 1);
	if (!err)
		err = set_count(user, 0);
	if (!err && !first)
		err = copy_from_user(e.key, attr->batch.in_batch, e.map->key_size);
	while (!err && done < attr->batch.count) {
		err = between();
		if (err)
			break;
		err = e.map->kind->next(e.map, first ? NULL : e.key, e.key);
		first = false;
		if (!err)
			err = map_lookup(e.map, e.key, e.value);
		if (!err)
			err = batch_copy(&e, attr, done, true);
		if (!err && removes) {
			err = map_delete(e.map, e.key);
			first = true;
		}
		done += !err;
	}
	if (err != -EFAULT && e.key && e.map && (!err || err == -ENOENT)) {
		if (set_count(user, done) ||
		    (done && copy_to_user(attr->batch.out_batch, e.key, e.map->key_size)))
			err = -EFAULT;
	}
	return element_end(&e, err);
}

int map_lookup_batch(union bpf_attr *attr, uint64_t user)
{
	return batch_lookup(attr, user, false);
}

int map_lookup_and_delete_batch(union bpf_attr *attr, uint64_t user)
{
	return batch_lookup(attr, user, true);
}

static int batch_change(union bpf_attr *attr, uint64_t user, bool removes)
{
	struct element e = {0};
	uint32_t done = 0;
	int err;

	CHECK(batch.flags);
	err = batch_begin(&e, attr, 2);
	if (removes)
		attr->batch.values = 0;
	for (; !err && done < attr->batch.count; done += !err) {
		err = between();
		if (!err)
			err = batch_copy(&e, attr, done, false);
		if (!err)
			err = removes ? map_delete(e.map, e.key)
				      : map_update(e.map, e.file, e.key, e.value,
						   attr->batch.elem_flags);
	}
	if (e.map && set_count(user, done))
		err = -EFAULT;
	return element_end(&e, err);
}

int map_update_batch(union bpf_attr *attr, uint64_t user)
{
	return batch_change(attr, user, false);
}

int map_delete_batch(union bpf_attr *attr, uint64_t user)
{
	return batch_change(attr, user, true);
}
