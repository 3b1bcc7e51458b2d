/* SPDX-License-Identifier: BSD-2-Clause */
/* The file systems of control groups: directories are groups, and files list and move their
 * processes. /sys/fs/cgroup, and mounts of version 1. */
#include <linux/errno.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/cgroupfs.h"
#include "kernel/task/membership/cgroup.h"
#include "kernel/task/pids.h"

#define INO_FILES (1ul << 41) /* numbers of the files that are made */

/* ---- files; their ids are their groups' ---- */

static bool is_member(const struct task *task, const struct cgroup *group)
{
	return (group->v1 ? cgroup_v1_of(task) : cgroup_of(task)) == group;
}

static void make_members(struct text *out, uint64_t id, bool threads)
{
	const struct cgroup *group = cgroup_find(id);
	const struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (group && task->process->live && is_member(task, group) &&
		    (threads || task->pid == task->tgid))
			text_print(out, "%d\n", task->pid);
}

static void make_procs(struct text *out, uint64_t id)
{
	make_members(out, id, false);
}

static void make_threads(struct text *out, uint64_t id)
{
	make_members(out, id, true);
}

/* Finds the task that the text names, with a reference; 0 is the writer. */
static int find_task(const char *text, struct task **task)
{
	uint64_t pid;

	if (number_read_stripped(text, 0, INT32_MAX, &pid))
		return -EINVAL;
	*task = task_find(pid ? (int)pid : current_task()->pid);
	if (!*task)
		return -ESRCH;
	if ((*task)->process && (*task)->process->live)
		return 0;
	task_put(*task);
	return -ESRCH;
}

/* Applies the file's operation to the written task. */
static int store_member(const char *text, uint64_t id,
			int (*put)(struct task *task, struct cgroup *group))
{
	struct cgroup *group = cgroup_find(id);
	struct task *task;
	int err = group ? find_task(text, &task) : -ENODEV;

	if (err)
		return err;
	err = put(task, group);
	task_put(task);
	return err;
}

static int put_process(struct task *task, struct cgroup *group)
{
	cgroup_move(task->process, group);
	return 0;
}

static int put_all_threads(struct task *task, struct cgroup *group)
{
	struct task *thread;

	list_for_each(thread, &task->process->threads, thread_link)
		cgroup_move_thread(thread, group);
	return 0;
}

static int put_thread(struct task *task, struct cgroup *group)
{
	cgroup_move_thread(task, group);
	return 0;
}

/* Threads stay in their process's group. */
static int stay(struct task *task, struct cgroup *group)
{
	return cgroup_of(task) == group ? 0 : -EOPNOTSUPP;
}

static int store_procs(const char *text, uint64_t id)
{
	return store_member(text, id, put_process);
}

static int store_v1_procs(const char *text, uint64_t id)
{
	return store_member(text, id, put_all_threads);
}

static int store_tasks(const char *text, uint64_t id)
{
	return store_member(text, id, put_thread);
}

static int store_threads(const char *text, uint64_t id)
{
	return store_member(text, id, stay);
}

static void make_events(struct text *out, uint64_t id)
{
	const struct cgroup *group = cgroup_find(id);

	text_print(out, "populated %d\nfrozen 0\n", group && cgroup_populated(group));
}

static void make_stat(struct text *out, uint64_t id)
{
	const struct cgroup *group = cgroup_find(id);

	text_print(out, "nr_descendants %u\nnr_dying_descendants 0\n",
		   group ? cgroup_descendants(group) : 0);
}

static const struct synthetic v2_files[] = {
    {.path = "cgroup.controllers", /* there are none */
     .text = ""},
    {.path = "cgroup.max.depth", .text = "max"},
    {.path = "cgroup.max.descendants", .text = "max"},
    {.path = "cgroup.procs", .make = make_procs, .store = store_procs},
    {.path = "cgroup.stat", .make = make_stat},
    {.path = "cgroup.subtree_control", .text = ""},
    {.path = "cgroup.threads", .make = make_threads, .store = store_threads},
    /* All groups except the root. */
    {.path = "cgroup.events", .make = make_events},
    {.path = "cgroup.type", .text = "domain"},
};

static const struct synthetic v1_files[] = {
    {.path = "cgroup.clone_children", .text = "0"},
    {.path = "cgroup.procs", .make = make_procs, .store = store_v1_procs},
    {.path = "notify_on_release", /* there is no release agent */
     .text = "0"},
    {.path = "tasks", .make = make_threads, .store = store_tasks},
    /* The root only. */
    {.path = "cgroup.sane_behavior", .text = "0"},
    {.path = "release_agent", .text = ""},
};

#define FILES_MAX 16 /* of one group */

static const struct version {
	const struct synthetic *files;
	unsigned of_root, of_others; /* how many */
	uint32_t magic;
} versions[] = {{v2_files, 7, 9, CGROUP2_SUPER_MAGIC}, {v1_files, 6, 4, CGROUP_SUPER_MAGIC}};

/* ---- directories ---- */

static const struct inode_ops group_ops;

struct cgroup *cgroup_of_inode(const struct inode *inode)
{
	if (inode->ops != &group_ops)
		return NULL;
	return inode->priv ? (struct cgroup *)inode->priv : &cgroup_root;
}

static const struct version *version_of(const struct cgroup *group)
{
	return &versions[group->v1];
}

static unsigned files_of(const struct cgroup *group)
{
	const struct version *version = version_of(group);

	return group->removed ? 0 : group->parent ? version->of_others : version->of_root;
}

static struct inode *lookup(struct inode *dir, const char *name, size_t length)
{
	const struct cgroup *group = cgroup_of_inode(dir);
	const struct version *version = version_of(group);

	for (unsigned i = 0; i < files_of(group); i++) {
		struct inode *inode;

		if (!string_is(name, length, version->files[i].path))
			continue;
		inode = synthetic_inode(&version->files[i], group->id);
		if (inode) {
			inode->nlink = 1;
			inode->magic = version->magic;
		}
		return inode;
	}
	return NULL;
}

static bool list_files(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino,
		       uint32_t *mode)
{
	const struct cgroup *group = cgroup_of_inode(dir);
	uint64_t i = (*cookie)++;

	if (i >= files_of(group))
		return false;
	strlcpy(name, version_of(group)->files[i].path, NAME_LONGEST);
	*ino = INO_FILES + group->id * FILES_MAX + i;
	*mode = S_IFREG;
	return true;
}

/* A new directory is a new group; nothing else can be made, and nothing renamed. */
static int adopt(struct inode *dir, const char *name, struct inode *inode)
{
	struct cgroup *group;
	struct inode *file;
	int err;

	if (!S_ISDIR(inode->mode) || inode->ops)
		return -EPERM;
	if (strchr(name, '\n'))
		return -EINVAL; /* /proc/PID/cgroup has lines */
	file = lookup(dir, name, strlen(name));
	if (file) {
		inode_put(file);
		return -EEXIST;
	}
	group = cgroup_new(cgroup_of_inode(dir), name, &err);
	if (!group)
		return err;
	inode->ops = &group_ops;
	inode->priv = (uint64_t)group;
	inode->ino = group->id;
	inode->magic = version_of(group)->magic;
	return 0;
}

static int leave(struct inode *dir)
{
	return cgroup_remove(cgroup_of_inode(dir));
}

static void gone(struct inode *inode)
{
	cgroup_put(cgroup_of_inode(inode));
}

static const struct inode_ops group_ops = {
    .lookup = lookup, .list = list_files, .adopt = adopt, .leave = leave, .gone = gone};

/* ---- version 1 ---- */

static struct inode *v1_root; /* NULL: never mounted */

/* True for a controller's name (`all` means the one), or an option without effect here. */
static bool is_option(const char *word, size_t length)
{
	static const char *const known[] = {"perf_event", "all", "rw", "xattr"};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (string_is(word, length, known[i]))
			return true;
	return false;
}

static bool are_options(const char *options)
{
	while (*options) {
		size_t length = 0;

		while (options[length] && options[length] != ',')
			length++;
		if (length && !is_option(options, length))
			return false;
		options += length + (options[length] == ',');
	}
	return true;
}

int cgroupfs_v1_find(const char *options, struct inode **root)
{
	if (!are_options(options))
		return -EINVAL;
	if (!v1_root) {
		v1_root = inode_new(S_IFDIR | 0755);
		if (!v1_root)
			return -ENOMEM;
		v1_root->ops = &group_ops;
		v1_root->priv = (uint64_t)&cgroup_v1_root;
		v1_root->ino = cgroup_v1_root.id;
		v1_root->magic = CGROUP_SUPER_MAGIC;
		v1_root->nlink = 2;
	}
	inode_get(v1_root);
	*root = v1_root;
	return 0;
}

void cgroupfs_v1_changed(void)
{
	cgroup_v1_on = v1_root && (v1_root->name || cgroup_v1_root.children);
}

void cgroupfs_init(void)
{
	/* A group's id is its directory's inode number, as on Linux. */
	static const struct synthetic_directory root = {
	    .mode = 0755, .magic = CGROUP2_SUPER_MAGIC, .ino = 1, .ops = &group_ops};

	synthetic_directory("/sys/fs/cgroup", &root);
}
