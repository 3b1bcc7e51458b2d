/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: areas (vmas), their pages, faults. The public interface of vm.c, mm.c (mm_*),
 * vma.c (areas), fault.c, remap.c and oom.c, which form one module. */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/mem/space.h"

struct dirent;
struct file;
struct inode;
struct task;

/* Returns "[heap]", "[stack]", the file's path, or "//anon", as Linux names the area in MMAP
 * records. `buffer` may be used for it. Context of all: task, unless noted. */
const char *vma_name(const struct vma *vma, char *buffer, uint64_t size);
/* Device major, minor, inode number and generation of a mapped file; zeros for anonymous memory. */
void vma_inode(const struct vma *vma, uint32_t *major, uint32_t *minor, uint64_t *ino,
	       uint64_t *generation);

/* Maps a range of the current address space for ops owners: returns the address or a negative
 * errno. */
int64_t vm_map(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags, struct file *file,
	       uint64_t pgoff);
/* munmap(2): 0 or a negative errno. */
int vm_unmap(uint64_t addr, uint64_t length);

/* Address spaces, whose areas change only while their tasks are in the kernel. */

/* Returns an empty address space with one reference, or NULL. */
struct mm *mm_new(void);
void mm_get(struct mm *mm);
void mm_put(struct mm *mm);
/* Returns a copy for fork, private pages shared copy-on-write; NULL: no memory. */
struct mm *mm_copy(struct mm *mm);
/* Sets the program's file and name; the file can no longer be opened for writing (ETXTBSY). */
void mm_set_exe(struct mm *mm, struct inode *inode, struct dirent *name);
/* Makes it the current task's address space (consumes the reference); drops the old one. */
void mm_switch(struct mm *mm);

/* mprotect, mremap, brk, madvise(MADV_DONTNEED) for the current address space: values or negative
 * errno as the calls. */
int vm_protect(uint64_t addr, uint64_t length, uint32_t prot);
int64_t vm_remap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint32_t flags,
		 uint64_t new_addr);
uint64_t vm_brk(uint64_t addr);
/* `locked`: also locked pages, for which it otherwise fails with -EINVAL. */
int vm_discard(uint64_t addr, uint64_t length, bool locked);
/* Sets and clears VMA_* flags of a range: 0, -ENOMEM, -EINVAL. */
int vm_set_flags(uint64_t addr, uint64_t length, uint32_t set, uint32_t clear);
/* Sets fs/'s hook for truncation. Context: start, once. */
void vm_init(void);
/* Enters the pages of a range now; errors are ignored (MAP_POPULATE). */
void vm_populate(uint64_t addr, uint64_t length);

/* Returns the area that contains `addr`, or the next one above, or NULL. */
struct vma *vma_find(struct mm *mm, uint64_t addr);
/* True if it is the zero page, which reads of untouched memory map. Context: any. */
bool vm_is_zero_page(uint64_t phys);
/* True if [addr, addr+length) is mapped without a gap. */
bool vm_is_mapped(struct mm *mm, uint64_t addr, uint64_t length);
/* Adds an area to `mm` (for exec, before the mm is current): 0, -ENOMEM or -EEXIST. */
int vma_add(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot, uint32_t flags,
	    struct file *file, uint64_t pgoff);
/* Copies into an mm that need not be current (exec's stack, a child's thread id). Returns 0 or
 * -EFAULT. */
int mm_write(struct mm *mm, uint64_t addr, const void *from, uint64_t bytes);

/* Returns the direct-map address of `addr`, made writable; NULL: the mm may not write it, or memory
 * is short. Valid until its areas change. */
void *mm_writable(struct mm *mm, uint64_t addr);
/* Zeroes bytes of an mm that need not be current. Returns 0 or -EFAULT. */
int mm_clear(struct mm *mm, uint64_t addr, uint64_t bytes);

/* The result of a page fault. */
enum fault_result {
	FAULT_DONE,
	FAULT_MAPERR, /* SIGSEGV, nothing is mapped there */
	FAULT_ACCERR, /* SIGSEGV, the area forbids it */
	FAULT_BUS,    /* SIGBUS, the file has no such page */
	FAULT_NOMEM,
	FAULT_AGAIN, /* a piece of the work is done: call again, if need be after sched_pause() */
};
/* Resolves an access of the mm at `addr`; `access` is FAULT_* of arch/x86/trap/traps.h. */
enum fault_result vm_fault(struct mm *mm, uint64_t addr, unsigned access);
struct frame;
/* trap_hooks.page_fault: 0: retry the instruction, or ring 3 gets a signal; -EFAULT: the user copy
 * fails. */
int vm_page_fault(struct frame *frame, uint64_t address);
/* There is no page for ring 3: kills the largest process and waits for its end. Context: a fault of
 * ring 3. */
void vm_out_of_memory(void);

/* Returns PAGING_* for a page of the area; `own`: the page belongs to this area alone. Context:
 * any. */
unsigned vma_paging(const struct vma *vma, bool own);

#endif
