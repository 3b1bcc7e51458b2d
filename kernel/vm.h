/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: areas (vmas), their pages, faults. */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/list.h"

struct file;
struct task;

struct vma;
/*
 * Owners of special mappings. fault() returns the direct-map page for the page index `index` in the file (vma->pgoff
 * included) with a reference taken, or NULL (SIGBUS). A page is mapped writable when the vma is.
 */
struct vma_ops {
	void *(*fault)(struct vma *vma, uint64_t index, bool write);
	void (*open)(struct vma *vma);  /* the vma was copied (fork, split) */
	void (*close)(struct vma *vma); /* the vma is going away, wholly or a piece after a split */
	bool no_split;                  /* partial munmap/mprotect fails with EINVAL */
};

struct vma {
	struct list link;     /* in mm->vmas, by address */
	struct mm *mm;
	uint64_t start, end;  /* page-aligned user addresses */
	uint32_t prot;        /* PROT_* */
	uint32_t flags;       /* MAP_SHARED or MAP_PRIVATE, VMA_* */
	uint64_t pgoff;       /* in pages */
	struct file *file;    /* NULL for anonymous memory */
	const struct vma_ops *ops;
	void *priv;           /* the ops owner's object */
};

#define VMA_DONTCOPY 0x01000000u /* not inherited by fork, as Linux's VM_DONTCOPY */
#define VMA_STACK    0x02000000u /* grows down */
#define VMA_HEAP     0x04000000u

struct mm {
	uint64_t root_phys;   /* CR3 */
	struct list vmas;
	uint32_t refs;
	uint64_t brk_start, brk;
	uint64_t locked_pages; /* pages charged to RLIMIT_MEMLOCK (perf rings) */
	char exe[256];         /* path of the program */
};

/* "[heap]", "[stack]", the file's path, or "//anon", as Linux names it in MMAP records. `buffer` is used when needed. */
const char *vma_name(const struct vma *vma, char *buffer, uint64_t size);
/* Device major, minor, inode number and generation of a mapped file; zeros for anonymous memory. */
void vma_inode(const struct vma *vma, uint32_t *major, uint32_t *minor, uint64_t *ino, uint64_t *generation);

/* Maps a range for ops owners: returns the address or a negative errno. Context: task (current's mm). */
int64_t vm_map(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags, struct file *file, uint64_t pgoff);
int vm_unmap(uint64_t addr, uint64_t length);

#endif
