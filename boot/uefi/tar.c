/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as one tar archive (POSIX.1-2017, pax, "ustar Interchange Format"; long names in GNU's
 * format): a list of pieces of memory, read sequentially. */
#include "boot/uefi/send.h"

enum { TAR_BLOCK = 512, TAR_NAME = 100, TYPE_FILE = '0', TYPE_LONG_NAME = 'L' };

struct tar_header {
	char name[TAR_NAME], mode[8], user[8], group[8], size[12], time[12], sum[8], type;
	char link[100], magic[8], names[64], devices[16], prefix[155], unused[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "POSIX.1-2017, pax: ustar");

#define PIECES 254

/* A group of a member's pieces. */
struct pieces {
	struct pieces *next;
	UINT64 nr;
	struct {
		const UINT8 *at;
		UINT64 bytes;
	} piece[PIECES];
};

struct member {
	struct member *next;
	struct tar *tar;
	UINT64 bytes; /* of its contents */
	struct tar_header header;
	char path[TAR_PATH];
	struct pieces *last, first;
};

static const UINT8 zeros[2 * TAR_BLOCK];

static EFI_STATUS add_piece(struct member *member, const void *bytes, UINT64 size)
{
	struct pieces *last = member->last;

	if (!size)
		return EFI_SUCCESS;
	if (last->nr == PIECES) {
		last->next = AllocateZeroPool(sizeof *last);
		if (!last->next)
			return EFI_OUT_OF_RESOURCES;
		last = member->last = last->next;
	}
	last->piece[last->nr].at = bytes;
	last->piece[last->nr++].bytes = size;
	member->tar->bytes += size;
	return EFI_SUCCESS;
}

/* Writes `digits` octal digits; the rest is NUL. */
static void put_octal(char *to, UINT64 value, int digits)
{
	while (digits--) {
		to[digits] = (char)('0' + (value & 7));
		value >>= 3;
	}
}

static void start_header(struct member *member, const char *name, char type)
{
	struct tar_header *header = &member->header;
	UINTN length = strlena((CHAR8 *)name);

	CopyMem(header->name, (void *)name, length < TAR_NAME ? length : TAR_NAME);
	CopyMem(header->magic, "ustar\00000", sizeof header->magic);
	header->type = type;
	put_octal(header->mode, 0644, 7);
	put_octal(header->user, 0, 7);
	put_octal(header->group, 0, 7);
	put_octal(header->time, member->tar->time, 11);
}

static struct member *new_member(struct tar *tar)
{
	struct member *member = AllocateZeroPool(sizeof *member);

	if (!member)
		return NULL;
	member->tar = tar;
	member->last = &member->first;
	*tar->end = member;
	tar->end = &member->next;
	return member;
}

static EFI_STATUS add_member(struct tar *tar, const char *name, char type, struct member **added)
{
	struct member *member = *added = new_member(tar);

	if (!member)
		return EFI_OUT_OF_RESOURCES;
	start_header(member, name, type);
	return add_piece(member, &member->header, TAR_BLOCK);
}

static EFI_STATUS tar_write(void *file, const void *bytes, UINTN size)
{
	struct member *member = file;

	member->bytes += size;
	return add_piece(member, bytes, size);
}

/* Completes the header: size and checksum are known now. */
static EFI_STATUS tar_close(void *file)
{
	struct member *member = file;
	const UINT8 *bytes = (const UINT8 *)&member->header;
	UINT64 sum = 0;

	put_octal(member->header.size, member->bytes, 11);
	SetMem(member->header.sum, sizeof member->header.sum, ' ');
	for (UINTN i = 0; i < TAR_BLOCK; i++)
		sum += bytes[i];
	put_octal(member->header.sum, sum, 6);
	member->header.sum[6] = 0;
	return add_piece(member, zeros, -member->bytes % TAR_BLOCK);
}

/* A name that does not fit the header precedes it as a separate member. */
static EFI_STATUS add_long_name(struct tar *tar, const char *path)
{
	UINTN bytes = strlena((CHAR8 *)path) + 1;
	struct member *member;
	EFI_STATUS status;

	if (bytes <= TAR_NAME)
		return EFI_SUCCESS;
	status = add_member(tar, "././@LongLink", TYPE_LONG_NAME, &member);
	if (status != EFI_SUCCESS)
		return status;
	CopyMem(member->path, (void *)path, bytes);
	status = tar_write(member, member->path, bytes);
	return status == EFI_SUCCESS ? tar_close(member) : status;
}

static EFI_STATUS tar_open(struct sink *sink, const char *name, void **file)
{
	struct tar *tar = (struct tar *)sink;
	char path[TAR_PATH] = {0};
	UINTN directory = strlena((CHAR8 *)tar->directory), length = strlena((CHAR8 *)name);
	EFI_STATUS status;

	if (directory + length + 2 > TAR_PATH)
		return EFI_BAD_BUFFER_SIZE;
	CopyMem(path, (void *)tar->directory, directory);
	path[directory] = '/';
	CopyMem(path + directory + 1, (void *)name, length);
	status = add_long_name(tar, path);
	return status == EFI_SUCCESS ? add_member(tar, path, TYPE_FILE, (struct member **)file)
				     : status;
}

void tar_begin(struct tar *tar, const char *directory, UINT64 time)
{
	SetMem(tar, sizeof *tar, 0);
	tar->sink = (struct sink){tar_open, tar_write, tar_close};
	tar->directory = directory;
	tar->time = time;
	tar->end = &tar->first;
}

EFI_STATUS tar_finish(struct tar *tar)
{
	struct member *member = new_member(tar);

	return member ? add_piece(member, zeros, sizeof zeros) : EFI_OUT_OF_RESOURCES;
}

void tar_rewind(struct tar *tar)
{
	tar->member = tar->first;
	tar->pieces = tar->member ? &tar->member->first : NULL;
	tar->index = 0;
	tar->at = 0;
}

/* Moves on to the next group of pieces, of this member or the next. */
static void next_pieces(struct tar *tar)
{
	tar->index = 0;
	tar->pieces = tar->pieces->next;
	if (tar->pieces)
		return;
	tar->member = tar->member->next;
	tar->pieces = tar->member ? &tar->member->first : NULL;
}

UINTN tar_read(struct tar *tar, UINT8 *to, UINTN room)
{
	UINTN done = 0;

	while (done < room && tar->pieces) {
		UINT64 left, now;

		if (tar->index == tar->pieces->nr) {
			next_pieces(tar);
			continue;
		}
		left = tar->pieces->piece[tar->index].bytes - tar->at;
		now = left < room - done ? left : room - done;
		CopyMem(to + done, (void *)(tar->pieces->piece[tar->index].at + tar->at), now);
		done += now;
		tar->at += now;
		if (now == left) {
			tar->index++;
			tar->at = 0;
		}
	}
	return done;
}

void tar_free(struct tar *tar)
{
	struct member *member = tar->first, *next;

	for (; member; member = next) {
		struct pieces *pieces = member->first.next, *after;

		for (; pieces; pieces = after) {
			after = pieces->next;
			FreePool(pieces);
		}
		next = member->next;
		FreePool(member);
	}
	tar->first = NULL;
}
