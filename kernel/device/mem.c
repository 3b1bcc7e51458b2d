/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/mem, read as mem(4) and Linux with CONFIG_STRICT_DEVMEM have it: of the first MiB the
 * firmware's pages as they are and RAM as zeros; above it what firmware has reserved, no RAM and
 * no device.
 */
#include "kernel/device/mem.h"
#include <linux/capability.h>
#include <linux/errno.h>
#include "abi/boot_info.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/device/cpu_devices.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/cred.h"

#define LOW_BYTES 0x100000ul

static uint64_t window; /* a page of the kernel's map, empty; constant after start */

/* Whether a region of this kind has a part of the page; `whole`: all of it. */
static bool lies_in(uint64_t page, enum boot_memory kind, bool whole)
{
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t start = region->base, end = start + region->bytes;

		if (region->kind != kind || end <= page || start >= page + PAGE_SIZE)
			continue;
		if (!whole || (start <= page && end >= page + PAGE_SIZE))
			return true;
	}
	return false;
}

/* The end of RAM: what a read may name at all. */
static uint64_t memory_end(void)
{
	uint64_t end = LOW_BYTES;

	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && region->base + region->bytes > end)
			end = region->base + region->bytes;
	}
	return end & -PAGE_SIZE;
}

/* Copies a part of one page, through the window. Nothing sleeps meanwhile. */
static void copy_part(void *to, uint64_t phys, size_t bytes)
{
	if (paging_map_kernel(window, phys & -PAGE_SIZE))
		panic("the table of /dev/mem's window is gone");
	memcpy(to, (const char *)window + phys % PAGE_SIZE, bytes);
	paging_unmap_kernel(window);
	paging_flush_kernel(window, window + PAGE_SIZE);
}

/* What a reader may see of a part of one page: 0 or -EPERM. */
static int show(void *to, uint64_t phys, size_t bytes)
{
	uint64_t page = phys & -PAGE_SIZE;
	bool low = phys < LOW_BYTES;

	if (lies_in(page, BOOT_MEM_USABLE, false)) {
		memset(to, 0, bytes);
		return low ? 0 : -EPERM;
	}
	if (!low && !lies_in(page, BOOT_MEM_RESERVED, true))
		return -EPERM;
	copy_part(to, phys, bytes);
	return 0;
}

/* A range with a page that may not be seen is refused whole, as on Linux. */
static long mem_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	uint64_t end = memory_end(), at = *offset;
	size_t moved = 0;
	char *page;
	int err = 0;

	(void)file;
	if (at > end || bytes > end - at)
		return -EFAULT;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	while (!err && moved < bytes) {
		size_t room = PAGE_SIZE - (at + moved) % PAGE_SIZE;
		size_t part = bytes - moved < room ? bytes - moved : room;

		err = show(page, at + moved, part);
		if (!err)
			err = copy_to_user(buffer + moved, page, part);
		moved += part;
	}
	page_put(page);
	if (err)
		return err;
	*offset = at + moved;
	return (long)moved;
}

static int open_mem(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

void mem_device_init(void)
{
	window = (uint64_t)paging_map_device(0, PAGE_SIZE, PAGING_CACHED);
	if (!window)
		panic("no memory for /dev/mem: give the machine more");
	paging_unmap_kernel(window);
}

const struct file_ops mem_ops = {.read = mem_read, .in_pieces = true, .seek = device_seek};
const struct inode_ops mem_inode_ops = {.open = open_mem};
