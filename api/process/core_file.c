/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core files: core(5), elf(5). A process that a signal ends leaves its registers and its own memory
 * in the file "core" of its directory, as far as RLIMIT_CORE permits. Memory that is equal to a
 * file's is left out, except the first page of a program.
 */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "api/file/paths.h"
#include "api/process/core_file.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/sched.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vma.h"

#define CORE_NAME "core"

/* The program headers: the notes, then one for each area. */
struct segments {
	uint32_t nr;
	Elf64_Phdr header[];
};

void core_put(struct core_file *core, const void *bytes, uint64_t count)
{
	while (count && !core->failed) {
		uint64_t start = core->at % PAGE_SIZE, piece = PAGE_SIZE - start;
		char *page = NULL;

		piece = piece < count ? piece : count;
		if (piece <= core->left && core->at + piece <= FILE_LARGEST)
			page = inode_page(core->inode, core->at / PAGE_SIZE);
		core->failed = !page;
		if (!page)
			break;
		memcpy(page + start, bytes, piece);
		page_put(page);
		bytes = (const char *)bytes + piece;
		core->at += piece;
		core->left -= piece;
		count -= piece;
	}
}

/* True if a page of the area was written: it is not the file's. */
static bool has_own_pages(const struct vma *vma)
{
	const struct inode *inode = vma->file->inode;
	uint64_t root = vma->mm->root_phys;
	struct paging_entry entry;

	for (uint64_t at = vma->start; (at = paging_next(root, at, vma->end)) < vma->end;
	     at += PAGE_SIZE) {
		uint64_t i = vma->pgoff + (at - vma->start) / PAGE_SIZE;

		if (paging_query(root, at, &entry) &&
		    (i >= inode->nr_pages || inode->pages[i] != phys_virt(entry.phys)))
			return true;
	}
	return false;
}

static bool has_pages(const struct vma *vma)
{
	return paging_next(vma->mm->root_phys, vma->start, vma->end) < vma->end;
}

/* Returns the bytes of the area that the core file has, as Linux by its default filter. */
static uint64_t dumped_bytes(const struct vma *vma)
{
	uint64_t bytes = vma->end - vma->start;
	bool shared = vma->flags & MAP_SHARED;

	if (vma->flags & (VMA_DONTDUMP | VMA_DEVICE | VMA_VVAR))
		return 0;
	if (vma->flags & VMA_VDSO)
		return bytes;
	if (vma->flags & VMA_ZEROS || !vma->file)
		return has_pages(vma) ? bytes : 0;
	if (!vma->file->inode || !S_ISREG(vma->file->inode->mode) || vma->ops)
		return 0;
	if (shared)
		return vma->file->inode->nlink ? 0 : bytes;
	if (has_own_pages(vma))
		return bytes;
	return !vma->pgoff && vma->prot & PROT_READ ? PAGE_SIZE : 0;
}

static struct segments *segments_new(const struct mm *mm)
{
	uint64_t bytes = (mm->nr_areas + 1) * sizeof(Elf64_Phdr);
	struct segments *segments = kalloc(sizeof(*segments) + bytes);
	const struct vma *vma;

	if (!segments)
		return NULL;
	segments->nr = 1;
	list_for_each(vma, &mm->vmas, link)
		segments->header[segments->nr++] = (Elf64_Phdr){
		    .p_type = PT_LOAD,
		    .p_flags = (vma->prot & PROT_READ ? PF_R : 0u) |
			       (vma->prot & PROT_WRITE ? PF_W : 0u) |
			       (vma->prot & PROT_EXEC ? PF_X : 0u),
		    .p_vaddr = vma->start,
		    .p_filesz = dumped_bytes(vma),
		    .p_memsz = vma->end - vma->start,
		    .p_align = PAGE_SIZE,
		};
	return segments;
}

static void put_header(struct core_file *core, const struct segments *segments)
{
	Elf64_Ehdr elf = {.e_type = ET_CORE,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(elf),
			  .e_ehsize = sizeof(elf),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = (Elf64_Half)segments->nr};

	memcpy(elf.e_ident, ELFMAG, SELFMAG);
	elf.e_ident[EI_CLASS] = ELFCLASS64;
	elf.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.e_ident[EI_VERSION] = EV_CURRENT;
	core_put(core, &elf, sizeof(elf));
}

/* Writes the notes, and in front of them the headers with each segment's place. */
static void put_front(struct core_file *core, struct segments *segments, const siginfo_t *info)
{
	uint64_t notes = sizeof(Elf64_Ehdr) + segments->nr * sizeof(Elf64_Phdr), end;

	core->at = notes;
	core_put_notes(core, info);
	end = core->at;
	segments->header[0] =
	    (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = notes, .p_filesz = end - notes};
	end = (end + PAGE_SIZE - 1) & -PAGE_SIZE;
	for (uint32_t i = 1; i < segments->nr; i++) {
		segments->header[i].p_offset = end;
		end += segments->header[i].p_filesz;
	}
	core->at = 0;
	put_header(core, segments);
	core_put(core, segments->header, segments->nr * sizeof(Elf64_Phdr));
	core->inode->size = end < FILE_LARGEST ? end : FILE_LARGEST;
}

/* Copies a page; one that nothing was ever in stays a hole. */
static void put_page(struct core_file *core, struct mm *mm, uint64_t address, void *buffer)
{
	struct paging_entry entry;

	if (paging_query(mm->root_phys, address, &entry) && vm_is_zero_page(entry.phys))
		return;
	if (foreign_copy(mm, address, buffer, PAGE_SIZE, FOREIGN_FORCE) == PAGE_SIZE)
		core_put(core, buffer, PAGE_SIZE);
}

/* Returns the first address from `at` on, below `end`, that may have contents: a page that is
 * mapped, or of a file. */
static uint64_t next_contents(struct mm *mm, uint64_t at, uint64_t end)
{
	const struct vma *vma = vma_find(mm, at);

	if (vma && vma->start <= at && vma->file && vma->file->inode &&
	    vma->pgoff + (at - vma->start) / PAGE_SIZE < vma->file->inode->nr_pages)
		return at;
	return paging_next(mm->root_phys, at, end);
}

/* Other tasks may run between pages. */
static void put_memory(struct core_file *core, const struct segments *segments, void *buffer)
{
	struct mm *mm = current_task()->mm;

	for (uint32_t i = 1; i < segments->nr; i++) {
		const Elf64_Phdr *header = &segments->header[i];
		uint64_t at = header->p_vaddr, end = at + header->p_filesz;

		while (!core->failed && (at = next_contents(mm, at, end)) < end) {
			core->at = header->p_offset + (at - header->p_vaddr);
			put_page(core, mm, at, buffer);
			sched_pause();
			at += PAGE_SIZE;
		}
	}
}

/* Writes the file of the current process, which ends. False if there was no memory to begin. */
static bool write_file(struct core_file *core, const siginfo_t *info)
{
	struct segments *segments = segments_new(current_task()->mm);
	char *buffer = page_alloc();
	bool begins = segments && buffer;

	if (begins) {
		put_front(core, segments, info);
		process_ends(info->si_signo);
		put_memory(core, segments, buffer);
	}
	kfree(segments);
	if (buffer)
		page_put(buffer);
	return begins;
}

/* An earlier file of the name is removed, not written: others may have it open. */
static bool dump(const siginfo_t *info)
{
	const struct task *task = current_task();
	struct core_file core = {.left = task->process->limits[RLIMIT_CORE][0]};
	bool done;

	if (task->process->exiting || task->mm->dumpable != DUMPABLE_USER || core.left < PAGE_SIZE)
		return false;
	file_remove(CORE_NAME);
	if (file_make(CORE_NAME, 0600, &core.inode))
		return false;
	done = write_file(&core, info);
	inode_put(core.inode);
	return done;
}

void core_init(void)
{
	signal_calls.dump = dump;
}
