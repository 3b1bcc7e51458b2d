/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory `power` of devices: Documentation/ABI/testing/sysfs-devices-power. No device here
 * is switched off while it is not used. */
#include "kernel/procfs/proc.h"

#define POWER_PATH 128

static void make_auto(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "auto\n");
}

static void make_unsupported(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "unsupported\n");
}

static void make_zero(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "0\n");
}

static const struct synthetic files[] = {
    {.path = "control", .make = make_auto},
    {.path = "runtime_active_time", .make = make_zero},
    {.path = "runtime_status", .make = make_unsupported},
    {.path = "runtime_suspended_time", .make = make_zero},
};

void proc_add_power(const char *device)
{
	char path[POWER_PATH];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "%s/power", device);
	synthetic_add_all(path, files, sizeof(files) / sizeof(files[0]), 0);
}
