/* SPDX-License-Identifier: BSD-2-Clause */
/* A UEFI application that boots by HTTP, as the firmware's boot manager does with the option
 * that a set-up screen makes of a typed address. UEFI specification 2.9, 3.1.2, 10.3.4.24 and
 * 13.1. */
#include <efi.h>
#include <efilib.h>

#define ADDRESS "http://10.0.2.100/barepmu.efi"

static UINT8 path[1024];

struct uri_node {
	EFI_DEVICE_PATH header;
	char address[sizeof(ADDRESS) - 1];
} __attribute__((packed));

#define MSG_URI 24

static UINTN append(UINTN at, const void *bytes, UINTN size)
{
	CopyMem(path + at, (void *)bytes, size);
	return at + size;
}

/* Returns the length of the device path of a card that speaks HTTP over IPv4, up to its empty
 * address; 0: this is none. */
static UINTN card_path(EFI_DEVICE_PATH *node)
{
	UINTN at = 0;
	BOOLEAN ipv4 = FALSE;

	for (; !IsDevicePathEnd(node); node = NextDevicePathNode(node)) {
		if (DevicePathSubType(node) == MSG_URI &&
		    DevicePathType(node) == MESSAGING_DEVICE_PATH)
			return ipv4 ? at : 0;
		ipv4 |= DevicePathType(node) == MESSAGING_DEVICE_PATH &&
			DevicePathSubType(node) == MSG_IPv4_DP;
		at = append(at, node, DevicePathNodeLength(node));
	}
	return 0;
}

static EFI_LOAD_FILE_INTERFACE *find_card(UINTN *at)
{
	static EFI_GUID guid = LOAD_FILE_PROTOCOL;
	EFI_LOAD_FILE_INTERFACE *card = NULL;
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0;

	*at = 0;
	LibLocateHandle(ByProtocol, &guid, NULL, &nr, &handles);
	for (UINTN i = 0; i < nr && !*at; i++)
		if (DevicePathFromHandle(handles[i])) {
			*at = card_path(DevicePathFromHandle(handles[i]));
			BS->HandleProtocol(handles[i], &guid, (void **)&card);
		}
	return *at ? card : NULL;
}

/* Network drivers appear when they are connected. */
static void connect_all(void)
{
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0;

	LibLocateHandle(AllHandles, NULL, NULL, &nr, &handles);
	for (UINTN i = 0; i < nr; i++)
		BS->ConnectController(handles[i], NULL, NULL, TRUE);
}

static EFI_STATUS boot(EFI_HANDLE self, EFI_LOAD_FILE_INTERFACE *card)
{
	EFI_DEVICE_PATH *from = (EFI_DEVICE_PATH *)path;
	EFI_HANDLE image = NULL;
	void *file = NULL;
	UINTN bytes = 0;
	EFI_STATUS status = card->LoadFile(card, from, TRUE, &bytes, NULL);

	if (status == EFI_BUFFER_TOO_SMALL) {
		file = AllocatePool(bytes);
		status = card->LoadFile(card, from, TRUE, &bytes, file);
	}
	if (status == EFI_SUCCESS)
		status = BS->LoadImage(TRUE, self, from, file, bytes, &image);
	Print(L"http: loaded: %r\n", status);
	return status == EFI_SUCCESS ? BS->StartImage(image, NULL, NULL) : status;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static const EFI_DEVICE_PATH end = {
	    END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, {sizeof(end), 0}};
	struct uri_node uri = {
	    {MESSAGING_DEVICE_PATH, MSG_URI, {sizeof(uri), 0}},
	    ADDRESS,
	};
	EFI_LOAD_FILE_INTERFACE *card;
	UINTN at;

	InitializeLib(self, table);
	connect_all();
	card = find_card(&at);
	if (!card) {
		Print(L"http: no card speaks HTTP\n");
		return EFI_NOT_FOUND;
	}
	append(append(at, &uri, sizeof(uri)), &end, sizeof(end));
	return boot(self, card);
}
