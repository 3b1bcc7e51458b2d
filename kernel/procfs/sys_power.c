/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory `power` of devices: Documentation/ABI/testing/sysfs-devices-power. No device here
 * is switched off while it is not used. */
#include "kernel/procfs/proc.h"

#define POWER_PATH 128

static const struct synthetic files[] = {
    {.path = "control", .text = "auto"},
    {.path = "runtime_active_time", .text = "0"},
    {.path = "runtime_status", .text = "unsupported"},
    {.path = "runtime_suspended_time", .text = "0"},
};

void proc_add_power(const char *device)
{
	char path[POWER_PATH];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "%s/power", device);
	synthetic_add_all(path, files, sizeof(files) / sizeof(files[0]), 0);
}
