/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the UEFI loader share. UEFI specification 2.9; the loader runs on the
 * firmware's stack, in its address space. */
#ifndef BOOT_UEFI_H
#define BOOT_UEFI_H

#include <efi.h>
#include <efilib.h>
#include "abi/boot_info.h"

/* A piece of memory with a file's bytes; data is NULL when there is no such file. */
struct blob {
	void *data;
	UINTN bytes;
};

/* Where our pieces come from: the loader's own sections, and the folder \barepmu on its volume. */
struct source {
	EFI_LOADED_IMAGE *image;
	EFI_FILE *root; /* NULL when the volume has no file system that we can read */
};

/*
 * Finds a piece: the PE section `section` of the loader itself, else the file `path` beside it. Not
 * found is no error: data stays NULL. Returns EFI_OUT_OF_RESOURCES or the firmware's read error.
 */
EFI_STATUS uefi_find(const struct source *source, const char *section, CHAR16 *path,
		     struct blob *blob);

/* The loader's own pieces. */
struct parts {
	struct blob elf, initrd;
};

/* The kernel: virtual addresses of its first byte and of its entry, its link address (physical),
 * and the bytes taken from kernel_base on. */
struct kernel {
	UINT64 virt, entry, low, taken;
};

/*
 * Places the kernel's segments and sets kernel_base and kernel_bytes. EFI_LOAD_ERROR: not a kernel,
 * or damaged; EFI_OUT_OF_RESOURCES: no room below 4 GiB. `top` as uefi_memory_top() found it.
 */
EFI_STATUS uefi_load_kernel(const struct blob *elf, UINT64 top, struct boot_info *info,
			    struct kernel *kernel);

/* Puts its segments in their place again, as they are in the file. */
void uefi_place_kernel(const struct blob *elf, const struct kernel *kernel,
		       const struct boot_info *info);

/* Four-level tables: all memory below `top` at 0 and in the direct map, the kernel at its link
 * address. 0: no memory. */
UINT64 uefi_page_tables(UINT64 top, const struct boot_info *info, const struct kernel *kernel);

/* The firmware's memory map, valid until the next call that reads it. */
struct memory_map {
	UINT8 *entries;
	UINTN nr, step;
};
EFI_STATUS uefi_read_map(struct memory_map *map);
EFI_MEMORY_DESCRIPTOR *uefi_map_entry(const struct memory_map *map, UINTN index);

/* Address above the last byte of memory that the map names, and of the loader. */
EFI_STATUS uefi_memory_top(UINT64 *top);

/* Says what is wrong; returns the status. */
EFI_STATUS uefi_fail(CHAR16 *what, EFI_STATUS status);

/* Takes the machine over: fills the memory map and leaves boot services. Nothing may be allocated
 * or printed afterwards. */
EFI_STATUS uefi_exit(EFI_HANDLE handle, struct boot_info *info);

/* The framebuffer of the graphics output protocol, if one can be written to directly. */
void uefi_framebuffer(struct boot_framebuffer *framebuffer);

/* Loads the tables and jumps; interrupts are masked first. uefi_enter.asm. */
__attribute__((noreturn, sysv_abi)) void uefi_enter(UINT64 root, UINT64 entry, UINT64 info);

#endif
