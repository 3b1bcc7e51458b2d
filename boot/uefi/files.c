/* SPDX-License-Identifier: BSD-2-Clause */
/* Result directories on the volume that the image was booted from, through the firmware's file
 * system: UEFI specification 2.9, 13.5. */
#include "boot/uefi/stick.h"

#define RESULTS      L"\\barepmu\\results"
#define UNFINISHED   L".new"
#define MOST_OF_NAME 100
#define NUMBERS_MAX  9999
#define STEM_CHARS   200
#define NUMBER_CHARS 6 /* of a number and its dash, and a backslash */
#define PART_CHARS   (STEM_CHARS + NUMBER_CHARS + 1)

/* A path from the volume's root on. */
#define PATH_MAX_CHARS 250
#define FILE_MODES     (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)

static void append(CHAR16 *text, const CHAR16 *more)
{
	UINTN end = StrLen(text);

	while (*more && end < NAME_CHARS - 1)
		text[end++] = *more++;
	text[end] = 0;
}

/* Makes one part of a path for FAT, with room for PART_CHARS: characters that FAT forbids become
 * dashes, as does a dot or blank at the end. Long names are cut. Different names may become equal.
 */
static void fat_part(CHAR16 *part, const char *name, UINTN length)
{
	UINTN end = 0;

	for (; end < length && end < STEM_CHARS; end++) {
		char c = name[end];
		BOOLEAN bad = c < ' ' || c > '~' || c == '"' || c == '*' || c == ':' || c == '<' ||
			      c == '>' || c == '?' || c == '|' || c == '\\' || c == '/';

		part[end] = bad ? '-' : (CHAR16)c;
	}
	if (end && (part[end - 1] == '.' || part[end - 1] == ' '))
		part[end - 1] = '-';
	part[end] = 0;
}

/* Writes a dash and the number to the end of a part, from index `stem` on. */
static void number_part(CHAR16 *part, UINTN stem, UINTN number)
{
	CHAR16 digits[8];
	UINTN nr = 0;

	do
		digits[nr++] = (CHAR16)('0' + number % 10);
	while (number /= 10);
	part[stem++] = '-';
	while (nr)
		part[stem++] = digits[--nr];
	part[stem] = 0;
}

static EFI_STATUS make_directory(EFI_FILE *root, CHAR16 *path)
{
	EFI_FILE *made;
	EFI_STATUS status =
	    root->Open(root, &made, path, FILE_MODES | EFI_FILE_MODE_CREATE, EFI_FILE_DIRECTORY);

	if (status == EFI_SUCCESS)
		made->Close(made);
	return status;
}

static BOOLEAN exists(EFI_FILE *root, CHAR16 *path)
{
	EFI_FILE *file;

	if (root->Open(root, &file, path, EFI_FILE_MODE_READ, 0) != EFI_SUCCESS)
		return FALSE;
	file->Close(file);
	return TRUE;
}

/* True if the directory exists, finished or not. */
static BOOLEAN is_taken(const struct directory *directory, const CHAR16 *above)
{
	CHAR16 path[NAME_CHARS] = {0};

	append(path, above);
	append(path, directory->name);
	if (exists(directory->root, path))
		return TRUE;
	append(path, UNFINISHED);
	return exists(directory->root, path);
}

/* Adds a number if the name is taken: by a run of the same second, or because the clock is broken.
 */
static void choose_name(struct directory *directory, const CHAR16 *above, const char *name)
{
	UINTN length = strlena((CHAR8 *)name), stem;

	fat_part(directory->name, name, length < MOST_OF_NAME ? length : MOST_OF_NAME);
	stem = StrLen(directory->name);
	for (UINTN number = 2; number <= NUMBERS_MAX && is_taken(directory, above); number++)
		number_part(directory->name, stem, number);
}

static BOOLEAN is_directory(EFI_FILE *file)
{
	static UINT8 room[sizeof(EFI_FILE_INFO) + (PART_CHARS + 1) * sizeof(CHAR16)];
	EFI_FILE_INFO *info = (EFI_FILE_INFO *)room;
	EFI_GUID guid = EFI_FILE_INFO_ID;
	UINTN bytes = sizeof room;

	return file->GetInfo(file, &guid, &bytes, info) == EFI_SUCCESS &&
	       info->Attribute & EFI_FILE_DIRECTORY;
}

/* Opens the directory `part` in `in`, or makes it. Where a file has the name a number is added. */
static EFI_STATUS open_directory(EFI_FILE *in, CHAR16 *part, EFI_FILE **opened)
{
	UINTN stem = StrLen(part);

	for (UINTN number = 2; number <= NUMBERS_MAX; number++) {
		EFI_STATUS status = in->Open(in, opened, part, FILE_MODES, 0);

		if (status == EFI_NOT_FOUND)
			return in->Open(in, opened, part, FILE_MODES | EFI_FILE_MODE_CREATE,
					EFI_FILE_DIRECTORY);
		if (status != EFI_SUCCESS || is_directory(*opened))
			return status;
		(*opened)->Close(*opened);
		number_part(part, stem, number);
	}
	return EFI_ACCESS_DENIED;
}

/* Makes a file in `in`. A name that is taken, which to FAT names of other letters may be, gets a
 * number. */
static EFI_STATUS make_file(EFI_FILE *in, CHAR16 *part, EFI_FILE **made)
{
	UINTN stem = StrLen(part);

	for (UINTN number = 2; exists(in, part); number++) {
		if (number > NUMBERS_MAX)
			return EFI_ACCESS_DENIED;
		number_part(part, stem, number);
	}
	return in->Open(in, made, part, FILE_MODES | EFI_FILE_MODE_CREATE, 0);
}

/* Returns a name without its first part; `far`: only its last part, because the whole path would be
 * longer than firmware takes (EDK2: 260 characters). */
static const char *next_part(const char *name, BOOLEAN far)
{
	while (*name && *name != '/')
		name++;
	for (const char *at = name; far && *at; at++)
		if (*at == '/')
			name = at;
	return name + (*name == '/');
}

static EFI_STATUS create_file(struct sink *sink, const char *name, void **file)
{
	const struct directory *directory = (struct directory *)sink;
	UINTN room = PATH_MAX_CHARS - StrLen(directory->path) - NUMBER_CHARS;
	BOOLEAN far = strlena((CHAR8 *)name) > room;
	static CHAR16 part[PART_CHARS];
	EFI_FILE *in, *next = NULL;
	EFI_STATUS status =
	    directory->root->Open(directory->root, &in, (CHAR16 *)directory->path, FILE_MODES, 0);

	while (status == EFI_SUCCESS) {
		UINTN length = 0;

		while (name[length] && name[length] != '/')
			length++;
		fat_part(part, name, length < room ? length : room);
		status =
		    name[length] ? open_directory(in, part, &next) : make_file(in, part, &next);
		in->Close(in);
		if (!name[length])
			break;
		in = next;
		room -= StrLen(part) + 1;
		name = next_part(name, far);
	}
	if (status == EFI_SUCCESS)
		*file = next;
	return status;
}

static EFI_STATUS write_file(void *file, const void *bytes, UINTN size)
{
	EFI_FILE *to = file;
	UINTN done = size;
	EFI_STATUS status = to->Write(to, &done, (void *)bytes);

	return status == EFI_SUCCESS && done != size ? EFI_VOLUME_FULL : status;
}

static EFI_STATUS close_file(void *file)
{
	EFI_FILE *closed = file;

	return closed->Close(closed);
}

EFI_STATUS directory_make(struct directory *directory, EFI_FILE *root, const char *machine,
			  const char *name)
{
	static CHAR16 part[PART_CHARS];
	EFI_STATUS status;

	SetMem(directory, sizeof *directory, 0);
	directory->sink = (struct sink){create_file, write_file, close_file};
	directory->root = root;
	append(directory->path, RESULTS);
	status = make_directory(root, directory->path);
	append(directory->path, L"\\");
	fat_part(part, machine, strlena((CHAR8 *)machine));
	append(directory->path, part);
	if (status == EFI_SUCCESS)
		status = make_directory(root, directory->path);
	append(directory->path, L"\\");
	choose_name(directory, directory->path, name);
	append(directory->path, directory->name);
	append(directory->path, UNFINISHED);
	return status == EFI_SUCCESS ? make_directory(root, directory->path) : status;
}

EFI_STATUS directory_finish(const struct directory *directory)
{
	UINT8 room[SIZE_OF_EFI_FILE_INFO + NAME_CHARS * sizeof(CHAR16)];
	EFI_FILE_INFO *info = (EFI_FILE_INFO *)room;
	EFI_GUID guid = EFI_FILE_INFO_ID;
	UINTN bytes = sizeof room;
	EFI_FILE *self;
	EFI_STATUS status =
	    directory->root->Open(directory->root, &self, (CHAR16 *)directory->path, FILE_MODES, 0);

	if (status != EFI_SUCCESS)
		return status;
	status = self->GetInfo(self, &guid, &bytes, info);
	if (status == EFI_SUCCESS) {
		StrCpy(info->FileName, directory->name);
		info->Size = SIZE_OF_EFI_FILE_INFO + StrSize(info->FileName);
		status = self->SetInfo(self, &guid, info->Size, info);
	}
	self->Close(self);
	return status;
}
