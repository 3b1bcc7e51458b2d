/* SPDX-License-Identifier: BSD-2-Clause */
/* mount(2) and umount2(2): bind mounts and new file systems. */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "bpf/object/bpffs.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/mount.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/task.h"

/* Flags of umount2(2), from Linux's fs.h. */
#define MNT_FORCE       1ul
#define MNT_DETACH      2ul
#define MNT_EXPIRE      4ul
#define UMOUNT_NOFOLLOW 8ul

#define MS_PROPAGATION (MS_UNBINDABLE | MS_PRIVATE | MS_SLAVE | MS_SHARED)

static const struct file_system {
	struct mount_kind kind;
	const char *place; /* where it always is; NULL: each mount is a new one */
	/* Or this finds its root, with a reference, by the options: 0 or a negative errno. */
	int (*find)(const char *options, struct inode **root);
	uint32_t mode, magic;
	const struct inode_ops *ops;
} file_systems[] = {
    {.kind.type = "proc", .place = "/proc"},
    {.kind.type = "sysfs", .place = "/sys"},
    {.kind.type = "devtmpfs", .place = "/dev"},
    {.kind.type = "debugfs", .place = "/sys/kernel/debug"},
    {.kind.type = "tracefs", .place = "/sys/kernel/tracing"},
    {.kind.type = "cgroup2", .place = "/sys/fs/cgroup"},
    {.kind = {"cgroup", ",perf_event", true, true}, .find = cgroupfs_v1_find},
    {.kind = {"bpf", NULL, true, false},
     .mode = S_ISVTX | 0777,
     .magic = BPF_FS_MAGIC,
     .ops = &bpffs_ops},
    {.kind = {"tmpfs", NULL, true, false}, .mode = S_ISVTX | 0777, .magic = TMPFS_MAGIC},
    {.kind = {"ramfs", NULL, true, false}, .mode = 0755, .magic = RAMFS_MAGIC},
};

static bool begins(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word;
}

/* Returns the mode from "mode=0755" in the options of a new directory; others are ignored here. */
static uint32_t mode_of(const struct file_system *system, const char *options)
{
	const char *at = options;
	uint32_t mode = 0;

	while (*at && !begins(at, "mode=")) {
		while (*at && *at != ',')
			at++;
		at += *at == ',';
	}
	if (!*at)
		return system->mode;
	for (at += 5; *at >= '0' && *at <= '7'; at++)
		mode = mode << 3 | (uint32_t)(*at - '0');
	return mode & 07777;
}

/* Returns the root of the file system to mount, with a reference. */
static int find_root(const struct file_system *system, const char *options, struct inode **root)
{
	if (system->place)
		return path_lookup(root_inode, system->place, 0, root);
	if (system->find)
		return system->find(options, root);
	*root = inode_new(S_IFDIR | mode_of(system, options));
	if (!*root)
		return -ENOMEM;
	(*root)->ops = system->ops;
	(*root)->magic = system->magic;
	(*root)->nlink = 2;
	return 0;
}

/* The arguments of the call, copied. */
struct request {
	char *source, *type, *options; /* of PATH_SIZE bytes, in one piece */
	struct inode *at;
	struct dirent *name;
};

static int copy_words(struct request *r, uint64_t source, uint64_t type, uint64_t options)
{
	uint64_t from[] = {source, type, options};
	char *to[3];

	r->source = kalloc(3 * PATH_SIZE);
	if (!r->source)
		return -ENOMEM;
	to[0] = r->source;
	to[1] = r->type = r->source + PATH_SIZE;
	to[2] = r->options = r->source + 2 * PATH_SIZE;
	for (unsigned i = 0; i < 3; i++) {
		long length = from[i] ? copy_string_from_user(to[i], from[i], PATH_SIZE) : 0;

		if (length < 0)
			return length == -ENAMETOOLONG ? -EINVAL : (int)length;
	}
	return 0;
}

static int mount_new(const struct request *r, bool read_only)
{
	const struct file_system *system = file_systems;
	const struct file_system *end =
	    file_systems + sizeof(file_systems) / sizeof(file_systems[0]);
	struct inode *root;
	int err;

	while (system < end && strcmp(system->kind.type, r->type) != 0)
		system++;
	if (system == end)
		return -ENODEV;
	if (!S_ISDIR(r->at->mode))
		return -ENOTDIR;
	err = find_root(system, r->options, &root);
	if (err)
		return err;
	if (root == r->at) {
		inode_put(root);
		return -EBUSY;
	}
	err = mount_add(r->name, root, &system->kind, *r->source ? r->source : "none");
	if (!err && read_only)
		err = mount_set_read_only(r->name, true);
	cgroupfs_v1_changed();
	return err;
}

/* Binds an existing tree to another path. */
static int bind(const struct request *r)
{
	static const struct mount_kind bound = {.type = "none"};
	struct inode *root;
	int err = *r->source ? path_lookup(NULL, r->source, 0, &root) : -EINVAL;

	if (err)
		return err;
	if (S_ISDIR(root->mode) != S_ISDIR(r->at->mode)) {
		inode_put(root);
		return -ENOTDIR;
	}
	return mount_add(r->name, root, &bound, r->source);
}

/* A mount is changed here; the permanent ones stay writable. */
static int remount(const struct request *r, uint64_t flags)
{
	if (mount_is_at(r->name))
		return mount_set_read_only(r->name, flags & MS_RDONLY);
	return r->at->magic || r->at == root_inode ? 0 : -EINVAL;
}

static int mount(const struct request *r, uint64_t flags)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (flags & MS_REMOUNT)
		return remount(r, flags);
	if (flags & MS_BIND)
		return bind(r);
	if (flags & MS_PROPAGATION)
		return 0; /* there are no other places that it would go to */
	if (flags & MS_MOVE)
		return -EINVAL;
	return *r->type ? mount_new(r, flags & MS_RDONLY) : -EINVAL;
}

long sys_mount(uint64_t source, uint64_t target, uint64_t type, uint64_t flags, uint64_t options)
{
	struct request r = {0};
	int err = copy_words(&r, source, type, options);

	if (!err)
		err = user_lookup_name((uint64_t)AT_FDCWD, target, 0, &r.at, &r.name);
	if (!err) {
		err = mount(&r, flags);
		inode_put(r.at);
		name_put(r.name);
	}
	kfree(r.source);
	return err;
}

long sys_umount2(uint64_t target, uint64_t flags)
{
	struct inode *at;
	struct dirent *name;
	int err;

	if (flags & ~(MNT_FORCE | MNT_DETACH | MNT_EXPIRE | UMOUNT_NOFOLLOW))
		return -EINVAL;
	err = user_lookup_name((uint64_t)AT_FDCWD, target,
			       flags & UMOUNT_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0, &at, &name);
	if (err)
		return err;
	if (!capable(CAP_SYS_ADMIN))
		err = -EPERM;
	else if (flags & MNT_EXPIRE)
		err = flags & (MNT_FORCE | MNT_DETACH) ? -EINVAL : -EAGAIN;
	else if (!mount_is_at(name))
		err = at->magic || at == root_inode ? -EBUSY : -EINVAL;
	inode_put(at);
	if (!err)
		err = mount_remove(name, flags & MNT_DETACH);
	cgroupfs_v1_changed();
	name_put(name);
	return err;
}

/* ---- name_to_handle_at(2): of control groups, whose numbers clients learn by it ---- */

#define HANDLE_KERNFS 0xfe /* handle type, as Linux names it */
#define HANDLE_MAX    128
#define CGROUP_MOUNT  8 /* of /proc/PID/mountinfo */

struct handle {
	uint32_t bytes;
	int32_t type;
	uint64_t id;
};

/* Copies the handle if it fits; -EOVERFLOW reports the required size. */
static int copy_handle(uint64_t user, uint64_t id)
{
	struct handle handle = {.type = HANDLE_KERNFS, .id = id};
	size_t bytes = sizeof(handle);
	uint32_t room;

	if (copy_from_user(&room, user, sizeof(room)))
		return -EFAULT;
	if (room > HANDLE_MAX)
		return -EINVAL;
	handle.bytes = sizeof(handle.id);
	if (room < handle.bytes)
		bytes = sizeof(handle.bytes);
	if (copy_to_user(user, &handle, bytes))
		return -EFAULT;
	return room < handle.bytes ? -EOVERFLOW : 0;
}

long sys_name_to_handle_at(uint64_t dirfd, uint64_t path, uint64_t user, uint64_t user_mount,
			   uint64_t flags)
{
	unsigned at_flags = flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
	const struct cgroup *group;
	int32_t number = CGROUP_MOUNT;
	struct inode *inode;
	int err;

	if (flags & ~(uint64_t)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	err = user_lookup_at(dirfd, path, at_flags | (flags & AT_EMPTY_PATH), &inode);
	if (err)
		return err;
	group = cgroup_of_inode(inode);
	err = group ? copy_handle(user, group->id) : -EOPNOTSUPP;
	inode_put(inode);
	if ((!err || err == -EOVERFLOW) && copy_to_user(user_mount, &number, sizeof(number)))
		return -EFAULT;
	return err;
}
