/* SPDX-License-Identifier: BSD-2-Clause */
/* Results over the firmware's network: one archive for each job, written to a server by TFTP. */
#ifndef BOOT_UEFI_SEND_H
#define BOOT_UEFI_SEND_H

#include "abi/upload.h"
#include "boot/uefi/stick.h"

/* tar.c: an archive of the data written to its sink, which keeps references to the bytes. */
#define TAR_PATH 4352 /* a name of /out, 4095 bytes, in a directory */

struct member;
struct pieces;

struct tar {
	struct sink sink;
	const char *directory; /* in which all members are */
	UINT64 time;           /* of the members: seconds since 1970 */
	UINT64 bytes;          /* of the archive so far */
	struct member *first, **end;

	/* The position of tar_read(). */
	struct member *member;
	struct pieces *pieces;
	UINT64 index, at;
};

void tar_begin(struct tar *tar, const char *directory, UINT64 time);
/* Appends the end of the archive. */
EFI_STATUS tar_finish(struct tar *tar);
void tar_rewind(struct tar *tar);
/* Returns the next bytes, fewer than `room` only at the end. */
UINTN tar_read(struct tar *tar, UINT8 *to, UINTN room);
void tar_free(struct tar *tar);

/* tftp.c: writes the archive to the server, through the first working network card. *server: the
 * last server tried, zeros if none is known; *why: the error in words, valid until the next
 * call. */
EFI_STATUS tftp_write(const struct upload *to, const char *name, struct tar *tar, UINT8 server[4],
		      const char **why);

/* send.c: sends the kernel's results as NAME.tar to the job file's server; reports the outcome. */
void send_results(const struct boot_kept *kept, const struct upload *to, const char *name);

#endif
