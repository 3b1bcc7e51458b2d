/* SPDX-License-Identifier: BSD-2-Clause */
/* The command boot: other kernels and EFI programs. */
#ifndef HOST_BOOT_H
#define HOST_BOOT_H

#include "host/options.h"

/* Returns the load options of an EFI program, for Linux's stub. */
char *efi_command_line(const struct options *options);
/* Checks the options of boot, and completes a profile's options; ends the command. */
void boot_check(struct options *options);
/* Returns the debug-exit status, or 0, when the machine ends; ends the command if the visor stopped
 * it. */
int boot_other(struct options *options);

#endif
