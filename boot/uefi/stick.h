/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the loader that keep the firmware, run jobs and store results. */
#ifndef BOOT_UEFI_STICK_H
#define BOOT_UEFI_STICK_H

#include "abi/boot_kept.h"
#include "boot/uefi.h"

/* stick.c: runs the volume's jobs, each in a fresh kernel, and ends as they say. Returns only on an
 * error. */
EFI_STATUS stick_run(const struct source *source, const struct parts *parts,
		     const struct kernel *kernel, UINT64 root, struct boot_info *info);

/* stay.c: takes memory permanently, all except a reserve for the firmware's drivers. */
EFI_STATUS uefi_take_memory(struct boot_info *info);
/* Adds memory that the kernel may also use. */
void uefi_give(struct boot_info *info, UINT64 base, UINT64 bytes);
/* Takes `bytes` bytes below 4 GiB, which the kernel may use. */
EFI_STATUS uefi_take_part(struct boot_info *info, UINT64 bytes, UINT64 *base);
/* Runs the kernel; returns its results when it ends. */
const struct boot_kept *uefi_visit_kernel(UINT64 root, UINT64 entry, struct boot_info *info);

/* visit.asm */
__attribute__((sysv_abi)) const struct boot_kept *uefi_visit(UINT64 root, UINT64 entry,
							     UINT64 info);
__attribute__((sysv_abi)) void uefi_back(void);

/* The destination of results. Names are ASCII; slashes separate directories. Written bytes must
 * stay valid. */
struct sink {
	EFI_STATUS (*open)(struct sink *sink, const char *name, void **file); /* a new file */
	EFI_STATUS (*write)(void *file, const void *bytes, UINTN size);
	EFI_STATUS (*close)(void *file);
};

/* files.c: a directory of results. */
#define NAME_CHARS 160

struct directory {
	struct sink sink;
	EFI_FILE *root;          /* the volume */
	CHAR16 path[NAME_CHARS]; /* while it is written */
	CHAR16 name[NAME_CHARS]; /* afterwards, of its last part */
};

/* Makes \barepmu\results\`machine`\`name`, with a number appended if it exists. Writes go to a
 * temporary directory until directory_finish(). */
EFI_STATUS directory_make(struct directory *directory, EFI_FILE *root, const char *machine,
			  const char *name);
/* All files are written: renames the directory to its final name. */
EFI_STATUS directory_finish(const struct directory *directory);

/* results.c: the outcome of a kernel's run. */
struct outcome {
	UINT32 status, reason;
	char line[256]; /* why, for reasons 2 and 3 */
	UINTN files;    /* written */
	UINT64 bytes;
	UINT64 lost;   /* frames that found no memory */
	BOOLEAN ended; /* the last frame was there */
};

/* Writes the kernel's files, output and log (sink NULL: only reads the outcome). */
EFI_STATUS results_write(const struct boot_kept *kept, struct sink *sink, struct outcome *outcome);

/* names.c: ASCII names of this machine and of now, good for directories. */
/* Appends letters, digits, dots and underlines; other characters become one dash between them. */
void name_add(char *name, UINTN room, const char *text);
void name_machine(EFI_SYSTEM_TABLE *table, char *name, UINTN room);
#define NAME_NOW 18
void name_now(char name[NAME_NOW]);
/* Returns seconds since 1970 by the machine's clock. */
UINT64 name_seconds(void);

#endif
