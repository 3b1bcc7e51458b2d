/* SPDX-License-Identifier: BSD-2-Clause */
/* barepmu --version, and with -v the features that work with the installed QEMU. */
#include "host/version.h"

#include <stdio.h>
#include <string.h>

#include "abi/qemu_versions.h"
#include "host/machine/qemu.h"
#include "host/machine/qemu_file.h"

#define VERSION "0.9.0" /* CHANGELOG.md */

static bool knows_clock(const char *version)
{
	for (size_t i = 0; i < QEMU_CLOCK_VERSIONS; i++)
		if (!strcmp(version, qemu_clock_versions[i]))
			return true;
	return false;
}

static void print_feature(const char *name, bool works, const char *otherwise)
{
	printf("  %-42s %s%s\n", name, works ? "yes" : "no: ", works ? "" : otherwise);
}

static void print_qemu(void)
{
	const char *version = qemu_check(), *unseen;
	bool plugins = qemu_has_plugins(QEMU);
	bool registers = plugins && *version != '8';

	unseen = plugins ? "QEMU 8 does not show registers" : "it was built without plugins";
	printf("QEMU %s\n", version);
	print_feature("emulated PMU, exact stops, LBR, PEBS", true, "");
	print_feature("simulated cores, processors in turns", plugins,
		      "it was built without plugins");
	print_feature("CLFLUSH, PREFETCHh, INVLPG in them", registers, unseen);
	print_feature("registers: call chains and texts of boots",
		      registers && strcmp(version, "11.0"),
		      registers ? "QEMU 11.0 has the call chains, not the texts" : unseen);
	print_feature("clocks that follow the simulated core", plugins && knows_clock(version),
		      plugins ? "this version's inside is not known" : "no simulated core");
}

void version_print(bool verbose)
{
	puts("barepmu " VERSION);
	if (verbose)
		print_qemu();
}
