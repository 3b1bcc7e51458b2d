/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2) on existing objects: ids, information about a descriptor, types, and names in bpffs. */
#include <linux/btf.h>
#include <linux/fcntl.h>
#include "api/bpf/bpf.h"
#include "api/file/paths.h"
#include "bpf/bpf.h"
#include "bpf/links.h"
#include "bpf/object/bpffs.h"
#include "bpf/object/btf.h"
#include "bpf/object/files.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

/* ---- ids ---- */

static int next_id(const union bpf_attr *attr, uint64_t user, enum object_kind kind)
{
	uint32_t id;

	CHECK(next_id);
	if (attr->start_id >= INT32_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (kind == OBJECT_BTF)
		btf_prepare();
	id = object_next_id(kind, attr->start_id);
	if (!id)
		return -ENOENT;
	return copy_to_user(user + offsetof(union bpf_attr, next_id), &id, sizeof(id));
}

int prog_get_next_id(union bpf_attr *attr, uint64_t user)
{
	return next_id(attr, user, OBJECT_PROGRAM);
}

int map_get_next_id(union bpf_attr *attr, uint64_t user)
{
	return next_id(attr, user, OBJECT_MAP);
}

int link_get_next_id(union bpf_attr *attr, uint64_t user)
{
	return next_id(attr, user, OBJECT_LINK);
}

int btf_get_next_id(union bpf_attr *attr, uint64_t user)
{
	return next_id(attr, user, OBJECT_BTF);
}

/* Only descriptors of maps have access modes: reading, writing, or both. */
static bool bad_access(uint32_t flags)
{
	const uint32_t both = BPF_F_RDONLY | BPF_F_WRONLY;

	return flags & ~both || flags == both;
}

static int fd_by_id(const union bpf_attr *attr, uint32_t flags, enum object_kind kind)
{
	struct bpf_object *object;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (bad_access(flags))
		return -EINVAL;
	if (kind == OBJECT_BTF)
		btf_prepare();
	object = object_by_id(kind, attr->start_id);
	return object ? bpf_fd(object, flags) : -ENOENT;
}

int prog_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	CHECK(prog_id);
	return fd_by_id(attr, 0, OBJECT_PROGRAM);
}

int map_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	CHECK(open_flags);
	return fd_by_id(attr, attr->open_flags, OBJECT_MAP);
}

int link_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	CHECK(link_id);
	return fd_by_id(attr, 0, OBJECT_LINK);
}

int btf_get_fd_by_id(union bpf_attr *attr, uint64_t user)
{
	(void)user;
	CHECK(btf_id);
	return fd_by_id(attr, 0, OBJECT_BTF);
}

/* ---- what they are ---- */

int bpf_objects_read_info(const union bpf_attr *attr, void *info, uint32_t bytes)
{
	return copy_from_user(info, attr->info.info,
			      attr->info.info_len < bytes ? attr->info.info_len : bytes);
}

int bpf_objects_copy_info(const union bpf_attr *attr, uint64_t user, const void *info,
			  uint32_t bytes)
{
	uint32_t room = attr->info.info_len < bytes ? attr->info.info_len : bytes;

	if (copy_to_user(attr->info.info, info, room) ||
	    copy_to_user(user + offsetof(union bpf_attr, info.info_len), &room, sizeof(room)))
		return -EFAULT;
	return 0;
}

static int copy_map_info(const union bpf_attr *attr, uint64_t user, const struct bpf_object *object)
{
	const struct bpf_map *map = (const struct bpf_map *)object;
	struct bpf_map_info info = {.type = map->type,
				    .id = object->id,
				    .key_size = map->key_size,
				    .value_size = map->value_size,
				    .max_entries = map->max_entries,
				    .map_flags = map->flags,
				    .map_extra = map->map_extra,
				    .btf_id = map->btf ? map->btf->object.id : 0,
				    .btf_key_type_id = map->btf_key,
				    .btf_value_type_id = map->btf_value};

	memcpy(info.name, map->name, sizeof(info.name));
	return bpf_objects_copy_info(attr, user, &info, sizeof(info));
}

/* Copies the ids of maps to the user's array, as far as there is room. */
static int copy_program_info(const union bpf_attr *attr, uint64_t user,
			     const struct bpf_object *object)
{
	const struct bpf_program *program = (const struct bpf_program *)object;
	struct bpf_prog_info request = {0},
			     info = {.type = program->type,
				     .id = object->id,
				     .load_time = program->load_time,
				     .created_by_uid = program->uid,
				     .nr_map_ids = program->nr_maps,
				     .gpl_compatible = 1,
				     .recursion_misses = program->misses,
				     .btf_id = program->btf ? program->btf->object.id : 0};

	if (bpf_objects_read_info(attr, &request, sizeof(request)))
		return -EFAULT;
	memcpy(info.name, program->name, sizeof(info.name));
	memcpy(info.tag, program->tag, sizeof(info.tag));
	info.xlated_prog_len = program->nr_insns * (uint32_t)sizeof(struct bpf_insn);
	info.map_ids = request.map_ids;
	for (uint32_t i = 0; i < program->nr_maps && i < request.nr_map_ids; i++)
		if (copy_to_user(request.map_ids + i * sizeof(uint32_t),
				 &program->maps[i]->object.id, sizeof(uint32_t)))
			return -EFAULT;
	return bpf_objects_copy_info(attr, user, &info, sizeof(info));
}

int bpf_copy_name(uint64_t to, uint32_t room, const char *name)
{
	uint32_t bytes = (uint32_t)strlen(name);
	char end = 0;

	if (!to || !room)
		return !to == !room ? 0 : -EINVAL;
	if (bytes < room)
		return copy_to_user(to, name, bytes + 1);
	if (copy_to_user(to, name, room - 1) || copy_to_user(to + room - 1, &end, 1))
		return -EFAULT;
	return -ENOSPC;
}

/* Copies as much of the types as there is room for, and their name. */
static int copy_btf_info(const union bpf_attr *attr, uint64_t user, const struct bpf_object *object)
{
	const struct btf *btf = (const struct btf *)object;
	const char *name = btf->kernel ? "vmlinux" : "";
	struct bpf_btf_info request = {0}, info;
	uint32_t room;
	int err = bpf_objects_read_info(attr, &request, sizeof(request));

	if (err)
		return err;
	info = request;
	room = request.btf_size < btf->bytes ? request.btf_size : btf->bytes;
	if (copy_to_user(request.btf, btf->data, room))
		return -EFAULT;
	info.btf_size = btf->bytes;
	info.id = object->id;
	info.kernel_btf = btf->kernel;
	info.name_len = (uint32_t)strlen(name);
	err = bpf_copy_name(request.name, request.name_len, name);
	if (err && err != -ENOSPC)
		return err;
	return bpf_objects_copy_info(attr, user, &info, sizeof(info)) ? -EFAULT : err;
}

int obj_get_info_by_fd(union bpf_attr *attr, uint64_t user)
{
	static int (*const tell_of[])(const union bpf_attr *attr, uint64_t user,
				      const struct bpf_object *object) = {
	    [OBJECT_MAP] = copy_map_info,
	    [OBJECT_PROGRAM] = copy_program_info,
	    [OBJECT_LINK] = bpf_copy_link_info,
	    [OBJECT_BTF] = copy_btf_info,
	};
	struct bpf_object *object;
	int err;

	CHECK(info.info);
	if (attr->info.info_len > PAGE_SIZE)
		return -E2BIG;
	object = bpf_object_of_fd((int)attr->info.bpf_fd, ~0u, NULL, &err);
	if (!object)
		return err;
	err = tell_of[object->kind](attr, user, object);
	object_put(object);
	return err;
}

int btf_load(union bpf_attr *attr, uint64_t user)
{
	struct bpf_log log;
	struct btf *btf = NULL;
	uint8_t *data;
	int err;

	(void)user;
	CHECK(btf_log_level);
	if (!privileged())
		return -EPERM;
	if (attr->btf_size > BTF_BYTES_MAX)
		return -E2BIG;
	data = kalloc(attr->btf_size + 1ul);
	if (!data)
		return -ENOMEM;
	if (copy_from_user(data, attr->btf, attr->btf_size)) {
		kfree(data);
		return -EFAULT;
	}
	err = bpf_log_begin(&log, attr->btf_log_level, attr->btf_log_buf, attr->btf_log_size);
	if (err) {
		kfree(data);
		return err;
	}
	btf = btf_new(data, attr->btf_size, log.buffer ? &log.text : NULL, &err);
	err = bpf_log_end(&log, err);
	if (err)
		btf_put(btf);
	return err ? err : bpf_fd(&btf->object, 0);
}

/* ---- names ---- */

int obj_pin(union bpf_attr *attr, uint64_t user)
{
	struct path_end end;
	struct bpf_object *object;
	struct inode *inode;
	int err;

	(void)user;
	CHECK(file_flags);
	if (attr->file_flags)
		return -EINVAL;
	object = bpf_object_of_fd((int)attr->bpf_fd, ~(1u << OBJECT_BTF), NULL, &err);
	if (!object)
		return -EINVAL;
	inode = pin_new(object);
	if (!inode)
		return -ENOMEM;
	err = user_parent((uint64_t)AT_FDCWD, attr->pathname, &end);
	if (!err) {
		err = !end.length || dir_find(end.dir, end.name, end.length) ? -EEXIST : 0;
		if (!err)
			err = end.dir->ops == &bpffs_ops ? dir_permission(end.dir, NULL) : -EPERM;
		if (!err) {
			inode_take(inode, end.dir);
			inode->mode &= ~current_task()->cwd->umask;
			err = bpffs_ops.adopt(end.dir, end.name, inode);
		}
		if (!err)
			err = dir_link(end.dir, end.name, end.length, inode);
		path_end_put(&end);
	}
	inode_put(inode);
	return err;
}

/* Opens the object that the name refers to. */
static int open_pin(const struct inode *inode, uint32_t flags)
{
	struct bpf_object *object = pin_of(inode);

	if (!object)
		return -EACCES;
	if (object->kind == OBJECT_LINK && flags)
		return -EINVAL;
	object_get(object);
	return bpf_fd(object, object->kind == OBJECT_MAP ? flags : 0);
}

int obj_get(union bpf_attr *attr, uint64_t user)
{
	uint32_t flags = attr->file_flags;
	struct inode *inode;
	int err;

	(void)user;
	CHECK(file_flags);
	if (attr->bpf_fd || bad_access(flags))
		return -EINVAL;
	err = user_lookup((uint64_t)AT_FDCWD, attr->pathname, 0, &inode);
	if (err)
		return err;
	err = inode_permission(inode, (flags & BPF_F_WRONLY ? 0 : MAY_READ) |
					  (flags & BPF_F_RDONLY ? 0 : MAY_WRITE));
	if (!err)
		err = open_pin(inode, flags);
	inode_put(inode);
	return err;
}
