/* SPDX-License-Identifier: BSD-2-Clause */
/* The command report: the image's application, with the libraries that this build has. */
#include "apps/report/helpers.h"
#include "host/commands.h"
#include "host/lib/home.h"
#include "host/lib/text.h"
#include "host/report/unwind.h"

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>

/* As perf without -v: without parameters. */
static char *demangle(const char *symbol)
{
	return cplus_demangle(symbol, DMGL_AUTO);
}
#define OWN_DEMANGLE demangle
#else
#define OWN_DEMANGLE NULL
#endif

int show_report(char **arguments)
{
	int argc = 1;

	for (char **a = arguments; *a; a++)
		argc++;
	arguments[-1] = format_text("report"); /* the place of the command's name */
	report_helpers.demangle = OWN_DEMANGLE;
	report_helpers.unwind = unwind_stack;
	report_helpers.kernel = find_home_file("kernel.elf");
	return report_main(argc, arguments - 1);
}
