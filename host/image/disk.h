/* SPDX-License-Identifier: BSD-2-Clause */
/* Disk images, made by mkimage.sh. */
#ifndef HOST_IMAGE_DISK_H
#define HOST_IMAGE_DISK_H

#include "host/options.h"

struct stick {
	const struct buffer *initrd;
	struct buffer jobs; /* its job file */
	const char *command_line;
	const char *visor; /* its options; NULL: no visor on the stick */
	const char *grub;  /* GRUB's configuration, for machines without UEFI; NULL: UEFI only */
};

/* Makes the disk of a stick at `path` (NULL: in the scratch directory); returns its path. */
char *make_stick(const struct stick *stick, const char *path);
/* Makes a stick as one EFI program, for a network boot; without a visor. */
void make_efi_program(const struct stick *stick, const char *path);
/* Makes a disk in the scratch directory from which OVMF boots our kernel; returns its path. */
char *make_boot_disk(const struct buffer *initrd, const char *command_line);
/* As make_boot_disk(), with another EFI program, and \initrd unless that is NULL. */
char *make_efi_disk(const char *program, const char *initrd);
/* Adds QEMU's arguments for OVMF, `disk` (NULL: none) and, booted before it, the visor's disk. */
void firmware_words(struct words *words, const struct options *options, const char *disk);

#endif
