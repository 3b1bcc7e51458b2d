/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the loader's parts: sections inside its own PE image (Microsoft PE format), else files
 * beside it. */
#include "boot/uefi.h"

struct pe_section {
	char name[8];
	UINT32 virtual_size, virtual_address, raw_size, raw_offset;
	UINT32 unused[3], flags;
};
_Static_assert(sizeof(struct pe_section) == 40, "PE section header");

enum { PE_OFFSET = 0x3c, PE_SECTIONS = 6, PE_OPTIONAL_SIZE = 20, PE_HEADER = 24 };

static UINT16 read16(const UINT8 *at)
{
	return (UINT16)(at[0] | at[1] << 8);
}

/* The image's headers are mapped at its base, as the firmware loaded it. */
static int find_section(const EFI_LOADED_IMAGE *image, const char *name, struct blob *blob)
{
	UINT8 *base = image->ImageBase, *pe = base + *(UINT32 *)(base + PE_OFFSET);
	struct pe_section *section =
	    (struct pe_section *)(pe + PE_HEADER + read16(pe + PE_OPTIONAL_SIZE));

	for (UINTN i = 0; i < read16(pe + PE_SECTIONS); i++, section++) {
		if (strncmpa((CHAR8 *)section->name, (CHAR8 *)name, 8) != 0)
			continue;
		blob->data = base + section->virtual_address;
		blob->bytes = section->virtual_size;
		return 1;
	}
	return 0;
}

static EFI_STATUS file_size(EFI_FILE *file, UINT64 *bytes)
{
	EFI_STATUS status = file->SetPosition(file, ~0ull);

	if (status == EFI_SUCCESS)
		status = file->GetPosition(file, bytes);
	return status == EFI_SUCCESS ? file->SetPosition(file, 0) : status;
}

static EFI_STATUS read_file(EFI_FILE *file, struct blob *blob)
{
	EFI_PHYSICAL_ADDRESS base = 0xffffffff;
	UINT64 bytes = 0;
	EFI_STATUS status = file_size(file, &bytes);

	if (status != EFI_SUCCESS)
		return status;
	status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, EFI_SIZE_TO_PAGES(bytes) + 1,
				   &base);
	if (status != EFI_SUCCESS)
		return status;
	blob->bytes = bytes;
	status = file->Read(file, &blob->bytes, (void *)base);
	if (status == EFI_SUCCESS && blob->bytes == bytes)
		blob->data = (void *)base;
	return blob->data ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

EFI_STATUS uefi_find(const struct source *source, const char *section, CHAR16 *path,
		     struct blob *blob)
{
	EFI_FILE *file;
	EFI_STATUS status;

	if (find_section(source->image, section, blob) || !source->root)
		return EFI_SUCCESS;
	if (source->root->Open(source->root, &file, path, EFI_FILE_MODE_READ, 0) != EFI_SUCCESS)
		return EFI_SUCCESS;
	status = read_file(file, blob);
	file->Close(file);
	return status;
}
