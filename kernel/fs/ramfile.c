/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of regular files: bytes of the archive, replaced page by page when they are mapped or
 * written. */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"

void (*inode_cut_hook)(const struct inode *inode, uint64_t first);

#define PAGES_LARGEST (FILE_LARGEST / PAGE_SIZE)

static const char zeros[PAGE_SIZE]; /* contents of holes */
static uint64_t pages_in_use;       /* of all files: at most half of the memory, as tmpfs */

static void *page_at(const struct inode *inode, uint64_t index)
{
	return index < inode->nr_pages ? inode->pages[index] : NULL;
}

/* Bytes of page `index` that the archive holds. */
static size_t archive_part(const struct inode *inode, uint64_t index)
{
	uint64_t start = index * PAGE_SIZE;

	if (start >= inode->archive_bytes)
		return 0;
	return inode->archive_bytes - start < PAGE_SIZE ? inode->archive_bytes - start : PAGE_SIZE;
}

/* Returns the pages of a table of n entries. They count as pages of files, because of sparse files.
 */
static uint64_t table_pages(uint64_t n)
{
	return n * sizeof(void *) / PAGE_SIZE;
}

/* Makes pages[] hold at least `count` entries. Returns 0, -EFBIG or -ENOMEM. */
static int pages_grow(struct inode *inode, uint64_t count)
{
	uint64_t size = inode->nr_pages ? inode->nr_pages : 4;
	uint64_t more;
	void **pages;

	if (count <= inode->nr_pages)
		return 0;
	if (count > PAGES_LARGEST)
		return -EFBIG;
	while (size < count)
		size *= 2;
	more = table_pages(size) - table_pages(inode->nr_pages);
	if (pages_in_use + more > memory_total_pages() / 2 && !archive_part(inode, count - 1))
		return -ENOMEM;
	pages = kalloc(size * sizeof(*pages));
	if (!pages)
		return -ENOMEM;
	if (inode->pages)
		memcpy(pages, inode->pages, inode->nr_pages * sizeof(*pages));
	kfree(inode->pages);
	inode->pages = pages;
	inode->nr_pages = size;
	pages_in_use += more;
	return 0;
}

uint64_t inode_pages_in_use(void)
{
	return pages_in_use;
}

void inode_page_copy(struct inode *inode, uint64_t index, void *to)
{
	void *page = page_at(inode, index);
	size_t part;

	if (page) {
		page_copy(to, page);
		return;
	}
	part = archive_part(inode, index);
	if (part)
		memcpy(to, inode->archive + index * PAGE_SIZE, part);
	if (part < PAGE_SIZE)
		memset((char *)to + part, 0, PAGE_SIZE - part);
}

/* Returns a new page at that index, which the caller must fill, or NULL. */
static void *add_page(struct inode *inode, uint64_t index)
{
	void *page;

	/* Copies of the archive are not limited: programs must be able to run. */
	if (pages_in_use >= memory_total_pages() / 2 && !archive_part(inode, index))
		return NULL;
	if (pages_grow(inode, index + 1))
		return NULL;
	page = page_alloc_dirty();
	if (page)
		pages_in_use++;
	return page;
}

void *inode_page_dirty(struct inode *inode, uint64_t index)
{
	void *page = page_at(inode, index);

	if (!page) {
		page = add_page(inode, index);
		if (page)
			inode->pages[index] = page;
	}
	return page;
}

void *inode_page(struct inode *inode, uint64_t index)
{
	void *page = page_at(inode, index);

	if (!page) {
		page = add_page(inode, index);
		if (!page)
			return NULL;
		inode_page_copy(inode, index, page);
		inode->pages[index] = page;
	}
	page_get(page);
	return page;
}

/* Frees the pages from `first` on. */
static void drop_pages(struct inode *inode, uint64_t first)
{
	for (uint64_t i = first; i < inode->nr_pages; i++) {
		if (!inode->pages[i])
			continue;
		page_put(inode->pages[i]);
		inode->pages[i] = NULL;
		pages_in_use--;
	}
}

/* The table as well. */
static void drop_all(struct inode *inode)
{
	drop_pages(inode, 0);
	kfree(inode->pages);
	pages_in_use -= table_pages(inode->nr_pages);
	inode->pages = NULL;
	inode->nr_pages = 0;
}

void inode_free_data(struct inode *inode)
{
	kfree(inode->fetched);
	drop_all(inode);
}

int inode_resize(struct inode *inode, uint64_t size)
{
	uint64_t keep = size / PAGE_SIZE + (size % PAGE_SIZE != 0);

	if (keep > PAGES_LARGEST)
		return -EFBIG;
	if (inode_fetch(inode))
		return -ENOMEM;
	if (size % PAGE_SIZE && page_at(inode, size / PAGE_SIZE))
		memset((char *)page_at(inode, size / PAGE_SIZE) + size % PAGE_SIZE, 0,
		       PAGE_SIZE - size % PAGE_SIZE);
	if (size < inode->archive_bytes)
		inode->archive_bytes = size;
	if (keep)
		drop_pages(inode, keep);
	else
		drop_all(inode);
	inode->size = size;
	return 0;
}

int inode_zero(struct inode *inode, uint64_t index, uint64_t start, uint64_t bytes)
{
	char *page = page_at(inode, index);

	if (!page && !archive_part(inode, index))
		return 0;
	if (page && bytes == PAGE_SIZE && page_refs(page) == 1 && !archive_part(inode, index)) {
		page_put(page);
		inode->pages[index] = NULL;
		pages_in_use--;
		return 0;
	}
	page = inode_page(inode, index);
	if (!page)
		return -ENOMEM;
	memset(page + start, 0, bytes);
	page_put(page);
	return 0;
}

size_t inode_view(struct inode *inode, uint64_t offset, size_t bytes, const void **piece)
{
	uint64_t start = offset % PAGE_SIZE;
	const char *page = page_at(inode, offset / PAGE_SIZE);
	size_t part = archive_part(inode, offset / PAGE_SIZE);
	size_t there = PAGE_SIZE - start;

	if (page) {
		*piece = page + start;
	} else if (part > start) {
		*piece = inode->archive + offset;
		there = part - start;
	} else {
		*piece = zeros + start;
	}
	return there < bytes ? there : bytes;
}

size_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t bytes)
{
	const void *piece;
	size_t length;

	if (offset >= inode->size)
		return 0;
	if (bytes > inode->size - offset)
		bytes = inode->size - offset;
	for (size_t done = 0; done < bytes; done += length) {
		length = inode_view(inode, offset + done, bytes - done, &piece);
		memcpy((char *)to + done, piece, length);
	}
	return bytes;
}
