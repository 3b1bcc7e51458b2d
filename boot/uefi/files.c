/* SPDX-License-Identifier: BSD-2-Clause */
/* Result directories on the volume that the image was booted from, through the firmware's file
 * system: UEFI specification 2.9, 13.5. */
#include "boot/uefi/stick.h"

#define RESULTS      L"\\barepmu\\results"
#define UNFINISHED   L".new"
#define MOST_OF_NAME 100
#define FILE_MODES   (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)

static void append(CHAR16 *text, const CHAR16 *more)
{
	UINTN end = StrLen(text);

	while (*more && end < NAME_CHARS - 1)
		text[end++] = *more++;
	text[end] = 0;
}

/* Appends a name; characters that FAT does not allow become dashes; slashes separate
 * directories. */
static void append_ascii(CHAR16 *text, const char *more)
{
	UINTN end = StrLen(text);

	for (; *more && end < NAME_CHARS - 1; more++) {
		char c = *more;
		BOOLEAN bad = c < ' ' || c > '~' || c == '"' || c == '*' || c == ':' || c == '<' ||
			      c == '>' || c == '?' || c == '|' || c == '\\';

		text[end++] = bad ? '-' : c == '/' ? '\\' : (CHAR16)c;
	}
	text[end] = 0;
}

static EFI_STATUS make_folder(EFI_FILE *root, CHAR16 *path)
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
static BOOLEAN is_taken(const struct folder *folder, const CHAR16 *above)
{
	CHAR16 path[NAME_CHARS] = {0};

	append(path, above);
	append(path, folder->name);
	if (exists(folder->root, path))
		return TRUE;
	append(path, UNFINISHED);
	return exists(folder->root, path);
}

/* For two runs within a second a number is appended. */
static void choose_name(struct folder *folder, const CHAR16 *above, const char *name)
{
	CHAR16 number[] = L"-2";

	append_ascii(folder->name, name);
	folder->name[MOST_OF_NAME] = 0;
	if (!is_taken(folder, above))
		return;
	append(folder->name, number);
	while (is_taken(folder, above) && number[1]++ < '9')
		folder->name[StrLen(folder->name) - 1] = number[1];
}

/* Makes the directories of the path, from index `from` on, except its last part. */
static EFI_STATUS make_parents(EFI_FILE *root, CHAR16 *path, UINTN from)
{
	EFI_STATUS status = EFI_SUCCESS;

	for (UINTN i = from; path[i] && status == EFI_SUCCESS; i++) {
		if (path[i] != '\\')
			continue;
		path[i] = 0;
		status = make_folder(root, path);
		path[i] = '\\';
	}
	return status;
}

static EFI_STATUS create_file(struct sink *sink, const char *name, void **file)
{
	const struct folder *folder = (struct folder *)sink;
	CHAR16 path[NAME_CHARS] = {0};
	EFI_STATUS status;

	append(path, folder->path);
	append(path, L"\\");
	append_ascii(path, name);
	status = make_parents(folder->root, path, StrLen(folder->path) + 1);
	if (status != EFI_SUCCESS)
		return status;
	return folder->root->Open(folder->root, (EFI_FILE **)file, path,
				  FILE_MODES | EFI_FILE_MODE_CREATE, 0);
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

EFI_STATUS folder_make(struct folder *folder, EFI_FILE *root, const char *machine, const char *name)
{
	EFI_STATUS status;

	SetMem(folder, sizeof *folder, 0);
	folder->sink = (struct sink){create_file, write_file, close_file};
	folder->root = root;
	append(folder->path, RESULTS);
	status = make_folder(root, folder->path);
	append(folder->path, L"\\");
	append_ascii(folder->path, machine);
	if (status == EFI_SUCCESS)
		status = make_folder(root, folder->path);
	append(folder->path, L"\\");
	choose_name(folder, folder->path, name);
	append(folder->path, folder->name);
	append(folder->path, UNFINISHED);
	return status == EFI_SUCCESS ? make_folder(root, folder->path) : status;
}

EFI_STATUS folder_finish(const struct folder *folder)
{
	UINT8 room[SIZE_OF_EFI_FILE_INFO + NAME_CHARS * sizeof(CHAR16)];
	EFI_FILE_INFO *info = (EFI_FILE_INFO *)room;
	EFI_GUID guid = EFI_FILE_INFO_ID;
	UINTN bytes = sizeof room;
	EFI_FILE *self;
	EFI_STATUS status =
	    folder->root->Open(folder->root, &self, (CHAR16 *)folder->path, FILE_MODES, 0);

	if (status != EFI_SUCCESS)
		return status;
	status = self->GetInfo(self, &guid, &bytes, info);
	if (status == EFI_SUCCESS) {
		StrCpy(info->FileName, folder->name);
		info->Size = SIZE_OF_EFI_FILE_INFO + StrSize(info->FileName);
		status = self->SetInfo(self, &guid, info->Size, info);
	}
	self->Close(self);
	return status;
}
