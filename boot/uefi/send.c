/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends a kernel's results to a server, as one archive. */
#include "boot/uefi/send.h"

#define MOST_OF_NAME 200

/* DIRECTORY NAME .tar */
static void full_name(const struct upload *to, const char *name, char full[MOST_OF_NAME])
{
	const char *const parts[] = {to->directory, name, ".tar"};
	UINTN end = 0;

	for (UINTN i = 0; i < 3; i++)
		for (const char *at = parts[i]; *at && end < MOST_OF_NAME - 1; at++)
			full[end++] = *at;
	full[end] = 0;
}

void send_results(const struct boot_kept *kept, const struct upload *to, const char *name)
{
	const char *why = "not enough memory";
	struct outcome outcome;
	char full[MOST_OF_NAME];
	UINT8 server[4] = {0};
	struct tar tar;
	EFI_STATUS status;

	tar_begin(&tar, name, name_seconds());
	full_name(to, name, full);
	status = results_write(kept, &tar.sink, &outcome);
	if (status == EFI_SUCCESS)
		status = tar_finish(&tar);
	if (status == EFI_SUCCESS)
		status = tftp_write(to, full, &tar, server, &why);
	if (status == EFI_SUCCESS)
		Print(L"barepmu: %ld bytes to tftp://%d.%d.%d.%d:%d/%a\n", tar.bytes, server[0],
		      server[1], server[2], server[3], to->port, full);
	else
		Print(L"barepmu: its results could not be sent to tftp://%d.%d.%d.%d:%d/%a (%a)\n",
		      server[0], server[1], server[2], server[3], to->port, full, why);
	tar_free(&tar);
}
