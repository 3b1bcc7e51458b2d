/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts by the build machine's headers. */
#include <linux/perf_event.h>
#include "facts_headers.inc"
#include "tests/host/abi/facts_table.h"

const struct fact *facts_host(size_t *nr)
{
	return list_facts(nr);
}
