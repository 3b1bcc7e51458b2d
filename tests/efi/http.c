/* SPDX-License-Identifier: BSD-2-Clause */
/* A UEFI application that makes the firmware's next boot one by HTTP: the boot option that a set-up
 * screen makes of an address that somebody types. UEFI specification 2.9, 3.1.3 and 10.3.4.24. */
#include <efi.h>
#include <efilib.h>

#define ADDRESS "http://10.0.2.100/barepmu.efi"

/* EFI_LOAD_OPTION, and the address after the network card's own device path. */
static struct {
	UINT32 attributes;
	UINT16 path_bytes;
	CHAR16 name[5];
	UINT8 path[1024];
} __attribute__((packed)) option = {.attributes = 1 /* active */, .name = L"HTTP"};

struct uri_node {
	EFI_DEVICE_PATH header;
	char address[sizeof(ADDRESS) - 1];
} __attribute__((packed));

#define MSG_URI 24

static UINTN append(UINTN at, const void *bytes, UINTN size)
{
	CopyMem(option.path + at, (void *)bytes, size);
	return at + size;
}

/* What a card that speaks HTTP over IPv4 is called, up to its empty address; 0: this is none. */
static UINTN card_path(EFI_DEVICE_PATH *path)
{
	UINTN at = 0;
	BOOLEAN ipv4 = FALSE;

	for (; !IsDevicePathEnd(path); path = NextDevicePathNode(path)) {
		if (DevicePathSubType(path) == MSG_URI &&
		    DevicePathType(path) == MESSAGING_DEVICE_PATH)
			return ipv4 ? at : 0;
		ipv4 |= DevicePathType(path) == MESSAGING_DEVICE_PATH &&
			DevicePathSubType(path) == MSG_IPv4_DP;
		at = append(at, path, DevicePathNodeLength(path));
	}
	return 0;
}

static UINTN find_card(void)
{
	static EFI_GUID guid = LOAD_FILE_PROTOCOL;
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0, at = 0;

	LibLocateHandle(ByProtocol, &guid, NULL, &nr, &handles);
	for (UINTN i = 0; i < nr && !at; i++)
		if (DevicePathFromHandle(handles[i]))
			at = card_path(DevicePathFromHandle(handles[i]));
	return at;
}

/* Network drivers appear when somebody connects them. */
static void connect_all(void)
{
	EFI_HANDLE *handles = NULL;
	UINTN nr = 0;

	LibLocateHandle(AllHandles, NULL, NULL, &nr, &handles);
	for (UINTN i = 0; i < nr; i++)
		BS->ConnectController(handles[i], NULL, NULL, TRUE);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static EFI_GUID global = EFI_GLOBAL_VARIABLE;
	static const EFI_DEVICE_PATH end = {
	    END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, {sizeof(end), 0}};
	struct uri_node uri = {
	    {MESSAGING_DEVICE_PATH, MSG_URI, {sizeof(uri), 0}},
	    ADDRESS,
	};
	UINT32 lasting = EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS |
			 EFI_VARIABLE_RUNTIME_ACCESS;
	UINT16 number = 0x77;
	UINTN at;

	InitializeLib(self, table);
	connect_all();
	at = find_card();
	if (!at) {
		Print(L"http: no card speaks HTTP\n");
		return EFI_NOT_FOUND;
	}
	at = append(append(at, &uri, sizeof(uri)), &end, sizeof(end));
	option.path_bytes = (UINT16)at;
	RT->SetVariable(L"Boot0077", &global, lasting, (UINTN)(option.path - (UINT8 *)&option) + at,
			&option);
	RT->SetVariable(L"BootNext", &global, lasting, sizeof(number), &number);
	Print(L"http: the next boot is by HTTP\n");
	RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	return EFI_DEVICE_ERROR;
}
