/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts by our headers. */
#include "abi/linux/perf_event.h"
#include "tests/host/abi/facts_table.h"

const struct fact *facts_ours(size_t *nr)
{
	return list_facts(nr);
}
