/* SPDX-License-Identifier: BSD-2-Clause */
/* What /sys says of the processor's PMU. */
#include "api/perf.h"
#include "kernel/synthetic.h"
#include "pmu/lbr.h"

static void make_branches(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "%u\n", lbr_depth);
}

static const struct synthetic branches = {"/sys/bus/event_source/devices/cpu/caps/branches",
					  make_branches, NULL};

void pmu_files_init(void)
{
	if (lbr_format)
		synthetic_add(&branches);
}
