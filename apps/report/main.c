/* SPDX-License-Identifier: BSD-2-Clause */
/* report as a program of the image; the host's command calls report_main() itself. */
#include "apps/report/helpers.h"

int main(int argc, char **argv)
{
	return report_main(argc, argv);
}
