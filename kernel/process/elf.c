/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads ELF files: System V gABI chapter 5 and the x86-64 psABI. Pages are mapped, and read on
 * first access. */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/inotify.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/process/elf.h"
#include "kernel/process/exec.h"
#include "kernel/vm/vm.h"

#define HEADERS_MAX 256

/* A file that is being loaded. */
struct image {
	struct inode *inode;
	struct file *file;
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdrs;
	uint64_t bias; /* added to the file's addresses */
	uint64_t end;  /* first address past everything */
};

static uint64_t page_down(uint64_t addr)
{
	return addr & -PAGE_SIZE;
}

static uint64_t page_up(uint64_t addr)
{
	return (addr + PAGE_SIZE - 1) & -PAGE_SIZE;
}

/* Returns an error of the header, or NULL. */
static const char *header_fault(const Elf64_Ehdr *ehdr, size_t bytes)
{
	if (bytes < SELFMAG || memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (bytes < sizeof(*ehdr))
		return "truncated ELF file";
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr->e_machine != EM_X86_64)
		return "for another machine (this one runs 64-bit x86 programs)";
	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return "not a program (an object file or a core dump)";
	if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || !ehdr->e_phnum ||
	    ehdr->e_phnum > HEADERS_MAX)
		return "malformed program headers";
	return NULL;
}

/* Returns an error of the segments, or NULL. */
static const char *segments_fault(const struct image *image)
{
	unsigned loads = 0;

	for (unsigned i = 0; i < image->ehdr.e_phnum; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD)
			continue;
		loads++;
		if (phdr->p_filesz > phdr->p_memsz || phdr->p_memsz > USER_END ||
		    phdr->p_vaddr > USER_END - phdr->p_memsz ||
		    phdr->p_vaddr % PAGE_SIZE != phdr->p_offset % PAGE_SIZE)
			return "malformed segment";
		if (phdr->p_filesz > image->inode->size ||
		    phdr->p_offset > image->inode->size - phdr->p_filesz)
			return "truncated ELF file";
	}
	return loads ? NULL : "no segment to load";
}

/* Reads and checks the headers. Returns 0 or a negative errno with *why set. */
static int image_open(struct image *image, struct inode *inode, struct dirent *name,
		      const char **why)
{
	int err = inode_fetch(inode); /* an interpreter of the host's */
	size_t bytes, table;

	if (err)
		return err;
	bytes = inode_read(inode, 0, &image->ehdr, sizeof(image->ehdr));
	table = sizeof(Elf64_Phdr) * image->ehdr.e_phnum;
	image->inode = inode;
	*why = header_fault(&image->ehdr, bytes);
	if (*why)
		return -ENOEXEC;
	image->phdrs = kalloc(table);
	if (!image->phdrs)
		return -ENOMEM;
	if (inode_read(inode, image->ehdr.e_phoff, image->phdrs, table) != table)
		*why = "truncated ELF file";
	else
		*why = segments_fault(image);
	if (*why)
		return -ENOEXEC;
	err = inode_open(inode, name, 0, &image->file);
	if (!err)
		file_notify(image->file, IN_ACCESS);
	return err;
}

static void image_close(struct image *image)
{
	if (image->file)
		file_put(image->file);
	kfree(image->phdrs);
}

static uint32_t segment_prot(const Elf64_Phdr *phdr)
{
	return (phdr->p_flags & PF_R ? PROT_READ : 0) | (phdr->p_flags & PF_W ? PROT_WRITE : 0) |
	       (phdr->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Maps one segment: pages of the file, then zeros. */
static int map_segment(struct image *image, struct mm *mm, const Elf64_Phdr *phdr)
{
	uint64_t start = image->bias + phdr->p_vaddr, file_end = start + phdr->p_filesz;
	uint64_t end = start + phdr->p_memsz, file_pages_end = page_up(file_end);
	uint32_t prot = segment_prot(phdr);
	int err = 0;

	if (phdr->p_filesz)
		err = vma_add(mm, page_down(start), file_pages_end, prot, MAP_PRIVATE, image->file,
			      page_down(phdr->p_offset) / PAGE_SIZE);
	else
		file_pages_end = page_down(start);
	if (!err && page_up(end) > file_pages_end)
		err = vma_add(mm, file_pages_end, page_up(end), prot, MAP_PRIVATE, NULL, 0);
	if (!err && phdr->p_filesz && end > file_end && file_end % PAGE_SIZE && prot & PROT_WRITE)
		err = mm_clear(mm, file_end, file_pages_end - file_end);
	if (end > image->end)
		image->end = end;
	return err == -EEXIST ? -ENOEXEC : err;
}

/* Maps all segments; a position-independent file goes to `place`. */
static int image_map(struct image *image, struct mm *mm, uint64_t place)
{
	uint64_t lowest = UINT64_MAX;
	int err = 0;

	for (unsigned i = 0; i < image->ehdr.e_phnum; i++)
		if (image->phdrs[i].p_type == PT_LOAD && image->phdrs[i].p_vaddr < lowest)
			lowest = image->phdrs[i].p_vaddr;
	image->bias = image->ehdr.e_type == ET_DYN ? place - page_down(lowest) : 0;
	if (image->bias + lowest < VM_LOWEST)
		return -EPERM;
	for (unsigned i = 0; i < image->ehdr.e_phnum && !err; i++)
		if (image->phdrs[i].p_type == PT_LOAD)
			err = map_segment(image, mm, &image->phdrs[i]);
	return err;
}

static const Elf64_Phdr *find_header(const struct image *image, uint32_t type)
{
	for (unsigned i = 0; i < image->ehdr.e_phnum; i++)
		if (image->phdrs[i].p_type == type)
			return &image->phdrs[i];
	return NULL;
}

/* Returns the address of the program headers in memory: inside the segment that contains them. */
static uint64_t headers_address(const struct image *image)
{
	uint64_t offset = image->ehdr.e_phoff;

	for (unsigned i = 0; i < image->ehdr.e_phnum; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type == PT_LOAD && offset >= phdr->p_offset &&
		    offset < phdr->p_offset + phdr->p_filesz)
			return image->bias + phdr->p_vaddr + (offset - phdr->p_offset);
	}
	return 0;
}

/* Loads the program's interpreter. */
static int load_interpreter(struct inode *program_inode, const Elf64_Phdr *phdr,
			    struct program *program)
{
	char path[256];
	struct image image = {0};
	struct dirent *name;
	struct inode *inode;
	int err;

	if (!phdr->p_filesz || phdr->p_filesz > sizeof(path) ||
	    inode_read(program_inode, phdr->p_offset, path, phdr->p_filesz) != phdr->p_filesz ||
	    path[phdr->p_filesz - 1])
		return -ENOEXEC;
	err = path_lookup_name(NULL, path, 0, &inode, &name);
	if (err) {
		program->why = "dynamic program: link it with -static";
		log_warn("%s is not there: a dynamic program; link it with -static", path);
		return err;
	}
	err = exec_permitted(inode);
	if (!err)
		err = image_open(&image, inode, name, &program->why);
	if (!err)
		err = image_map(&image, program->mm, VM_INTERP_BASE);
	program->unreadable = inode_permission(inode, MAY_READ) != 0;
	program->entry = image.bias + image.ehdr.e_entry;
	program->base = image.bias;
	image_close(&image);
	inode_put(inode);
	name_put(name);
	return err;
}

/* Records the bounds of code and data as Linux reports them: from the lowest code segment, from the
 * highest segment. */
static void note_segments(const struct image *image, struct mm *mm)
{
	mm->code_start = UINT64_MAX;
	for (unsigned i = 0; i < image->ehdr.e_phnum; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];
		uint64_t start = image->bias + phdr->p_vaddr, end = start + phdr->p_filesz;

		if (phdr->p_type != PT_LOAD)
			continue;
		if (phdr->p_flags & PF_X) {
			mm->code_start = start < mm->code_start ? start : mm->code_start;
			mm->code_end = end > mm->code_end ? end : mm->code_end;
		}
		mm->data_start = start > mm->data_start ? start : mm->data_start;
		mm->data_end = end > mm->data_end ? end : mm->data_end;
	}
}

int elf_load(struct inode *inode, struct dirent *name, struct program *program)
{
	struct image image = {0};
	const Elf64_Phdr *phdr;
	int err = image_open(&image, inode, name, &program->why);

	if (!err) {
		err = image_map(&image, program->mm, VM_PIE_BASE);
		program->start = program->entry = image.bias + image.ehdr.e_entry;
		program->headers = headers_address(&image);
		note_segments(&image, program->mm);
		program->nr_headers = image.ehdr.e_phnum;
		program->mm->brk_start = program->mm->brk = page_up(image.end);
		phdr = find_header(&image, PT_GNU_STACK);
		program->stack_prot =
		    PROT_READ | PROT_WRITE | (phdr && phdr->p_flags & PF_X ? PROT_EXEC : 0);
		phdr = find_header(&image, PT_INTERP);
		if (!err && phdr)
			err = load_interpreter(inode, phdr, program);
	}
	image_close(&image);
	if (err && !program->why)
		program->why =
		    err == -ENOMEM ? "not enough memory" : "its segments cannot be mapped";
	return err;
}
