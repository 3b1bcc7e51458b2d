/* SPDX-License-Identifier: BSD-2-Clause */
/* Contents of regular files: pages in memory, or the archive's bytes. Context of all: task. */
#ifndef KERNEL_RAMFILE_H
#define KERNEL_RAMFILE_H

#include <stddef.h>
#include <stdint.h>

struct inode;

/*
 * Data of regular files. inode_page() returns page `index` with a reference, copied from the
 * archive if necessary; NULL: no memory. inode_page_copy() copies the page's contents to `to` (a
 * whole page). inode_page_dirty() returns it without a reference, and a new page uninitialised: the
 * caller must fill it before any other task runs. inode_resize() returns 0, -EFBIG or -ENOMEM.
 */
#define FILE_LARGEST (1ul << 31) /* bytes: the table of pages is one kalloc() object */
void *inode_page(struct inode *inode, uint64_t index);
void *inode_page_dirty(struct inode *inode, uint64_t index);
void inode_page_copy(struct inode *inode, uint64_t index, void *to);
int inode_resize(struct inode *inode, uint64_t size);
/* Zeroes bytes within page `index`; a page that was never written stays a hole, and one that is
 * zeroed whole and that no area shows becomes one. Returns 0 or -ENOMEM. */
int inode_zero(struct inode *inode, uint64_t index, uint64_t start, uint64_t bytes);
/* Called before a file is cut: no address space shows its pages from `first` on any more. vm/ fills
 * it. */
extern void (*inode_cut_hook)(const struct inode *inode, uint64_t first);
/* Returns the number of pages that files hold. Context: any. */
uint64_t inode_pages_in_use(void);
/* Frees the data of an inode that is about to be freed. */
void inode_free_data(struct inode *inode);
/* Returns the number of contiguous bytes at `offset` (at least 1, at most `bytes`) and their
 * address in *piece. The range must be within the file. */
size_t inode_view(struct inode *inode, uint64_t offset, size_t bytes, const void **piece);
/* Reads for the kernel itself; returns the bytes read (fewer at the end of the file). */
size_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t bytes);

#endif
