/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's MP services, which GNU-EFI does not declare. PI specification 1.7, volume 2,
 * 13.4. */
#ifndef VISOR_EFI_MP_H
#define VISOR_EFI_MP_H

#include <efi.h>

#define EFI_MP_SERVICES_GUID                                           \
	{                                                              \
		0x3fdda605, 0xa76e, 0x4f46,                            \
		{                                                      \
			0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 \
		}                                                      \
	}

typedef void EFIAPI efi_ap_procedure(void *argument);

struct efi_mp_services {
	EFI_STATUS(EFIAPI *get_number_of_processors)
	(struct efi_mp_services *self, UINTN *nr, UINTN *enabled);
	void *get_processor_info;
	EFI_STATUS(EFIAPI *startup_all_aps)
	(struct efi_mp_services *self, efi_ap_procedure *procedure, BOOLEAN one_by_one,
	 EFI_EVENT event, UINTN timeout_us, void *argument, UINTN **failed);
	EFI_STATUS(EFIAPI *startup_this_ap)
	(struct efi_mp_services *self, efi_ap_procedure *procedure, UINTN processor,
	 EFI_EVENT event, UINTN timeout_us, void *argument, BOOLEAN *finished);
	void *switch_bsp;
	void *enable_disable_ap;
	EFI_STATUS(EFIAPI *who_am_i)(struct efi_mp_services *self, UINTN *processor);
};

#endif
