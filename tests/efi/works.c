/* SPDX-License-Identifier: BSD-2-Clause */
/* A UEFI application that works in a function of its own, and in a service of the firmware's; it
 * returns its argument's length. */
#include <efi.h>
#include <efilib.h>

#define TURNS 3000000
#define BYTES 4096
#define CALLS 200

static UINT8 data[BYTES];

UINT32 spin(UINT32 n);

__attribute__((noinline, noclone)) UINT32 spin(UINT32 n)
{
	UINT32 sum = 1;

	while (n--)
		sum = sum * 31 + n;
	return sum;
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
	EFI_LOADED_IMAGE *image;
	UINT32 sum;

	InitializeLib(self, table);
	data[0] = (UINT8)spin(TURNS);
	for (UINTN i = 0; i < CALLS; i++)
		BS->CalculateCrc32(data, sizeof data, &sum);
	Print(L"worked: %x\n", sum ^ data[0]);
	if (BS->HandleProtocol(self, &guid, (void **)&image) != EFI_SUCCESS || !image->LoadOptions)
		return EFI_SUCCESS;
	return EFIERR(StrLen(image->LoadOptions));
}
