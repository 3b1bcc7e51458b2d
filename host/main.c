/* SPDX-License-Identifier: BSD-2-Clause */
/* barepmu: runs, counts and samples static Linux programs in the barepmu image under QEMU. */
#include <stdlib.h>
#include <string.h>

#include "host/bench.h"
#include "host/boot.h"
#include "host/commands.h"
#include "host/image/image.h"
#include "host/image/initrd.h"
#include "host/machine/debugger.h"
#include "host/machine/machine.h"
#include "host/machine/qemu.h"
#include "host/usage.h"
#include "host/values.h"
#include "host/vendor.h"

/* Returns the default in seconds: a slow host's environment may raise it. */
static int usual_timeout(void)
{
	const char *usual = getenv("BAREPMU_TIMEOUT");

	return usual ? number_value("BAREPMU_TIMEOUT", usual, 1, MAX_TIMEOUT) : DEFAULT_TIMEOUT;
}

int main(int argc, char **argv)
{
	static struct options options;
	struct buffer initrd;
	int status;

	if (argc > 2 && (!strcmp(argv[2], "-h") || !strcmp(argv[2], "--help")) &&
	    (!strcmp(argv[1], "new") || !strcmp(argv[1], "report") ||
	     !strcmp(argv[1], "report-machine"))) {
		usage_print(argv[1]);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "new"))
		return new_project(argv + 2);
	if (argc > 1 && !strcmp(argv[1], "report-machine"))
		return show_machine_report(argv + 2);
	if (argc > 1 && !strcmp(argv[1], "report"))
		show_report(argv + 1);
	parse_options(&options, argc, argv);
	if (!strcmp(options.command, "boot"))
		return boot_other(&options);
	if (!strcmp(options.command, "gdb")) {
		options.timeout = MAX_TIMEOUT;
		debugger_prepare();
	}
	if (!options.timeout)
		options.timeout = usual_timeout();
	if (!strcmp(options.command, "bench"))
		bench_prepare(&options);
	if (strcmp(options.command, "image"))
		qemu_ask(); /* it answers while we read files */
	initrd = build_initrd(&options);
	if (!strcmp(options.command, "image")) {
		write_image(&options, &initrd);
		return 0;
	}
	status = run_machine(&options, &initrd);
	if (!status && !strcmp(options.command, "list"))
		list_vendor_events(&options);
	return status;
}
