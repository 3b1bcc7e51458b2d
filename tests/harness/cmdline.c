/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's command line as a boot loader may hand it over: any text. */
#include <stdbool.h>
#include "abi/boot_info.h"
#include "kernel/base/cmdline.h"
#include "tests/harness/bytes.h"

struct boot_info boot_info;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpu_mask mask;
	char value[8];

	if (size >= sizeof(boot_info.cmdline))
		size = sizeof(boot_info.cmdline) - 1;
	memcpy(boot_info.cmdline, data, size);
	boot_info.cmdline[size] = 0;
	if (cmdline_value("run", value, sizeof(value)) && strlen(value) >= sizeof(value))
		__builtin_trap();
	cmdline_is("log", "debug");
	cmdline_cpus("isolcpus", &mask);
	return 0;
}
