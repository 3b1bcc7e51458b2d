/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in programs. The byte at a probe is INT3 in a private copy of the page in each address
 * space that executes the file. After a hit the task continues in a slot (area.c) that has the
 * instruction. Everything here runs in task context under the kernel lock. While there is no probe
 * no hook is installed; after the first probe, only exceptions other than page faults pass through
 * here.
 */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/trap/traps.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vm.h"
#include "trace/probe/user/area.h"
#include "trace/probe/user/returns.h"
#include "trace/probe/user/uprobe.h"
#include "trace/probe/user/uprobe_hooks.h"

struct uprobe {
	struct list link; /* in `probes` */
	struct inode *inode;
	uint64_t offset;
	uint64_t semaphore; /* in the file: a word that counts probes, 0: none */
	uint32_t refs;      /* users, and functions that have not returned */
	bool decoded;
	struct probe_insn insn;
	struct list users;
};

static struct list probes = {&probes, &probes};

static struct uprobe *probe_find(const struct inode *inode, uint64_t offset)
{
	struct uprobe *probe;

	list_for_each(probe, &probes, link)
		if (probe->inode == inode && probe->offset == offset)
			return probe;
	return NULL;
}

void uprobe_get(struct uprobe *probe)
{
	probe->refs++;
}

void uprobe_put(struct uprobe *probe)
{
	KASSERT(probe->refs > 0);
	if (--probe->refs)
		return;
	inode_put(probe->inode);
	kfree(probe);
}

/* ---- breakpoints in address spaces ---- */

/* Returns the area's address of the file's offset, 0: not mapped. */
static uint64_t place_in(const struct vma *vma, const struct inode *inode, uint64_t offset)
{
	uint64_t from = vma->pgoff * PAGE_SIZE;

	if (!vma->file || vma->ops || vma->file->inode != inode ||
	    vma->flags & (MAP_SHARED | VMA_VVAR | VMA_VDSO) || offset < from ||
	    offset - from >= vma->end - vma->start)
		return 0;
	return vma->start + (offset - from);
}

/* Returns the probe's address in the area, 0: not mapped. */
static uint64_t address_in(const struct vma *vma, const struct uprobe *probe)
{
	return place_in(vma, probe->inode, probe->offset);
}

/* Decodes the instruction in the file. */
static int decode(struct uprobe *probe)
{
	uint8_t bytes[PROBE_INSN_MAX];
	size_t got;
	int err;

	if (probe->decoded)
		return 0;
	got = inode_read(probe->inode, probe->offset, bytes, sizeof(bytes));
	err = probe_insn_decode(&probe->insn, bytes, got);
	probe->decoded = !err;
	return err;
}

static bool write_byte(struct mm *mm, uint64_t address, uint8_t byte)
{
	return foreign_copy(mm, address, &byte, 1, FOREIGN_WRITE | FOREIGN_FORCE) == 1;
}

/* Adds to a semaphore, which never becomes negative. */
static void semaphore_add(struct mm *mm, uint64_t address, int number)
{
	uint16_t count;

	if (foreign_copy(mm, address, &count, sizeof(count), FOREIGN_FORCE) != sizeof(count) ||
	    count + number < 0)
		return;
	count = (uint16_t)(count + number);
	foreign_copy(mm, address, &count, sizeof(count), FOREIGN_WRITE | FOREIGN_FORCE);
}

/* Changes the probe's semaphores where the address space maps them now; semaphores_mapped() handles
 * later mappings. */
static void semaphores_add(const struct uprobe *probe, struct mm *mm, int number)
{
	struct vma *vma;

	if (!probe->semaphore)
		return;
	list_for_each(vma, &mm->vmas, link) {
		uint64_t address =
		    vma->prot & PROT_WRITE ? place_in(vma, probe->inode, probe->semaphore) : 0;

		if (address)
			semaphore_add(mm, address, number);
	}
}

/* True if the address space has the breakpoint. */
static bool is_in(const struct uprobe *probe, struct mm *mm)
{
	struct vma *vma;
	uint8_t byte;

	list_for_each(vma, &mm->vmas, link) {
		uint64_t address = vma->prot & PROT_EXEC ? address_in(vma, probe) : 0;

		if (address && foreign_copy(mm, address, &byte, 1, FOREIGN_FORCE) == 1 &&
		    byte == PROBE_INT3)
			return true;
	}
	return false;
}

/* The area is new, or becomes writable: a semaphore in it with the file's value counts the
 * breakpoints that exist already. */
static void semaphores_mapped(const struct uprobe *probe, struct vma *vma)
{
	uint64_t address = probe->semaphore ? place_in(vma, probe->inode, probe->semaphore) : 0;
	uint16_t in_file = 0, count;
	const struct uprobe *other;
	int number = 0;

	if (!address || !(vma->prot & PROT_WRITE) ||
	    inode_read(probe->inode, probe->semaphore, &in_file, sizeof(in_file)) !=
		sizeof(in_file) ||
	    foreign_copy(vma->mm, address, &count, sizeof(count), FOREIGN_FORCE) != sizeof(count) ||
	    count != in_file)
		return;
	list_for_each(other, &probes, link)
		if (other->inode == probe->inode && other->semaphore == probe->semaphore)
			number += is_in(other, vma->mm);
	semaphore_add(vma->mm, address, number);
}

/* Writes the breakpoint into the area, if it is executable. */
static int install(struct uprobe *probe, struct vma *vma)
{
	uint64_t address = address_in(vma, probe), trampoline;
	int64_t slot;
	uint8_t byte;
	int err;

	if (!address || !(vma->prot & PROT_EXEC) || vma->prot & PROT_WRITE)
		return 0;
	err = decode(probe);
	if (err)
		return err;
	if (foreign_copy(vma->mm, address, &byte, 1, FOREIGN_FORCE) != 1 || byte == PROBE_INT3)
		return 0;
	slot = area_place(vma->mm, &probe->insn, address, &trampoline);
	if (slot < 0)
		return (int)slot;
	if (!write_byte(vma->mm, address, PROBE_INT3))
		return -ENOMEM;
	semaphores_add(probe, vma->mm, 1);
	return 0;
}

static int uninstall(struct uprobe *probe, struct vma *vma)
{
	uint64_t address = address_in(vma, probe);
	uint8_t byte;

	if (address && probe->decoded &&
	    foreign_copy(vma->mm, address, &byte, 1, FOREIGN_FORCE) == 1 && byte == PROBE_INT3) {
		write_byte(vma->mm, address, probe->insn.bytes[0]);
		semaphores_add(probe, vma->mm, -1);
	}
	return 0;
}

/* Calls `what` for all address spaces; possibly several times for one, which is harmless. */
static int everywhere(struct uprobe *probe, int (*what)(struct uprobe *, struct vma *))
{
	struct task *task;
	struct vma *vma;
	int err = 0;

	list_for_each(task, &all_tasks, task_link) {
		if (!task->mm)
			continue;
		list_for_each(vma, &task->mm->vmas, link) {
			int failed = what(probe, vma);

			err = err ? err : failed;
		}
	}
	return err;
}

/* ---- hits ---- */

/* Returns the probe at the address, which is in the area or before it; NULL: none. */
static struct uprobe *probe_at(const struct vma *vma, uint64_t address)
{
	if (!vma || address < vma->start || !vma->file || vma->ops)
		return NULL;
	return probe_find(vma->file->inode, vma->pgoff * PAGE_SIZE + (address - vma->start));
}

void uprobe_emit(const struct uprobe *probe, struct frame *frame, uint64_t function, bool returns)
{
	struct uprobe_user *user, *next;

	list_for_each_safe(user, next, &probe->users, link)
		if (user->returns == returns)
			user->hit(user, frame, function);
}

static bool wants_returns(const struct uprobe *probe)
{
	const struct uprobe_user *user;

	list_for_each(user, &probe->users, link)
		if (user->returns)
			return true;
	return false;
}

static void hit(struct uprobe *probe, struct frame *frame)
{
	uint64_t address = frame->rip, trampoline;
	int64_t slot;

	uprobe_get(probe);
	current_task()->enters_function = probe->insn.bytes[0] == PROBE_PUSH_RBP;
	uprobe_emit(probe, frame, address, false);
	current_task()->enters_function = false;
	slot = area_place(current_task()->mm, &probe->insn, address, &trampoline);
	if (trampoline && wants_returns(probe))
		returns_push(probe, frame, address, trampoline);
	if (slot > 0)
		frame->rip = (uint64_t)slot;
	else /* no memory: the instruction is done where it is */
		write_byte(current_task()->mm, address, probe->insn.bytes[0]);
	uprobe_put(probe);
}

/* True if the breakpoint was removed in the meantime: the original instruction is there. */
static bool was_removed(uint64_t address)
{
	uint8_t byte;

	return copy_from_user(&byte, address, 1) == 0 && byte != PROBE_INT3;
}

bool uprobe_breakpoint(struct frame *frame)
{
	uint64_t address = frame->rip - 1;
	const struct vma *vma = address < USER_END ? vma_find(current_task()->mm, address) : NULL;
	struct uprobe *probe;

	if (area_begins(vma, address)) {
		returns_hit(frame, address);
		return true;
	}
	probe = probe_at(vma, address);
	if (!probe && !was_removed(address))
		return false;
	frame->rip = address;
	if (probe)
		hit(probe, frame);
	return true;
}

void uprobe_mapped(struct vma *vma)
{
	struct uprobe *probe;

	if (!vma->file)
		return;
	list_for_each(probe, &probes, link) {
		install(probe, vma);
		semaphores_mapped(probe, vma);
	}
}

/* ---- users ---- */

static struct uprobe *probe_new(struct inode *inode, uint64_t offset, uint64_t semaphore)
{
	struct uprobe *probe = kalloc(sizeof(*probe));

	if (!probe)
		return NULL;
	inode_get(inode);
	probe->inode = inode;
	probe->offset = offset;
	probe->semaphore = semaphore;
	list_init(&probe->users);
	list_add_tail(&probes, &probe->link);
	uprobe_hooks_use();
	return probe;
}

/* The last user was removed. */
static void probe_end(struct uprobe *probe)
{
	everywhere(probe, uninstall);
	list_remove(&probe->link);
	uprobe_hooks_drop();
}

int uprobe_add(struct uprobe_user *user, struct inode *inode, uint64_t offset, uint64_t semaphore)
{
	struct uprobe *probe;
	int err;

	if (offset >= inode->size || semaphore % sizeof(uint16_t))
		return -EINVAL;
	probe = probe_find(inode, offset);
	if (probe && probe->semaphore != semaphore)
		return -EINVAL;
	if (!probe && !(probe = probe_new(inode, offset, semaphore)))
		return -ENOMEM;
	uprobe_get(probe);
	user->probe = probe;
	list_add_tail(&probe->users, &user->link);
	if (probe->users.next->next != &probe->users)
		return 0; /* not the first */
	err = everywhere(probe, install);
	if (err)
		uprobe_remove(user);
	return err;
}

void uprobe_remove(struct uprobe_user *user)
{
	struct uprobe *probe = user->probe;

	list_remove(&user->link);
	if (list_empty(&probe->users))
		probe_end(probe);
	uprobe_put(probe);
	user->probe = NULL;
}
