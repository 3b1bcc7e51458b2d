/* SPDX-License-Identifier: BSD-2-Clause */
/* A UEFI application that only returns an error: the firmware continues. */
#include <efi.h>
#include <efilib.h>

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	InitializeLib(self, table);
	Print(L"returning\n");
	return EFI_MEDIA_CHANGED;
}
