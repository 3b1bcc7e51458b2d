/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of maps, programs, links and types. */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "bpf/object/files.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"

struct perf_event *(*bpf_perf_event)(int fd, struct file **file);

void bpf_use(struct bpf_object *object)
{
	if (object->ops->used)
		object->ops->used(object);
}

void bpf_unuse(struct bpf_object *object, struct file *file)
{
	if (object->ops->unused)
		object->ops->unused(object, file);
	object_put(object);
}

static void release(struct file *file)
{
	bpf_unuse(file->priv, file);
}

static int map_mmap(struct file *file, struct vma *vma)
{
	struct bpf_object *object = file->priv;

	return object->ops->mmap(object, vma);
}

static unsigned map_poll(struct file *file, struct poll_table *table)
{
	struct bpf_object *object = file->priv;

	return object->ops->poll(object, table);
}

static const struct file_ops ops[NR_OBJECT_KINDS] = {
    [OBJECT_MAP] = {.name = "bpf-map", .mmap = map_mmap, .poll = map_poll, .release = release},
    [OBJECT_PROGRAM] = {.name = "bpf-prog", .release = release},
    [OBJECT_LINK] = {.name = "bpf_link", .release = release},
    [OBJECT_BTF] = {.name = "btf", .release = release},
};

int bpf_fd(struct bpf_object *object, uint32_t flags)
{
	bool reads = object->kind == OBJECT_BTF || flags & BPF_F_RDONLY;
	struct file *file = file_new(&ops[object->kind], object,
				     reads                  ? O_RDONLY
				     : flags & BPF_F_WRONLY ? O_WRONLY
							    : O_RDWR);
	int fd;

	bpf_use(object);
	if (!file) {
		bpf_unuse(object, NULL);
		return -ENOMEM;
	}
	fd = fd_install(file, 0, true);
	if (fd < 0)
		file_put(file);
	return fd;
}

struct bpf_object *bpf_object_of_file(const struct file *file)
{
	for (unsigned kind = 0; kind < NR_OBJECT_KINDS; kind++)
		if (file->ops == &ops[kind])
			return file->priv;
	return NULL;
}

struct bpf_object *bpf_object_of_fd(int fd, unsigned kinds, struct file **file, int *error)
{
	struct file *found = fd_get(fd);
	struct bpf_object *object = found ? bpf_object_of_file(found) : NULL;

	*error = found ? -EINVAL : -EBADF;
	if (object && !(kinds >> object->kind & 1))
		object = NULL;
	if (object)
		object_get(object);
	if (object && file)
		*file = found;
	else if (found)
		file_put(found);
	return object;
}

int bpf_fd_at(uint64_t array, uint32_t index, int *fd)
{
	if (!array)
		return -EPROTO;
	return copy_from_user(fd, array + (uint64_t)index * sizeof(*fd), sizeof(*fd));
}
