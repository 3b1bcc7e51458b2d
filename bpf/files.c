/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of maps, programs and links. */
#include "bpf/files.h"
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include "bpf/bpf.h"
#include "bpf/btf.h"
#include "bpf/links.h"
#include "kernel/fs/file.h"
#include "kernel/mem/user.h"

struct perf_event *(*bpf_perf_event)(int fd, struct file **file);

void map_unuse(struct bpf_map *map, struct file *file)
{
	map->files--;
	if (map->kind->closed)
		map->kind->closed(map, file);
	map_put(map);
}

static void map_release(struct file *file)
{
	struct bpf_map *map = file->priv;

	map_unuse(map, file);
}

static int map_mmap(struct file *file, struct vma *vma)
{
	struct bpf_map *map = file->priv;

	return map->kind->mmap ? map->kind->mmap(map, vma) : -ENOTSUPP;
}

static unsigned map_poll(struct file *file, struct poll_table *table)
{
	struct bpf_map *map = file->priv;

	return map->type == BPF_MAP_TYPE_RINGBUF ? ring_poll(map, table) : POLLERR;
}

static const struct file_ops map_ops = {
    .name = "bpf-map", .mmap = map_mmap, .poll = map_poll, .release = map_release};

static void program_release(struct file *file)
{
	program_put(file->priv);
}

static const struct file_ops program_ops = {.name = "bpf-prog", .release = program_release};

static void link_release(struct file *file)
{
	link_put(file->priv);
}

static const struct file_ops link_ops = {.name = "bpf_link", .release = link_release};

static void btf_release(struct file *file)
{
	btf_put(file->priv);
}

static const struct file_ops btf_ops = {.name = "btf", .release = btf_release};

/* A file of the object at a descriptor; when there is no memory for it `release` gives the object
 * back. */
static int install(const struct file_ops *ops, void *object, uint32_t flags)
{
	struct file *file = file_new(ops, object, flags);
	int fd;

	if (!file) {
		struct file none = {.priv = object};

		ops->release(&none);
		return -ENOMEM;
	}
	fd = fd_install(file, 0, true);
	if (fd < 0)
		file_put(file);
	return fd;
}

int bpf_map_fd(struct bpf_map *map, uint32_t flags)
{
	map->files++;
	return install(&map_ops, map,
		       flags & BPF_F_RDONLY   ? O_RDONLY
		       : flags & BPF_F_WRONLY ? O_WRONLY
					      : O_RDWR);
}

int bpf_program_fd(struct bpf_program *program)
{
	return install(&program_ops, program, O_RDWR);
}

int bpf_link_fd(struct bpf_link *link)
{
	return install(&link_ops, link, O_RDWR);
}

int bpf_btf_fd(struct btf *btf)
{
	return install(&btf_ops, btf, O_RDONLY);
}

/* The file of a descriptor of that kind. */
static struct file *find(int fd, const struct file_ops *ops, int *error)
{
	struct file *file = fd_get(fd);

	*error = file ? -EINVAL : -EBADF;
	if (file && file->ops != ops) {
		file_put(file);
		return NULL;
	}
	return file;
}

struct bpf_map *bpf_map_of_fd(int fd, struct file **file, int *error)
{
	*file = find(fd, &map_ops, error);
	if (!*file)
		return NULL;
	map_get((*file)->priv);
	return (*file)->priv;
}

struct bpf_program *bpf_program_of_fd(int fd, int *error)
{
	struct file *file = find(fd, &program_ops, error);
	struct bpf_program *program;

	if (!file)
		return NULL;
	program = file->priv;
	program_get(program);
	file_put(file);
	return program;
}

struct bpf_link *bpf_link_of_file(const struct file *file)
{
	return file->ops == &link_ops ? file->priv : NULL;
}

struct bpf_link *bpf_link_of_fd(int fd, int *error)
{
	struct file *file = find(fd, &link_ops, error);
	struct bpf_link *link;

	if (!file)
		return NULL;
	link = file->priv;
	link_get(link);
	file_put(file);
	return link;
}

struct btf *bpf_btf_of_fd(int fd, int *error)
{
	struct file *file = find(fd, &btf_ops, error);
	struct btf *btf;

	if (!file)
		return NULL;
	btf = file->priv;
	btf_get(btf);
	file_put(file);
	return btf;
}

int bpf_fd_at(uint64_t array, uint32_t index, int *fd)
{
	if (!array)
		return -EPROTO;
	return copy_from_user(fd, array + (uint64_t)index * sizeof(*fd), sizeof(*fd));
}
