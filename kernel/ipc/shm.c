/* SPDX-License-Identifier: BSD-2-Clause */
/* System V shared memory: a segment is an unnamed file, which counts the areas that map it:
 * shmget(2), shmat(2), shmctl(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
/* It includes the C library, with which <linux/stat.h> says less. */
#include <linux/shm.h>
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/ipc/sysv.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"
#include "kernel/vm/vma.h"

#define LABEL_ROOM 16

/* Bits of the mode, as Linux shows them. */
#define SHM_DEST   01000u
#define SHM_LOCKED 02000u

struct segment {
	struct sysv_object object;
	struct inode *inode; /* referenced: its pages */
	uint64_t bytes;
	uint64_t areas; /* that show it */
	int64_t attached_s, detached_s;
	int creator_pid, last_pid;
};

static void segment_free(struct sysv_object *object)
{
	inode_put(((struct segment *)object)->inode);
}

static struct sysv_table segments = {
    .keys = {.before = sysv_key_before}, .most = SHM_SEGMENTS_MAX, .free = segment_free};

/* ---- areas that show a segment ---- */

static int current_pid(void)
{
	const struct task *task = current_task();

	return task ? task->tgid : 0;
}

static void *area_fault(struct vma *vma, uint64_t index, bool write)
{
	struct segment *segment = vma->priv;

	(void)write;
	return index < (segment->bytes + PAGE_SIZE - 1) / PAGE_SIZE
		   ? inode_page(segment->inode, index)
		   : NULL;
}

static void area_open(struct vma *vma)
{
	struct segment *segment = vma->priv;

	segment->areas++;
	segment->last_pid = current_pid();
	segment->attached_s = sysv_now();
	sysv_hold(&segment->object);
}

static void area_close(struct vma *vma)
{
	struct segment *segment = vma->priv;

	segment->last_pid = current_pid();
	segment->detached_s = sysv_now();
	if (--segment->areas == 0 && segment->object.mode & SHM_DEST && !segment->object.removed)
		sysv_remove(&segments, &segment->object);
	sysv_put(&segments, &segment->object);
}

static const struct vma_ops area_ops = {
    .fault = area_fault,
    .open = area_open,
    .close = area_close,
    .may_grow = true,
};

static int shm_mmap(struct file *file, struct vma *vma)
{
	vma->ops = &area_ops;
	vma->priv = file->priv;
	area_open(vma);
	return 0;
}

static void shm_release(struct file *file)
{
	struct segment *segment = file->priv;

	sysv_put(&segments, &segment->object);
}

static const struct file_ops shm_ops = {.mmap = shm_mmap, .release = shm_release};

/* ---- shmget ---- */

static int size_fits(const struct sysv_object *object, uint64_t bytes)
{
	return ((const struct segment *)object)->bytes < bytes ? -EINVAL : 0;
}

/* Returns the file for the pages, named as on Linux; NULL: no memory. */
static struct inode *segment_inode(int key, uint64_t bytes)
{
	struct inode *inode = inode_new(S_IFREG | 0600);
	struct text label;

	if (!inode)
		return NULL;
	inode->size = bytes;
	inode->mapped = true;
	inode->label = kalloc(LABEL_ROOM);
	if (!inode->label) {
		inode_put(inode);
		return NULL;
	}
	text_init(&label, inode->label, LABEL_ROOM);
	text_print(&label, "SYSV%08x", (unsigned)key);
	return inode;
}

static long segment_new(int key, uint64_t bytes, uint32_t flags)
{
	struct segment *segment;
	int id;

	if (!bytes || bytes > SHM_BYTES_MAX)
		return -EINVAL;
	if (bytes > FILE_LARGEST || flags & SHM_HUGETLB)
		return -ENOMEM;
	segment = (struct segment *)sysv_new(sizeof(*segment), key, flags);
	if (!segment)
		return -ENOMEM;
	segment->inode = segment_inode(key, bytes);
	segment->bytes = bytes;
	segment->creator_pid = current_pid();
	id = segment->inode ? sysv_add(&segments, &segment->object) : -ENOMEM;
	if (id < 0)
		sysv_put(&segments, &segment->object);
	else
		segment->inode->ino = (uint64_t)id;
	return id;
}

long shm_get(int key, uint64_t bytes, uint32_t flags)
{
	int id = sysv_get(&segments, key, flags, size_fits, bytes);

	return id == -ENODATA ? segment_new(key, bytes, flags) : id;
}

/* ---- shmat, shmdt ---- */

/* Computes the address: 0 lets the kernel choose. Returns 0 or -EINVAL. */
static int attach_address(uint64_t *address, uint32_t flags)
{
	if (*address % PAGE_SIZE) {
		if (!(flags & SHM_RND))
			return -EINVAL;
		*address &= -PAGE_SIZE;
		if (!*address && flags & SHM_REMAP)
			return -EINVAL;
	}
	return !*address && flags & SHM_REMAP ? -EINVAL : 0;
}

/* Maps a separate open file, so that areas of two calls are never merged. */
static long attach(struct segment *segment, uint64_t address, uint32_t prot, uint32_t flags)
{
	struct file *file = file_new(&shm_ops, segment, prot & PROT_WRITE ? O_RDWR : O_RDONLY);
	uint32_t place = flags & SHM_REMAP ? MAP_FIXED : address ? MAP_FIXED_NOREPLACE : 0;
	long result;

	if (!file)
		return -ENOMEM;
	sysv_hold(&segment->object);
	file->inode = segment->inode;
	inode_get(file->inode);
	result = vm_map(address, segment->bytes, prot, MAP_SHARED | place, file, 0);
	file_put(file);
	return result == -EEXIST ? -EINVAL : result;
}

long shm_attach(int id, uint64_t address, uint32_t flags)
{
	uint32_t prot = flags & SHM_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE;
	uint32_t mode = flags & SHM_RDONLY ? SYSV_READ : SYSV_READ | SYSV_WRITE;
	struct sysv_object *object;
	long result = id < 0 ? -EINVAL : attach_address(&address, flags);

	if (flags & SHM_EXEC) {
		prot |= PROT_EXEC;
		mode |= SYSV_EXECUTE;
	}
	if (!result)
		result = sysv_find_for(&segments, id, mode, &object);
	if (result)
		return result;
	sysv_hold(object); /* areas that make place may be its last */
	result = attach((struct segment *)object, address, prot, flags);
	sysv_put(&segments, object);
	return result;
}

static bool shows(const struct vma *vma, const struct file *file)
{
	return vma->ops == &area_ops && (!file || vma->file == file);
}

long shm_detach(uint64_t address)
{
	struct mm *mm = current_task()->mm;
	struct vma *vma = vma_find(mm, address), *next;
	struct file *file = NULL;

	if (address % PAGE_SIZE)
		return -EINVAL;
	/* The first area that a call at this address made, or the rest of it. */
	while (vma && !(shows(vma, NULL) && vma->start - address == vma->pgoff * PAGE_SIZE))
		vma = vma_next(vma);
	if (!vma)
		return -EINVAL;
	file = vma->file;
	file_get(file);
	for (; vma && vma->start - address < FILE_LARGEST; vma = next) {
		next = vma_next(vma);
		if (!shows(vma, file) || vma->start - address != vma->pgoff * PAGE_SIZE)
			continue;
		vma_remove(vma);
	}
	file_put(file);
	return 0;
}

/* ---- shmctl ---- */

static uint64_t pages_of(const struct segment *segment)
{
	uint64_t pages = 0;

	for (uint64_t i = 0; i < segment->inode->nr_pages; i++)
		pages += segment->inode->pages[i] != NULL;
	return pages;
}

static long limits_to_user(uint64_t user)
{
	const struct shminfo64 info = {
	    .shmmax = SHM_BYTES_MAX,
	    .shmmin = 1,
	    .shmmni = SHM_SEGMENTS_MAX,
	    .shmseg = SHM_SEGMENTS_MAX,
	    .shmall = SHM_BYTES_MAX,
	};

	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : sysv_highest(&segments);
}

static long sums_to_user(uint64_t user)
{
	struct shm_info info = {.used_ids = (int)segments.used};
	int highest = sysv_highest(&segments);

	for (int slot = 0; slot <= highest; slot++) {
		const struct segment *segment =
		    (struct segment *)sysv_slot(&segments, (unsigned)slot);

		if (segment) {
			info.shm_tot += (segment->bytes + PAGE_SIZE - 1) / PAGE_SIZE;
			info.shm_rss += pages_of(segment);
		}
	}
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : highest;
}

static long status_to_user(const struct segment *segment, uint64_t user, long result)
{
	struct shmid64_ds status = {
	    .shm_segsz = segment->bytes,
	    .shm_atime = segment->attached_s,
	    .shm_dtime = segment->detached_s,
	    .shm_ctime = segment->object.changed_s,
	    .shm_cpid = segment->creator_pid,
	    .shm_lpid = segment->last_pid,
	    .shm_nattch = segment->areas,
	};

	sysv_describe(&segment->object, &status.shm_perm);
	return copy_to_user(user, &status, sizeof(status)) ? -EFAULT : result;
}

static long status(int id, int command, uint64_t user)
{
	struct sysv_object *object;
	int err = 0;

	if (command == IPC_STAT) {
		err = sysv_find(&segments, id, &object);
	} else {
		object = sysv_slot(&segments, (unsigned)id);
		err = object ? 0 : -EINVAL;
	}
	if (!err && command != SHM_STAT_ANY)
		err = sysv_permission(object, SYSV_READ);
	if (err)
		return err;
	return status_to_user((struct segment *)object, user, command == IPC_STAT ? 0 : object->id);
}

/* IPC_SET, IPC_RMID. */
static long change(int id, int command, const struct ipc64_perm *perm)
{
	struct sysv_object *object;
	int err = sysv_find_owned(&segments, id, &object);

	if (err)
		return err;
	if (command == IPC_SET)
		return sysv_set(object, perm);
	if (((struct segment *)object)->areas) {
		object->mode |= SHM_DEST;
		sysv_hide(&segments, object);
	} else {
		sysv_remove(&segments, object);
	}
	return 0;
}

/* SHM_LOCK, SHM_UNLOCK: memory is never paged out. */
static long lock(int id, bool on)
{
	struct sysv_object *object;
	int err = sysv_find(&segments, id, &object);

	if (err)
		return err;
	if (!capable(CAP_IPC_LOCK) && sysv_owned(object))
		return -EPERM;
	object->mode = on ? object->mode | SHM_LOCKED : object->mode & ~SHM_LOCKED;
	return 0;
}

long shm_control(int id, int command, uint64_t user)
{
	struct shmid64_ds new = {0};

	if (command < 0 || id < 0)
		return -EINVAL;
	switch (command) {
	case IPC_INFO:
		return limits_to_user(user);
	case SHM_INFO:
		return sums_to_user(user);
	case IPC_STAT:
	case SHM_STAT:
	case SHM_STAT_ANY:
		return status(id, command, user);
	case IPC_SET:
		if (copy_from_user(&new, user, sizeof(new)))
			return -EFAULT;
		return change(id, command, &new.shm_perm);
	case IPC_RMID:
		return change(id, command, NULL);
	case SHM_LOCK:
	case SHM_UNLOCK:
		return lock(id, command == SHM_LOCK);
	default:
		return -EINVAL;
	}
}

void shm_text(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "       key      shmid perms                  size  cpid  lpid nattch   "
			"uid   gid  cuid  cgid      atime      dtime      ctime        "
			"           rss                  swap\n");
	for (unsigned slot = 0; slot < segments.nr_slots; slot++) {
		const struct segment *segment = (struct segment *)segments.slots[slot];

		if (!segment)
			continue;
		sysv_text_begin(out, &segment->object);
		text_print(out, "%21lu %5u %5u  %5lu ", segment->bytes,
			   (unsigned)segment->creator_pid, (unsigned)segment->last_pid,
			   segment->areas);
		sysv_text_owners(out, &segment->object);
		text_print(out, "%10lu %10lu %10lu %21lu %21u\n", (uint64_t)segment->attached_s,
			   (uint64_t)segment->detached_s, (uint64_t)segment->object.changed_s,
			   pages_of(segment) * PAGE_SIZE, 0);
	}
}
