/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: their areas (vmas) and their layout. kernel/vm/vm.h has the operations. */
#ifndef KERNEL_SPACE_H
#define KERNEL_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/base/tree.h"
#include "kernel/mem/nodes.h"

struct dirent;
struct file;
struct inode;

struct vma;
/*
 * Owners of special mappings. fault() returns the direct-map page for the page index `index` in the
 * file (vma->pgoff included) with a reference taken, or NULL (SIGBUS). A page is mapped writable
 * when the vma is.
 */
struct vma_ops {
	void *(*fault)(struct vma *vma, uint64_t index, bool write);
	void (*open)(struct vma *vma);  /* the vma was copied (fork, split) */
	void (*close)(struct vma *vma); /* the vma is going away, wholly or a piece after a split */
	void (*split)(struct vma *vma, struct vma *upper); /* after open(): `upper` was cut off */
	bool no_split;       /* partial munmap/mprotect fails with EINVAL */
	uint64_t split_mask; /* so it does at an address that has one of these bits */
	bool may_grow;       /* mremap may extend the area */
	const char *name;    /* of memory without a file; NULL: none */
};

struct vma {
	struct list link;      /* in mm->vmas, by address */
	struct tree_node node; /* in mm->areas, by address */
	uint64_t gap_most; /* the largest free range directly below an area of the node's part of
			      the tree */
	struct mm *mm;
	uint64_t start, end; /* page-aligned user addresses */
	uint32_t prot;       /* PROT_* */
	uint32_t flags;      /* MAP_SHARED or MAP_PRIVATE, VMA_* */
	uint64_t pgoff;      /* in pages */
	struct file *file;   /* NULL for anonymous memory */
	const struct vma_ops *ops;
	void *priv;                  /* the ops owner's object */
	struct memory_policy policy; /* mbind(2)'s; MPOL_DEFAULT: the task's */
};

/* Bits in addition to MAP_SHARED and MAP_PRIVATE. */
#define VMA_LOCKED   0x00002000u /* as MAP_LOCKED: kernel/vm/lock.h */
#define VMA_DONTCOPY 0x01000000u /* not inherited by fork, as Linux's VM_DONTCOPY */
#define VMA_DONTDUMP 0x00040000u /* not in core files: MADV_DONTDUMP */
#define VMA_GIANT    0x00080000u /* VMA_HUGE, of 1 GiB */
#define VMA_NO_THP   0x00100000u /* MADV_NOHUGEPAGE */
#define VMA_THP      0x00200000u /* MADV_HUGEPAGE: kernel/vm/thp.h */
#define VMA_DEVICE   0x00400000u /* of physical addresses: kernel/vm/device_area.h */
#define VMA_HUGE     0x00800000u /* of huge pages: kernel/vm/huge_area.h */
#define VMA_STACK    0x02000000u /* grows down */
#define VMA_HEAP     0x04000000u
#define VMA_WIPE     0x10000000u /* empty in a child: MADV_WIPEONFORK */
#define VMA_SEALED   0x08000000u /* never writable: the file is sealed */
#define VMA_VDSO     0x20000000u /* the code of kernel/vm/vdso.c */
#define VMA_VVAR     0x40000000u /* the vDSO's data, which no program may write */
#define VMA_ZEROS    0x80000000u /* anonymous memory, though it has a file: a private /dev/zero */

/* Bytes of an address space's areas, in all and by kind, as Linux counts them. */
struct area_bytes {
	uint64_t total, data, stack, code, locked, huge;
};

struct mm {
	uint64_t root_phys; /* CR3 */
	struct area_bytes bytes;
	struct list vmas;
	struct tree areas; /* the areas by address, in a tree */
	uint32_t nr_areas;
	struct vma *hint; /* the area found last, or NULL */
	uint32_t refs;
	struct mm *copy; /* that fork() is making, while other tasks run; else NULL */
	uint64_t cut;    /* the last cut of a file that looked at it (kernel/vm/vm.c) */
	uint64_t serial; /* no other has, or had, the same */
	uint64_t brk_start, brk;
	uint64_t stack_limit;                                /* bytes that the stack may grow to */
	uint64_t code_start, code_end, data_start, data_end; /* of the program: /proc/PID/stat */
	uint64_t stack_start, auxv_start, auxv_end;
	uint64_t arg_start, arg_end, env_start, env_end; /* on the stack: /proc/PID/cmdline */
	uint64_t rss, max_rss;                           /* pages entered */
	uint64_t large;          /* transparent huge pages (kernel/vm/thp.h) */
	uint32_t lock_new;       /* MCL_* of mlockall(2) for new areas, or 0 */
	uint32_t barriers;       /* registrations of membarrier(2) */
	uint64_t locked_pages;   /* pages charged to RLIMIT_MEMLOCK (perf rings) */
	uint32_t rdpmc_users;    /* events mapped in it that offer RDPMC */
	uint32_t dumpable;       /* DUMPABLE_*: who may look into it */
	struct inode *exe_inode; /* referenced: the program */
	struct dirent *exe_name; /* by which it was started, referenced */
};

#define VM_AREAS_MAX 65530 /* of one address space: max_map_count */

/* Layout of an address space. */
#define VM_LOWEST      0x10000ul        /* as mmap_min_addr */
#define VM_STACK_TOP   0x7ffffffff000ul /* end of the stack's area */
#define VM_MMAP_TOP    0x7ffff7fff000ul /* mmap searches down from here */
#define VM_INTERP_BASE 0x7ffff0000000ul /* where a program's interpreter goes */
#define VM_PIE_BASE    0x555555554000ul /* where position-independent programs go */

#endif
