/* SPDX-License-Identifier: BSD-2-Clause */
/* The Linux whose interface the system has: abi= of the command line. */
#include "kernel/base/system.h"
#include "kernel/base/text.h"

#define OLDEST 1 /* of Linux 6 */
#define NEWEST 19

unsigned system_minor = OLDEST;
static char release[32] = "6.1.0-barepmu";

/* Returns the minor number of a text like 6.18; 0: it is none that is known. */
static unsigned minor_of(const char *text)
{
	unsigned minor = 0;

	if (text[0] != '6' || text[1] != '.')
		return 0;
	for (text += 2; *text >= '0' && *text <= '9' && minor <= NEWEST; text++)
		minor = 10 * minor + (unsigned)(*text - '0');
	return *text || minor < OLDEST || minor > NEWEST ? 0 : minor;
}

bool system_set_abi(const char *name)
{
	struct text text;

	if (!minor_of(name))
		return false;
	system_minor = minor_of(name);
	text_init(&text, release, sizeof(release));
	text_print(&text, "6.%u.0-barepmu", system_minor);
	return true;
}

const char *system_release(void)
{
	return release;
}
