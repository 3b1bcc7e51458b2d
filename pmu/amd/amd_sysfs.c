/* SPDX-License-Identifier: BSD-2-Clause */
/* Description of AMD's PMU in /sys: the fields of its event selects and the names of its events, as
 * on Linux. */
#include "arch/x86/cpu/msr.h"
#include "kernel/base/text.h"
#include "pmu/amd/amd.h"

static void make_event(const struct hw_kind *kind, const struct pmu_word *word, struct text *out)
{
	uint64_t code = kind->generic[word->generic - 1], umask = FIELD_GET(EVTSEL_UMASK, code);

	text_print(out, "event=0x%02lx", FIELD_GET(EVTSEL_EVENT, code));
	if (umask)
		text_print(out, ",umask=0x%02lx", umask);
}

#define FORMAT(field, bits)                            \
	{                                              \
		.name = "format/" field, .text = bits, \
	}
#define GENERIC(event, id)                                                                      \
	{                                                                                       \
		.name = "events/" event, .make = make_event, .generic = 1 + PERF_COUNT_HW_##id, \
	}

const struct pmu_word amd_words[] = {
    FORMAT("event", "config:0-7,32-35"),
    FORMAT("umask", "config:8-15"),
    FORMAT("edge", "config:18"),
    FORMAT("inv", "config:23"),
    FORMAT("cmask", "config:24-31"),
    GENERIC("cpu-cycles", CPU_CYCLES),
    GENERIC("instructions", INSTRUCTIONS),
    GENERIC("cache-references", CACHE_REFERENCES),
    GENERIC("cache-misses", CACHE_MISSES),
    GENERIC("branch-instructions", BRANCH_INSTRUCTIONS),
    GENERIC("branch-misses", BRANCH_MISSES),
    GENERIC("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
    GENERIC("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
    {.name = "caps/max_precise", .text = "0"},
    {.name = NULL},
};
