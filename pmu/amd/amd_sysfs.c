/* SPDX-License-Identifier: BSD-2-Clause */
/* What AMD's PMU tells in /sys: the fields of its event selects and the names of its events, as
 * Linux does. */
#include "arch/x86/cpu/msr.h"
#include "kernel/base/text.h"
#include "pmu/amd/amd.h"

static void make_event(const struct hw_kind *kind, struct text *out, unsigned id)
{
	uint64_t code = kind->generic[id], umask = FIELD_GET(EVTSEL_UMASK, code);

	text_print(out, "event=0x%02lx", FIELD_GET(EVTSEL_EVENT, code));
	if (umask)
		text_print(out, ",umask=0x%02lx", umask);
}

#define GENERIC(name, event)                                                  \
	static bool has_##name(const struct hw_kind *kind)                    \
	{                                                                     \
		return kind->generic[PERF_COUNT_HW_##event] != EVENT_NONE;    \
	}                                                                     \
	static void make_##name(const struct hw_kind *kind, struct text *out) \
	{                                                                     \
		make_event(kind, out, PERF_COUNT_HW_##event);                 \
	}

GENERIC(cycles, CPU_CYCLES)
GENERIC(instructions, INSTRUCTIONS)
GENERIC(references, CACHE_REFERENCES)
GENERIC(misses, CACHE_MISSES)
GENERIC(branches, BRANCH_INSTRUCTIONS)
GENERIC(branch_misses, BRANCH_MISSES)
GENERIC(front_stalls, STALLED_CYCLES_FRONTEND)
GENERIC(back_stalls, STALLED_CYCLES_BACKEND)

#define FORMAT(field, bits)                            \
	{                                              \
		.name = "format/" field, .text = bits, \
	}
#define EVENT_WORD(event, code)                                                      \
	{                                                                            \
		.name = "events/" event, .make = make_##code, .present = has_##code, \
	}

const struct pmu_word amd_words[] = {
    FORMAT("event", "config:0-7,32-35"),
    FORMAT("umask", "config:8-15"),
    FORMAT("edge", "config:18"),
    FORMAT("inv", "config:23"),
    FORMAT("cmask", "config:24-31"),
    EVENT_WORD("cpu-cycles", cycles),
    EVENT_WORD("instructions", instructions),
    EVENT_WORD("cache-references", references),
    EVENT_WORD("cache-misses", misses),
    EVENT_WORD("branch-instructions", branches),
    EVENT_WORD("branch-misses", branch_misses),
    EVENT_WORD("stalled-cycles-frontend", front_stalls),
    EVENT_WORD("stalled-cycles-backend", back_stalls),
    {.name = "caps/max_precise", .text = "0"},
    {.name = NULL},
};
