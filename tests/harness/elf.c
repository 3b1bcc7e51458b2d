/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of any bytes, which may be their own interpreter: mappings are in the application's
 * half and in the file. */
#include <errno.h>
#include <stdlib.h>
#include "kernel/fs/permission.h"
#include "kernel/process/exec.h"
#include "kernel/base/log.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/user.h"
#include "kernel/process/elf.h"
#include "kernel/vm/thp.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vma.h"
#include "tests/harness/bytes.h"

static struct inode program_inode;
static unsigned nr_objects;

void *kalloc(size_t size)
{
	nr_objects++;
	return calloc(1, size);
}

void kfree(void *object)
{
	nr_objects -= object != NULL;
	free(object);
}

void log_at(enum log_level level, const char *format, ...)
{
	(void)level, (void)format;
}

void inode_put(struct inode *inode)
{
	(void)inode;
}

void name_put(struct dirent *name)
{
	(void)name;
}

int path_lookup_name(struct inode *base, const char *path, unsigned flags, struct inode **inode,
		     struct dirent **name)
{
	(void)base, (void)flags;
	*inode = &program_inode;
	*name = NULL;
	return *path ? 0 : -ENOENT;
}

int inode_open(struct inode *inode, struct dirent *name, uint32_t flags, struct file **file)
{
	(void)name;
	*file = kalloc(sizeof(**file));
	**file = (struct file){.refs = 1, .flags = flags, .inode = inode};
	return 0;
}

uint32_t inotify_watches;

/* Every file may be read and executed. */
int inode_permission(const struct inode *inode, unsigned wanted)
{
	(void)inode;
	(void)wanted;
	return 0;
}

int exec_permitted(const struct inode *inode)
{
	(void)inode;
	return 0;
}

void inotify_notify(const struct inode *inode, const struct dirent *name, uint32_t events)
{
	(void)inode, (void)name, (void)events;
}

void file_end(struct file *file)
{
	kfree(file);
}

char *inode_path(const struct inode *inode, const struct dirent *name, char *buffer, size_t size)
{
	(void)inode, (void)name, (void)size;
	return strcpy(buffer, "/program");
}

size_t inode_read(struct inode *inode, uint64_t offset, void *to, size_t bytes)
{
	if (offset >= inode->size)
		return 0;
	if (bytes > inode->size - offset)
		bytes = inode->size - offset;
	memcpy(to, inode->archive + offset, bytes);
	return bytes;
}

/* The bytes that are cleared are mapped and may be written. */
/* There are no pages, small or huge. */
void thp_split_at(struct mm *mm, uint64_t addr)
{
	(void)mm, (void)addr;
}

int mm_clear(struct mm *mm, uint64_t addr, uint64_t bytes)
{
	struct vma *vma = vma_find(mm, addr);

	return vma && vma->start <= addr && vma->end - addr >= bytes ? 0 : -EFAULT;
}

static void check_and_free(struct mm *mm)
{
	struct vma *vma;

	while ((vma = vma_find(mm, 0))) {
		uint64_t bytes = vma->end - vma->start, first = vma->pgoff * PAGE_SIZE;

		if (vma->start >= vma->end || vma->end > USER_END ||
		    (vma->start | vma->end) % PAGE_SIZE)
			abort();
		if (vma->file && (first >= program_inode.size ||
				  bytes - PAGE_SIZE >= program_inode.size - first))
			abort();
		vma_free(vma);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm mm = {0};
	struct program program = {.mm = &mm};

	vma_tree_init(&mm);
	program_inode = (struct inode){.archive = data, .archive_bytes = size, .size = size};
	if (elf_load(&program_inode, NULL, &program) && !program.why)
		abort();
	check_and_free(&mm);
	if (nr_objects)
		abort();
	return 0;
}
