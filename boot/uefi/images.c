/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's loaded images and their names: of the debug directory, of the firmware volume's
 * user interface section, or of the file. UEFI specification 2.9, 9.1 (loaded image protocol); PI
 * specification, volume 3, 3.4.1 (firmware volume protocol) and 3.2.5.15 (user interface section).
 */
#include "boot/uefi/sampling.h"

#define SECTION_NAME     0x15
#define NODE_VOLUME_FILE 6 /* a media device path's: the file's GUID follows */

/* The firmware volume protocol, up to the function that we call. */
struct firmware_volume {
	void *get_attributes, *set_attributes, *read_file;
	EFI_STATUS(EFIAPI *read_section)
	(const struct firmware_volume *self, const EFI_GUID *name, UINT8 type, UINTN instance,
	 void **buffer, UINTN *bytes, UINT32 *authentication);
};

static EFI_GUID volume_guid = {
    0x220e73b6, 0x6bdb, 0x4413, {0x84, 0x05, 0xb9, 0x74, 0xb1, 0x08, 0x61, 0x9a}};

static void set_name(struct loaded_image *image, const CHAR16 *text)
{
	UINTN at = 0;

	for (; at < IMAGE_NAME_BYTES - 1 && text[at]; at++)
		image->name[at] =
		    text[at] > ' ' && text[at] <= '~' && text[at] != ',' ? (char)text[at] : '_';
	image->name[at] = 0;
}

/* Names a driver of a firmware volume. */
static BOOLEAN name_by_volume(struct loaded_image *image, const EFI_LOADED_IMAGE *loaded)
{
	const EFI_DEVICE_PATH *node = loaded->FilePath;
	struct firmware_volume *volume;
	void *text = NULL;
	UINTN bytes = 0;
	UINT32 authentication;

	if (!node || DevicePathType(node) != MEDIA_DEVICE_PATH ||
	    DevicePathSubType(node) != NODE_VOLUME_FILE ||
	    BS->HandleProtocol(loaded->DeviceHandle, &volume_guid, (void **)&volume) !=
		EFI_SUCCESS ||
	    volume->read_section(volume, (const EFI_GUID *)(node + 1), SECTION_NAME, 0, &text,
				 &bytes, &authentication) != EFI_SUCCESS)
		return FALSE;
	if (bytes >= sizeof(CHAR16))
		((CHAR16 *)text)[bytes / sizeof(CHAR16) - 1] = 0;
	if (bytes > sizeof(CHAR16))
		set_name(image, text);
	BS->FreePool(text);
	return bytes > sizeof(CHAR16);
}

static void name_image(struct loaded_image *image, const EFI_LOADED_IMAGE *loaded)
{
	CHAR16 *text, *last = NULL;

	if (name_by_volume(image, loaded))
		return;
	text = loaded->FilePath ? DevicePathToStr((EFI_DEVICE_PATH *)loaded->FilePath) : NULL;
	for (CHAR16 *at = text; at && *at; at++)
		last = *at == '\\' && at[1] ? at + 1 : last;
	set_name(image, last && *last ? last : text && *text ? text : L"image");
	if (text)
		BS->FreePool(text);
}

void images_collect(struct loaded_images *images)
{
	EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
	EFI_HANDLE *handles = NULL;
	EFI_LOADED_IMAGE *loaded;
	UINTN nr = 0;

	if (BS->LocateHandleBuffer(ByProtocol, &guid, NULL, &nr, &handles) != EFI_SUCCESS)
		return;
	for (UINTN i = 0; i < nr && images->nr < IMAGES_MAX; i++) {
		struct loaded_image *image = &images->image[images->nr];

		if (BS->HandleProtocol(handles[i], &guid, (void **)&loaded) != EFI_SUCCESS ||
		    images_find(images, (UINT64)loaded->ImageBase))
			continue;
		*image = (struct loaded_image){.base = (UINT64)loaded->ImageBase,
					       .bytes = loaded->ImageSize};
		name_image(image, loaded);
		images->nr++;
	}
	BS->FreePool(handles);
}

struct loaded_image *images_find(struct loaded_images *images, UINT64 address)
{
	for (UINTN i = 0; i < images->nr; i++)
		if (address - images->image[i].base < images->image[i].bytes)
			return &images->image[i];
	return NULL;
}
