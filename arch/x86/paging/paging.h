/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of four levels: the kernel's map, and the user half of address spaces. Intel SDM
 * volume 3, "Paging". */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

#define DIRECT_MAP   0xffff888000000000ul /* all RAM */
#define STACK_REGION 0xffffc90000000000ul /* kernel stacks and their guard pages */
#define DEVICE_MAP   0xffffd00000000000ul /* device memory, uncached */
/* The image's virtual base: this plus its preferred physical address. */
#define KERNEL_BASE 0xffffffff80000000ul

/* Rights of a page; reading is always allowed except with PAGING_NONE. */
enum {
	PAGING_WRITE = 1 << 0,
	PAGING_EXEC = 1 << 1,
	PAGING_COW =
	    1 << 2, /* a mark of the owner's, kept in the entry; the page is mapped read-only */
	PAGING_NONE = 1 << 3, /* every access faults, but the page stays in the table (PROT_NONE) */
};

struct paging_entry {
	uint64_t phys; /* of the small page asked for, also within a large one */
	unsigned prot; /* PAGING_* */
	bool accessed, dirty;
	uint64_t bytes; /* of the page: a small one, or one of those below */
};

/*
 * Builds the kernel's final map from boot_info and switches to it: RAM, image (W^X), nothing else;
 * the low half is empty. Its tables follow the image in memory: boot_info.kernel_bytes grows by
 * them. Context: start, once.
 */
void paging_init(void);

/* Sets the source of tables after start: alloc returns a zeroed page of the direct map or NULL.
 * Context: start, once. */
void paging_set_allocator(void *(*alloc)(void), void (*put)(void *page));

/* Returns the physical address of the kernel's own root, used when no task's address space is
 * loaded. */
uint64_t paging_kernel_root(void);

/* Cache modes of memory that is not RAM. */
enum paging_cache { PAGING_CACHED, PAGING_COMBINING, PAGING_UNCACHED };

/* Maps `bytes` at `phys` (any alignment) read-write and permanently; NULL: no memory. Context:
 * task. */
void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache);

/* True if a part of [start, end) of physical memory is mapped as a device. Context: task; slow. */
bool paging_is_device(uint64_t start, uint64_t end);

/* Maps one page of the kernel half read-write; returns 0 or -ENOMEM. Context: task. */
int paging_map_kernel(uint64_t virt, uint64_t phys);
/* Unmaps it; returns its physical address. Other processors may access it until
 * paging_flush_kernel() of its range. */
uint64_t paging_unmap_kernel(uint64_t virt);
void paging_flush_kernel(uint64_t start, uint64_t end);
/* Returns the size of the page that maps an address of the kernel half, 0: none; *phys (may be
 * NULL): the physical address. Context: any, NMI included. */
uint64_t paging_kernel_page(uint64_t virt, uint64_t *phys);

/* Makes an address space with the kernel half shared and an empty user half; returns the physical
 * address of its root, or 0. Context: task. */
uint64_t paging_new(void);
/* Frees the tables (not the pages) of an address space that no processor uses. */
void paging_free(uint64_t root);
/* Makes the address space the current one, if it is not already. Context: any but NMI. */
void paging_load(uint64_t root);

/*
 * The user half. `virt` and `phys` are page-aligned, below USER_END. Changes to the current address
 * space take effect at once here; on other processors, which may run its other threads, with
 * paging_flush_others(). Context: task, the caller serialises.
 */

/* Flushes [start, end) from the TLBs of other processors. Required after removing a page or a
 * right, before the page is reused. Not required after adding a page or rights. */
void paging_flush_others(uint64_t root, uint64_t start, uint64_t end);

/* Maps the page in place of the previous one; returns 0 or -ENOMEM. */
int paging_map(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot);
/* Maps a page of a device, which has no descriptor: only paging_next(), paging_unmap() and
 * paging_clear() see it, not paging_query(). Returns 0 or -ENOMEM. */
int paging_map_foreign(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot,
		       enum paging_cache cache);
/* Removes the page; false if there was none. `old` may be NULL. */
bool paging_unmap(uint64_t root, uint64_t virt, struct paging_entry *old);
/* Changes the rights of a present page; false if there is none. */
bool paging_protect(uint64_t root, uint64_t virt, unsigned prot);
/* Changes the rights of the small pages in [start, end): to `writable` for pages that are writable
 * now, to `other` for the rest. */
void paging_protect_range(uint64_t root, uint64_t start, uint64_t end, unsigned writable,
			  unsigned other);
/* Looks the page up; false if there is none, and outside of the user half. Context: any, NMI
 * included. */
bool paging_query(uint64_t root, uint64_t virt, struct paging_entry *entry);
/* Returns the first mapped page at or above `virt` and below `end`, or `end`; skips absent
 * tables. */
uint64_t paging_next(uint64_t root, uint64_t virt, uint64_t end);

/*
 * Maps the pages of [start, end) in the address space `to` as well, with equal rights; calls
 * `shared` for each. `cow`: writable ones become PAGING_COW in both. Returns how many, or -ENOMEM
 * (partly done).
 */
int64_t paging_copy(uint64_t root, uint64_t to, uint64_t start, uint64_t end, bool cow,
		    void (*shared)(void *page));
/* Returns the end of a part of [start, end), from `start` on, that has at most 4096 pages, however
 * large the gaps between them. */
uint64_t paging_part(uint64_t root, uint64_t start, uint64_t end);
/* Removes the pages of [start, end); calls `gone` for each. Returns how many. */
uint64_t paging_clear(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page));

/* How many tables the address space has. Context: task. */
uint64_t paging_tables(uint64_t root);
/* Frees the tables for parts of [start, end) that [floor, ceiling) has whole: no page is entered in
 * the latter. A table may have room for more than [start, end). */
void paging_prune(uint64_t root, uint64_t start, uint64_t end, uint64_t floor, uint64_t ceiling);

/*
 * Large pages (large.c), of two sizes: addresses are multiples of the page's size. The rules for
 * flushing above apply. paging_query() and paging_next() support them; callers that map small pages
 * must not overlap them.
 */
#define PAGING_LARGE_BYTES (1ul << 21)
#define PAGING_GIANT_BYTES (1ul << 30)

/* True if the processor supports pages of PAGING_GIANT_BYTES. Context: any. */
bool paging_has_giant(void);

/* Maps a large page of `bytes` where no page is, or in place of one of its size; 0 or -ENOMEM. */
int paging_map_large(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot, uint64_t bytes);
/* Changes the rights of a large page; does nothing if there is none. */
void paging_protect_large(uint64_t root, uint64_t virt, unsigned prot);
/* Splits the page of PAGING_LARGE_BYTES at `virt` into 512 small ones with its rights; `table` is a
 * page for their table, with any contents. */
void paging_split_large(uint64_t root, uint64_t virt, uint64_t *table);
/* Returns the first large page at or above `virt` and below `end`, or `end`. */
uint64_t paging_next_large(uint64_t root, uint64_t virt, uint64_t end);
/* Removes the large pages of [start, end), on other processors as well; calls `gone` for each. */
void paging_clear_large(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page));

#endif
