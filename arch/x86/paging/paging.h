/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of four levels: the kernel's own map, and the user half of address spaces. Intel SDM
 * volume 3, "Paging". */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

#define DIRECT_MAP   0xffff888000000000ul /* all RAM */
#define STACK_REGION 0xffffc90000000000ul /* kernel stacks and their guard pages */
#define DEVICE_MAP   0xffffd00000000000ul /* device memory, uncached */
/* The image, at this plus its preferred physical address. */
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

/* Where tables come from after start: alloc returns a zeroed page of the direct map or NULL.
 * Context: start, once. */
void paging_set_allocator(void *(*alloc)(void), void (*put)(void *page));

/* Physical address of the kernel's own root: what runs when no task's address space is loaded. */
uint64_t paging_kernel_root(void);

/* How memory that is not RAM is cached. */
enum paging_cache { PAGING_CACHED, PAGING_COMBINING, PAGING_UNCACHED };

/* Maps `bytes` at `phys` (any alignment) read-write and permanently; NULL: no memory. Context:
 * task. */
void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache);

/* Whether a part of [start, end) of physical memory is mapped so. Context: task; slow. */
bool paging_is_device(uint64_t start, uint64_t end);

/* Maps one page of the kernel half read-write; returns 0 or -ENOMEM. Context: task. */
int paging_map_kernel(uint64_t virt, uint64_t phys);
/* Unmaps it; returns its physical address. Other processors may reach it until
 * paging_flush_kernel() of a range that holds it. */
uint64_t paging_unmap_kernel(uint64_t virt);
void paging_flush_kernel(uint64_t start, uint64_t end);
/* Bytes of the page that maps an address of the kernel half, 0: nothing does; *phys (may be NULL):
 * where the address leads. Context: any, NMI included. */
uint64_t paging_kernel_page(uint64_t virt, uint64_t *phys);

/* A new address space with the kernel half shared and an empty user half; physical address of its
 * root, or 0. Context: task. */
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
/* Enters a page of a device, which has no descriptor: only paging_next(), paging_unmap() and
 * paging_clear() see it, paging_query() does not. Returns 0 or -ENOMEM. */
int paging_map_foreign(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot,
		       enum paging_cache cache);
/* Removes the page; false when there was none. `old` may be NULL. */
bool paging_unmap(uint64_t root, uint64_t virt, struct paging_entry *old);
/* Changes what a present page allows; false when there is none. */
bool paging_protect(uint64_t root, uint64_t virt, unsigned prot);
/* Looks the page up; false when there is none, and outside of the user half. Context: any, NMI
 * included. */
bool paging_query(uint64_t root, uint64_t virt, struct paging_entry *entry);
/* The first entered page at or above `virt` and below `end`, or `end`; absent tables are skipped at
 * once. */
uint64_t paging_next(uint64_t root, uint64_t virt, uint64_t end);

/*
 * Enters the pages of [start, end) in the address space `to` as well, with the same rights;
 * `shared` is called for each. `cow`: writable ones become PAGING_COW in both. Returns how many, or
 * -ENOMEM (what was done stays).
 */
int64_t paging_copy(uint64_t root, uint64_t to, uint64_t start, uint64_t end, bool cow,
		    void (*shared)(void *page));
/* Returns the end of a part of [start, end), from `start` on, that has at most 4096 pages, however
 * large the gaps between them. */
uint64_t paging_part(uint64_t root, uint64_t start, uint64_t end);
/* Removes the pages of [start, end); `gone` is called for each. Returns how many. */
uint64_t paging_clear(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page));

/*
 * Large pages (large.c), of two sizes: addresses are multiples of the page's size. The rules for
 * flushing above apply. paging_query() and paging_next() support them; callers that map small pages
 * must not overlap them.
 */
#define PAGING_LARGE_BYTES (1ul << 21)
#define PAGING_GIANT_BYTES (1ul << 30)

/* The processor has pages of PAGING_GIANT_BYTES. Context: any. */
bool paging_has_giant(void);

/* Enters a large page of `bytes` where no page is, or in place of one of its size; 0 or -ENOMEM. */
int paging_map_large(uint64_t root, uint64_t virt, uint64_t phys, unsigned prot, uint64_t bytes);
/* Changes what a large page allows; nothing when there is none. */
void paging_protect_large(uint64_t root, uint64_t virt, unsigned prot);
/* Makes 512 small pages of the one of PAGING_LARGE_BYTES at `virt`, with its rights; `table` is a
 * page for their table, its contents anything. */
void paging_split_large(uint64_t root, uint64_t virt, uint64_t *table);
/* The first large page at or above `virt` and below `end`, or `end`. */
uint64_t paging_next_large(uint64_t root, uint64_t virt, uint64_t end);
/* Removes the large pages of [start, end), on other processors as well; calls `gone` for each. */
void paging_clear_large(uint64_t root, uint64_t start, uint64_t end, void (*gone)(void *page));

#endif
