/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which PMU registers a personality has, and which of their bits: Intel SDM vol. 4, table 2-2
 * (architectural MSRs) and the tables of the microarchitectures; vol. 3, "Architectural Performance
 * Monitoring Version 1" to "Version 5".
 */
#include "visor/model/registers.h"

#include <stdbool.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LAST_VERSION 255

/* What a personality needs for a register to exist, beside the version. */
enum need { NEED_NOTHING, NEED_CAPABILITIES, NEED_FW_WRITE, NEED_SKYLAKE };

struct msr_range {
	uint32_t first;
	uint8_t count;
	uint8_t reg;   /* enum reg */
	uint8_t since; /* version */
	uint8_t need;  /* enum need */
};

static const struct msr_range registers[] = {
    {0x0c1, MODEL_MAX_GENERAL, REG_PMC, 1, NEED_NOTHING},
    {0x186, MODEL_MAX_GENERAL, REG_EVTSEL, 1, NEED_NOTHING},
    {0x1a0, 1, REG_MISC_ENABLE, 0, NEED_NOTHING},
    {0x1a6, 2, REG_OFFCORE, 1, NEED_SKYLAKE},
    {0x1d9, 1, REG_DEBUGCTL, 0, NEED_NOTHING},
    {0x309, MODEL_MAX_FIXED, REG_FIXED, 2, NEED_NOTHING},
    {0x345, 1, REG_CAPABILITIES, 1, NEED_CAPABILITIES},
    {0x38d, 1, REG_FIXED_CTRL, 2, NEED_NOTHING},
    {0x38e, 1, REG_STATUS, 2, NEED_NOTHING},
    {0x38f, 1, REG_GLOBAL_CTRL, 2, NEED_NOTHING},
    {0x390, 1, REG_OVF_CTRL, 2, NEED_NOTHING},
    {0x391, 1, REG_STATUS_SET, 4, NEED_NOTHING},
    {0x392, 1, REG_INUSE, 4, NEED_NOTHING},
    {0x4c1, MODEL_MAX_GENERAL, REG_PMC_WIDE, 1, NEED_FW_WRITE},
};

/* Registers of PMUs that no personality here has: an access raises #GP instead of reaching the
 * machine. */
static const struct {
	uint32_t first, last;
} foreign[] = {
    {0x00000040, 0x00000047}, /* LBR from (Core) */
    {0x00000060, 0x00000067}, /* LBR to (Core) */
    {0x000001c8, 0x000001c9}, /* LBR_SELECT, LBR_TOS */
    {0x0000030d, 0x00000310}, /* further fixed counters */
    {0x00000329, 0x00000329}, /* PERF_METRICS */
    {0x000003f1, 0x000003f1}, /* PEBS_ENABLE */
    {0x000003f6, 0x000003f7}, /* PEBS_LD_LAT, PEBS_FRONTEND */
    {0x00000560, 0x00000587}, /* processor trace */
    {0x00000600, 0x00000600}, /* DS_AREA */
    {0x00000680, 0x0000069f}, /* LBR from (Nehalem) */
    {0x000006c0, 0x000006df}, /* LBR to (Nehalem) */
    {0x00000dc0, 0x00000ddf}, /* LBR info */
    {0x000014ce, 0x000014cf}, /* architectural LBR control and depth */
    {0x00001200, 0x0000121f}, /* architectural LBR info */
    {0x00001500, 0x0000151f}, /* architectural LBR from */
    {0x00001600, 0x0000161f}, /* architectural LBR to */
    {0x00001900, 0x000019ff}, /* aliases of the counters (leaf 23H) */
    {0xc0000300, 0xc0000303}, /* AMD PerfMonV2 global registers */
    {0xc0010000, 0xc0010007}, /* AMD K7 */
    {0xc0010200, 0xc001020f}, /* AMD core */
    {0xc0010230, 0xc001023b}, /* AMD L3 */
    {0xc0010240, 0xc001024f}, /* AMD data fabric */
    {0xc0011030, 0xc001103d}, /* AMD IBS */
};

/* How a row's bits repeat. */
enum span {
	SPAN_ONCE,
	SPAN_GENERAL,     /* one bit for each general counter, from `first` */
	SPAN_FIXED,       /* one bit for each fixed counter, from `first` */
	SPAN_FIXED_FIELD, /* `first` to `last` again in the field of each fixed counter */
};

enum access { WRITABLE, IGNORED };

/* A row: these bits of this register mean something in versions `since` to `until`; bits in no row
 * are reserved. */
struct register_bits {
	uint8_t reg;         /* enum reg */
	uint8_t first, last; /* bits */
	uint8_t span;        /* enum span */
	uint8_t since, until;
	uint8_t access; /* enum access */
	char name[24];
};

static const struct register_bits bits[] = {
    {REG_EVTSEL, 0, 7, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "event select"},
    {REG_EVTSEL, 8, 15, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "unit mask"},
    {REG_EVTSEL, 16, 16, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "USR"},
    {REG_EVTSEL, 17, 17, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "OS"},
    {REG_EVTSEL, 18, 18, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "E"},
    {REG_EVTSEL, 19, 19, SPAN_ONCE, 1, 3, WRITABLE, "PC"}, /* reserved since Sandy Bridge */
    {REG_EVTSEL, 20, 20, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "INT"},
    {REG_EVTSEL, 21, 21, SPAN_ONCE, 3, 4, WRITABLE, "AnyThread"},
    {REG_EVTSEL, 22, 22, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "EN"},
    {REG_EVTSEL, 23, 23, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "INV"},
    {REG_EVTSEL, 24, 31, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "CMASK"},

    {REG_FIXED_CTRL, 0, 1, SPAN_FIXED_FIELD, 2, LAST_VERSION, WRITABLE, "EN"},
    {REG_FIXED_CTRL, 2, 2, SPAN_FIXED_FIELD, 3, 4, WRITABLE, "AnyThread"},
    {REG_FIXED_CTRL, 3, 3, SPAN_FIXED_FIELD, 2, LAST_VERSION, WRITABLE, "PMI"},

    {REG_GLOBAL_CTRL, 0, 0, SPAN_GENERAL, 2, LAST_VERSION, WRITABLE, "EN_PMC"},
    {REG_GLOBAL_CTRL, 32, 32, SPAN_FIXED, 2, LAST_VERSION, WRITABLE, "EN_FIXED_CTR"},

    {REG_OVF_CTRL, 0, 0, SPAN_GENERAL, 2, LAST_VERSION, WRITABLE, "Clr Ovf_PMC"},
    {REG_OVF_CTRL, 32, 32, SPAN_FIXED, 2, LAST_VERSION, WRITABLE, "Clr Ovf_FIXED_CTR"},
    {REG_OVF_CTRL, 58, 58, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Clr LBR_Frz"},
    {REG_OVF_CTRL, 59, 59, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Clr CTR_Frz"},
    {REG_OVF_CTRL, 60, 60, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Clr ASCI"},
    {REG_OVF_CTRL, 61, 61, SPAN_ONCE, 3, LAST_VERSION, WRITABLE, "Clr Ovf_Uncore"},
    {REG_OVF_CTRL, 62, 62, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, "Clr OvfDSBuffer"},
    {REG_OVF_CTRL, 63, 63, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, "Clr CondChgd"},

    {REG_STATUS_SET, 0, 0, SPAN_GENERAL, 4, LAST_VERSION, WRITABLE, "Set Ovf_PMC"},
    {REG_STATUS_SET, 32, 32, SPAN_FIXED, 4, LAST_VERSION, WRITABLE, "Set Ovf_FIXED_CTR"},
    {REG_STATUS_SET, 58, 58, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Set LBR_Frz"},
    {REG_STATUS_SET, 59, 59, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Set CTR_Frz"},
    {REG_STATUS_SET, 60, 60, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Set ASCI"},
    {REG_STATUS_SET, 61, 61, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Set Ovf_Uncore"},
    {REG_STATUS_SET, 62, 62, SPAN_ONCE, 4, LAST_VERSION, WRITABLE, "Set OvfDSBuffer"},

    {REG_DEBUGCTL, 0, 0, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "LBR"},
    {REG_DEBUGCTL, 1, 1, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "BTF"},
    {REG_DEBUGCTL, 11, 11, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, "FREEZE_LBRS_ON_PMI"},
    {REG_DEBUGCTL, 12, 12, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, "FREEZE_PERFMON_ON_PMI"},

    {REG_MISC_ENABLE, 0, 0, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "fast strings"},
    {REG_MISC_ENABLE, 3, 3, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "thermal control"},
    {REG_MISC_ENABLE, 7, 7, SPAN_ONCE, 0, LAST_VERSION, IGNORED, "perfmon available"},
    {REG_MISC_ENABLE, 11, 11, SPAN_ONCE, 0, LAST_VERSION, IGNORED, "BTS unavailable"},
    {REG_MISC_ENABLE, 12, 12, SPAN_ONCE, 0, LAST_VERSION, IGNORED, "PEBS unavailable"},
    {REG_MISC_ENABLE, 16, 16, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "enhanced SpeedStep"},
    {REG_MISC_ENABLE, 18, 18, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "MONITOR FSM"},
    {REG_MISC_ENABLE, 23, 23, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, "xTPR disable"},

    {REG_OFFCORE, 0, 11, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "request"},
    {REG_OFFCORE, 15, 15, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "other request"},
    {REG_OFFCORE, 16, 37, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, "response"},
};

static bool has_need(const struct personality *p, enum need need)
{
	switch (need) {
	case NEED_CAPABILITIES:
		return p->has_capabilities;
	case NEED_FW_WRITE:
		return p->capabilities & PERF_CAP_FW_WRITE;
	case NEED_SKYLAKE:
		return p->events & EVENTS_SKYLAKE;
	default:
		return true;
	}
}

/* How many registers of this kind there are. */
static unsigned register_count(const struct personality *p, const struct msr_range *range)
{
	switch (range->reg) {
	case REG_PMC:
	case REG_PMC_WIDE:
	case REG_EVTSEL:
		return p->general;
	case REG_FIXED:
		return p->fixed;
	default:
		return range->count;
	}
}

static bool is_foreign(uint32_t msr)
{
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (msr >= foreign[i].first && msr <= foreign[i].last)
			return true;
	return false;
}

enum model_result register_find(const struct personality *personality, uint32_t msr, enum reg *reg,
				unsigned *index)
{
	for (size_t i = 0; i < COUNT(registers); i++) {
		const struct msr_range *range = &registers[i];

		if (msr < range->first || msr - range->first >= range->count)
			continue;
		*reg = range->reg;
		*index = msr - range->first;
		if (personality->version < range->since || !has_need(personality, range->need) ||
		    *index >= register_count(personality, range))
			return MODEL_GP;
		return MODEL_OK;
	}
	return is_foreign(msr) ? MODEL_GP : MODEL_NOT_PMU;
}

static uint64_t row_mask(const struct personality *p, const struct register_bits *row)
{
	uint64_t field = REG_BITS(row->first, row->last), mask = 0;

	switch (row->span) {
	case SPAN_GENERAL:
		return (REG_BIT(p->general) - 1) << row->first;
	case SPAN_FIXED:
		return (REG_BIT(p->fixed) - 1) << row->first;
	case SPAN_FIXED_FIELD:
		for (unsigned i = 0; i < p->fixed; i++)
			mask |= field << (i * FIXED_FIELD_BITS);
		return mask;
	default:
		return field;
	}
}

static uint64_t register_mask(const struct personality *p, enum reg reg, enum access access)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < COUNT(bits); i++) {
		const struct register_bits *row = &bits[i];

		if (row->reg == reg && row->access == access && p->version >= row->since &&
		    p->version <= row->until)
			mask |= row_mask(p, row);
	}
	return mask;
}

uint64_t register_writable(const struct personality *personality, enum reg reg)
{
	switch (reg) {
	case REG_PMC:
		return ~0ull; /* bits above 31 do not count */
	case REG_PMC_WIDE:
		return REG_BITS(0, personality->general_width - 1);
	case REG_FIXED:
		return REG_BITS(0, personality->fixed_width - 1);
	default:
		return register_mask(personality, reg, WRITABLE);
	}
}

uint64_t register_ignored(const struct personality *personality, enum reg reg)
{
	return register_mask(personality, reg, IGNORED);
}
