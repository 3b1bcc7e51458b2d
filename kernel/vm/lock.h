/* SPDX-License-Identifier: BSD-2-Clause */
/* Locked memory: mlock(2), mlockall(2). There is no paging: a locked area is one whose pages are
 * entered at once, counted against RLIMIT_MEMLOCK, and not discarded. Context of all: task. */
#ifndef KERNEL_VM_LOCK_H
#define KERNEL_VM_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mm;
struct vma;

/* Locks or unlocks a range: 0, -EPERM (RLIMIT_MEMLOCK is 0), -ENOMEM (a hole, or beyond the limit).
 * `on_fault`: pages are not entered now. */
int vm_lock(uint64_t addr, uint64_t length, bool on_fault);
int vm_unlock(uint64_t addr, uint64_t length);
/* mlockall(2) by its flags, which are known: 0, -EPERM or -ENOMEM. */
int vm_lock_all(uint64_t flags);
void vm_unlock_all(void);

/* Sets VMA_LOCKED in the flags of a new mapping of `bytes` bytes if MAP_LOCKED is set or mlockall()
 * asked for it. Returns 0, or -EPERM or -EAGAIN: not as much may be locked. */
int vm_lock_new(uint32_t *flags, uint64_t bytes);
/* Clears VMA_LOCKED of a new area that has no pages to lock. */
void vm_lock_check(struct vma *vma);
/* True if `bytes` more bytes of the current address space may be locked. */
bool vm_lock_allowed(uint64_t bytes);
/* Enters the pages of a new part of a locked area, unless they wait for faults. */
void vm_lock_enter(uint64_t addr, uint64_t length);
/* True if [addr, end) has locked pages. */
bool vm_has_locked(struct mm *mm, uint64_t addr, uint64_t end);

#endif
