/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO's code and data as two unnamed files, mapped into each program: vdso(7). */
#include <linux/mman.h>
#include <linux/stat.h>
#include "abi/vdso.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/log.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/time/clock.h"
#include "kernel/vm/vdso.h"
#include "kernel/vm/vma.h"

extern const uint8_t vdso_image_start[], vdso_image_end[]; /* vdso_image.asm */

static struct file *code, *data; /* constant after start */

/* Returns a file with these bytes. */
static struct file *file_of(const uint8_t *bytes, uint64_t length)
{
	struct file *file = shared_memory_file(length);

	if (!file)
		panic("no memory for the vDSO: give the machine more");
	file->inode->archive = bytes;
	file->inode->archive_bytes = bytes ? length : 0;
	return file;
}

void vdso_init(void)
{
	struct vvar *vvar;

	/* cppcheck-suppress comparePointers ; both ends of one thing, by its assembly */
	code = file_of(vdso_image_start, (uint64_t)(vdso_image_end - vdso_image_start));
	data = file_of(NULL, VVAR_BYTES);
	vvar = inode_page(data->inode, 0);
	if (!vvar)
		panic("no memory for the vDSO: give the machine more");
	vvar->mult = tsc_clock.mult;
	vvar->shift = tsc_clock.shift;
	vvar->zero = tsc_clock.zero;
	vvar->real_ns = clock_real_at_start_ns();
	page_put(vvar);
}

void vdso_clock_set(void)
{
	struct vvar *vvar = inode_page(data->inode, 0);

	if (!vvar) /* it is there since start */
		return;
	__atomic_store_n(&vvar->real_ns, clock_real_at_start_ns(), __ATOMIC_RELAXED);
	page_put(vvar);
}

uint64_t vdso_map(struct mm *mm)
{
	uint64_t bytes = (code->inode->size + PAGE_SIZE - 1) & -PAGE_SIZE;
	uint64_t place = vma_gap(mm, VVAR_BYTES + bytes, VM_MMAP_TOP);
	uint64_t at = place + VVAR_BYTES;

	if (!place || vma_add(mm, place, at, PROT_READ, MAP_PRIVATE | VMA_VVAR, data, 0) ||
	    vma_add(mm, at, at + bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | VMA_VDSO, code, 0))
		return 0;
	return at;
}
