/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/kcore: the kernel's memory as a core file, for CAP_SYS_RAWIO: proc(5), elf(5). One segment
 * for the image and one for each region of RAM in the direct map. An address's file offset, counted
 * from the end of the headers, is its offset in the direct map. Bytes outside of segments, or
 * unreadable ones, are zeros.
 */
#include <linux/capability.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include "abi/boot_info.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/membership/cred.h"

#define HEADER_BYTES PAGE_SIZE
#define SEGMENTS_MAX 48
#define NAME_BYTES   8 /* "CORE" with padding */

extern char image_start[], image_end[]; /* linker.ld */

/* elf_prstatus and elf_prpsinfo: present, but empty. */
#define STATUS_BYTES  336
#define PROCESS_BYTES 136
#define PROCESS_NAME  40 /* pr_fname */

struct note {
	Elf64_Nhdr header;
	char name[NAME_BYTES];
};

struct headers {
	Elf64_Ehdr elf;
	Elf64_Phdr notes;
	Elf64_Phdr segments[SEGMENTS_MAX];
	struct note status;
	char status_bytes[STATUS_BYTES];
	struct note process;
	char process_bytes[PROCESS_BYTES];
};

_Static_assert(sizeof(struct headers) <= HEADER_BYTES, "the headers fit");

static uint64_t file_bytes; /* constant after start */

static void add_segment(struct headers *headers, uint64_t address, uint64_t phys, uint64_t bytes,
			uint32_t flags)
{
	Elf64_Phdr *segment = &headers->segments[headers->elf.e_phnum - 1];

	if (headers->elf.e_phnum > SEGMENTS_MAX)
		return;
	headers->elf.e_phnum++;
	*segment = (Elf64_Phdr){
	    .p_type = PT_LOAD,
	    .p_flags = flags,
	    .p_offset = HEADER_BYTES + (address - DIRECT_MAP),
	    .p_vaddr = address,
	    .p_paddr = phys,
	    .p_filesz = bytes,
	    .p_memsz = bytes,
	    .p_align = PAGE_SIZE,
	};
}

static void fill_note(struct note *note, uint32_t type, uint32_t bytes)
{
	note->header.n_namesz = sizeof("CORE");
	note->header.n_descsz = bytes;
	note->header.n_type = type;
	memcpy(note->name, "CORE", sizeof("CORE"));
}

static void fill_notes(struct headers *headers)
{
	uint64_t start = offsetof(struct headers, status);

	headers->notes.p_type = PT_NOTE;
	headers->notes.p_offset = start;
	headers->notes.p_filesz = sizeof(*headers) - start;
	fill_note(&headers->status, NT_PRSTATUS, STATUS_BYTES);
	fill_note(&headers->process, NT_PRPSINFO, PROCESS_BYTES);
	memcpy(headers->process_bytes + PROCESS_NAME, "kernel", sizeof("kernel"));
}

static void fill(struct headers *headers)
{
	Elf64_Ehdr *elf = &headers->elf;
	uint64_t image = (uint64_t)image_end - (uint64_t)image_start;

	memcpy(elf->e_ident, ELFMAG, SELFMAG);
	elf->e_ident[EI_CLASS] = ELFCLASS64;
	elf->e_ident[EI_DATA] = ELFDATA2LSB;
	elf->e_ident[EI_VERSION] = EV_CURRENT;
	elf->e_type = ET_CORE;
	elf->e_machine = EM_X86_64;
	elf->e_version = EV_CURRENT;
	elf->e_phoff = offsetof(struct headers, notes);
	elf->e_ehsize = sizeof(*elf);
	elf->e_phentsize = sizeof(Elf64_Phdr);
	elf->e_phnum = 1;
	fill_notes(headers);
	add_segment(headers, (uint64_t)image_start, (uint64_t)image_start - KERNEL_BASE, image,
		    PF_R | PF_W | PF_X);
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE)
			add_segment(headers, DIRECT_MAP + region->base, region->base, region->bytes,
				    PF_R | PF_W | PF_X);
	}
}

/* True if the page is part of a segment: the kernel's devices and stacks are not. */
static bool is_reported(uint64_t address)
{
	if (address >= (uint64_t)image_start)
		return address < (uint64_t)image_end;
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && address >= DIRECT_MAP + region->base &&
		    address - DIRECT_MAP - region->base < region->bytes)
			return true;
	}
	return false;
}

/* Fills in a page of the file without side effects on the memory that is read. */
static void fill_page(char *page, uint64_t offset)
{
	uint64_t address = DIRECT_MAP + (offset - HEADER_BYTES);

	memset(page, 0, PAGE_SIZE);
	if (offset < HEADER_BYTES)
		fill((struct headers *)page);
	else if (is_reported(address))
		peek_kernel(page, address, PAGE_SIZE);
}

static long kcore_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	size_t done = 0;
	char *page;
	int err = 0;

	(void)file;
	if (*offset >= file_bytes)
		return 0;
	if (bytes > file_bytes - *offset)
		bytes = file_bytes - *offset;
	page = page_alloc_dirty();
	if (!page)
		return -ENOMEM;
	while (done < bytes && !err) {
		uint64_t start = (*offset + done) % PAGE_SIZE, room = PAGE_SIZE - start;
		size_t part = bytes - done < room ? bytes - done : room;

		fill_page(page, *offset + done - start);
		err = copy_to_user(buffer + done, page + start, part);
		if (!err)
			done += part;
	}
	page_put(page);
	*offset += done;
	return done ? (long)done : err;
}

static long kcore_seek(struct file *file, int64_t offset, int whence)
{
	int64_t from = whence == SEEK_CUR ? (int64_t)file->offset : 0;

	if (whence == SEEK_END)
		from = (int64_t)file_bytes;
	else if (whence != SEEK_SET && whence != SEEK_CUR)
		return -EINVAL;
	if (__builtin_add_overflow(from, offset, &from) || from < 0)
		return -EINVAL;
	file->offset = (uint64_t)from;
	return from;
}

static int kcore_open(struct inode *inode, struct file *file)
{
	(void)inode, (void)file;
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

static const struct file_ops kcore_ops = {
    .read = kcore_read,
    .in_pieces = true,
    .seek = kcore_seek,
};

static const struct inode_ops kcore_inode_ops = {.open = kcore_open};

struct inode *proc_kcore_inode(void)
{
	struct inode *inode = inode_new(S_IFREG | 0400);

	if (!inode)
		return NULL;
	file_bytes = HEADER_BYTES + ((uint64_t)image_end - DIRECT_MAP);
	inode->size = file_bytes;
	inode->ops = &kcore_inode_ops;
	inode->fops = &kcore_ops;
	return inode;
}
