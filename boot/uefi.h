/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the UEFI loader. UEFI specification 2.9; the loader runs on the firmware's
 * stack, in its address space. */
#ifndef BOOT_UEFI_H
#define BOOT_UEFI_H

#include <efi.h>
#include <efilib.h>
#include "abi/boot_info.h"

/* A file's bytes in memory; data is NULL if there is no such file. */
struct blob {
	void *data;
	UINTN bytes;
};

/* The sources of our parts: the loader's own sections, and the directory \barepmu on its volume. */
struct source {
	EFI_HANDLE handle; /* the loader's */
	EFI_LOADED_IMAGE *image;
	EFI_FILE *root; /* NULL when the volume has no file system that we can read */
};

/*
 * Finds a part: the PE section `section` of the loader itself, else the file `path` beside it. A
 * missing part is no error: data stays NULL. Returns EFI_OUT_OF_RESOURCES or the firmware's read
 * error.
 */
EFI_STATUS uefi_find(const struct source *source, const char *section, CHAR16 *path,
		     struct blob *blob);

/* The parts of the loader. */
struct parts {
	struct blob elf, initrd;
};

/* The kernel: virtual addresses of its first byte and of its entry, its link address (physical),
 * and the bytes taken from kernel_base on. */
struct kernel {
	UINT64 virt, entry, low, taken;
};

/*
 * Loads the kernel's segments and sets kernel_base and kernel_bytes. EFI_LOAD_ERROR: not a kernel,
 * or damaged; EFI_OUT_OF_RESOURCES: no room below 4 GiB. `top`: from uefi_memory_top().
 */
EFI_STATUS uefi_load_kernel(const struct blob *elf, UINT64 top, struct boot_info *info,
			    struct kernel *kernel);

/* Loads its segments again, as they are in the file. */
void uefi_place_kernel(const struct blob *elf, const struct kernel *kernel,
		       const struct boot_info *info);

/* Makes four-level tables: all memory below `top` at 0 and in the direct map, the kernel at its
 * link address. 0: no memory. */
UINT64 uefi_page_tables(UINT64 top, const struct boot_info *info, const struct kernel *kernel);

/* The firmware's memory map, valid until the next call that reads it. */
struct memory_map {
	UINT8 *entries;
	UINTN nr, step;
};
EFI_STATUS uefi_read_map(struct memory_map *map);
EFI_MEMORY_DESCRIPTOR *uefi_map_entry(const struct memory_map *map, UINTN index);

/* Returns the address above the last byte of memory in the map, and of the loader. */
EFI_STATUS uefi_memory_top(UINT64 *top);

/* Prints an error; returns the status. */
EFI_STATUS uefi_fail(CHAR16 *what, EFI_STATUS status);

/* Takes the machine over: fills in the memory map and leaves boot services. No allocation or output
 * is possible afterwards. */
EFI_STATUS uefi_exit(EFI_HANDLE handle, struct boot_info *info);

/* Returns the framebuffer of the graphics output protocol, if it can be written to directly. */
void uefi_framebuffer(struct boot_framebuffer *framebuffer);

/* Loads the tables and jumps; interrupts are masked first. uefi_enter.asm. */
__attribute__((noreturn, sysv_abi)) void uefi_enter(UINT64 root, UINT64 entry, UINT64 info);

#endif
