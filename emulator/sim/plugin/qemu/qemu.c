/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the way to QEMU by the version of the plugin interface that it offers. */
#include "emulator/sim/plugin/qemu/qemu.h"

#include <dlfcn.h>
#include <stddef.h>

#define API_OLDEST 1
#define API_NEWEST 6 /* 7 changes the callbacks */

/* The first version of the interface that each way serves. */
static const struct {
	int since;
	const struct qemu_way *way;
} ways[] = {
    {3, &qemu_9},
    {2, &qemu_9_pointers},
    {API_OLDEST, &qemu_7},
};

/* QEMU compares it with the versions that it takes, after dlopen(). 9.0 and later take no 1. */
__attribute__((visibility("default"))) int qemu_plugin_version = API_OLDEST;

__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new"))
		qemu_plugin_version = 2;
}

const struct qemu_way *qemu_way;

bool qemu_choose_way(int api)
{
	for (size_t i = 0; api <= API_NEWEST && !qemu_way && i < sizeof(ways) / sizeof(ways[0]);
	     i++)
		if (api >= ways[i].since)
			qemu_way = ways[i].way;
	return qemu_way;
}
