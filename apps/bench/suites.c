/* SPDX-License-Identifier: BSD-2-Clause */
/* The suites. */
#include "apps/bench/bench.h"

int suite_run(const struct bench_options *options, FILE *data)
{
	(void)data;
	fail("no suite '%s' yet", options->suite);
}
