/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/mem, like mem(4) and Linux with CONFIG_STRICT_DEVMEM and CONFIG_IO_STRICT_DEVMEM. Reads and
 * writes: in the first MiB firmware's pages as they are and RAM as zeros, above it memory that
 * firmware has reserved. Mappings: all of the first MiB, and above it everything except RAM and
 * devices or tables that the kernel itself uses.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "abi/boot_info.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/device/cpu_devices.h"
#include "kernel/device/mem.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/vm/device_area.h"

#define LOW_BYTES 0x100000ul

static uint64_t window; /* a page of the kernel's map, empty; constant after start */

/* True if a region of this kind contains part of the page; `whole`: all of it. */
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

/* Returns the end of RAM: the limit of a read. */
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

/* Copies a part of one page through the window. Does not sleep, so the window stays valid. */
static void copy_part(void *part, uint64_t phys, size_t bytes, bool write)
{
	char *there = (char *)window + phys % PAGE_SIZE;

	if (paging_map_kernel(window, phys & -PAGE_SIZE))
		panic("the table of /dev/mem's window is gone");
	memcpy(write ? there : part, write ? part : there, bytes);
	paging_unmap_kernel(window);
	paging_flush_kernel(window, window + PAGE_SIZE);
}

/* Reads or writes a part of one page, as far as permitted: 0 or -EPERM. */
static int move_part(void *part, uint64_t phys, size_t bytes, bool write)
{
	uint64_t page = phys & -PAGE_SIZE;
	bool low = phys < LOW_BYTES;

	if (lies_in(page, BOOT_MEM_USABLE, false)) {
		if (!write)
			memset(part, 0, bytes);
		return low ? 0 : -EPERM;
	}
	if (!low && !lies_in(page, BOOT_MEM_RESERVED, true))
		return -EPERM;
	copy_part(part, phys, bytes, write);
	return 0;
}

/* One part, by the page `page`: 0, -EPERM or -EFAULT. */
static int move_through(char *page, uint64_t user, uint64_t phys, size_t bytes, bool write)
{
	int err = write ? copy_from_user(page, user, bytes) : 0;

	if (!err)
		err = move_part(page, phys, bytes, write);
	if (!err && !write)
		err = copy_to_user(user, page, bytes);
	return err;
}

/* A range fails at the first page that may not be accessed, as on Linux. */
static long move(uint64_t buffer, size_t bytes, uint64_t *offset, bool write)
{
	uint64_t end = memory_end(), at = *offset;
	size_t moved = 0;
	char *page;
	int err = 0;

	if (at > end || bytes > end - at)
		return -EFAULT;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	while (!err && moved < bytes) {
		size_t room = PAGE_SIZE - (at + moved) % PAGE_SIZE;
		size_t part = bytes - moved < room ? bytes - moved : room;

		err = move_through(page, buffer + moved, at + moved, part, write);
		moved += part;
	}
	page_put(page);
	if (err)
		return err;
	*offset = at + moved;
	return (long)moved;
}

static long mem_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file;
	return move(buffer, bytes, offset, false);
}

static long mem_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	(void)file;
	return move(buffer, bytes, offset, true);
}

/* True if part of [start, end) is memory of this kind. */
static bool has_kind(uint64_t start, uint64_t end, enum boot_memory kind)
{
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == kind && region->base < end &&
		    region->base + region->bytes > start)
			return true;
	}
	return false;
}

/* True if the range may be mapped: everything in the first MiB, which the kernel does not use;
 * above it nothing that is RAM, ACPI's, the visor's or a device of the kernel. */
static bool may_map(uint64_t start, uint64_t end)
{
	if (start < LOW_BYTES)
		start = LOW_BYTES;
	return start >= end ||
	       !(has_kind(start, end, BOOT_MEM_USABLE) || has_kind(start, end, BOOT_MEM_ACPI) ||
		 has_kind(start, end, BOOT_MEM_UNUSABLE) || paging_is_device(start, end));
}

/* O_SYNC requests uncached access; addresses above RAM are uncached in any case. */
static int mem_mmap(struct file *file, struct vma *vma)
{
	uint64_t bytes = vma->end - vma->start, start = vma->pgoff * PAGE_SIZE;
	uint64_t most = 1ul << cpuid_read(CPUID_PHYS_BITS);
	bool uncached = file->flags & O_DSYNC || start >= memory_end();

	if (vma->pgoff >= most / PAGE_SIZE || bytes > most - start)
		return -EINVAL;
	if (!may_map(start, start + bytes))
		return -EPERM;
	return device_open(vma, uncached ? PAGING_UNCACHED : PAGING_CACHED);
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

const struct file_ops mem_ops = {
    .read = mem_read, .write = mem_write, .in_pieces = true, .seek = device_seek, .mmap = mem_mmap};
const struct inode_ops mem_inode_ops = {.open = open_mem};
