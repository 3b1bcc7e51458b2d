/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up PMU registers: the ones of the vendor that a personality has, and their bits. */
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/tables.h"

#include <stdbool.h>
#include <stddef.h>

#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/types.h"
#include "emulator/visor/model/base/vendor.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct register_table *const tables[] = {&intel_registers, &amd_registers};

/* Registers in no vendor's table here: an access raises #GP instead of reaching the machine. */
static const struct {
	uint32_t first, last;
} foreign[] = {
    {0x00000040, 0x00000047}, /* LBR from (Core) */
    {0x00000060, 0x00000067}, /* LBR to (Core) */
    {0x0000030d, 0x00000310}, /* further fixed counters */
    {0x000003f8, 0x000003fa}, /* time in idle states */
    {0x000003fc, 0x000003ff}, {0x0000060d, 0x0000060d},
    {0x00000630, 0x00000632}, {0x00000641, 0x00000641}, /* energy of graphics, of the platform */
    {0x0000064d, 0x0000064d}, {0x0000064e, 0x0000064e}, /* MSR_PPERF */
    {0x00000562, 0x0000056f},                           /* further registers of Processor Trace */
    {0x00000573, 0x0000057f}, {0x00000584, 0x00000587},
    {0x00001900, 0x000019ff}, /* aliases of the counters (leaf 23H) */
    {0xc001020c, 0xc001020f}, /* further AMD core counters */
    {0xc0010230, 0xc001023b}, /* AMD L3 */
    {0xc0010240, 0xc001024f}, /* AMD data fabric */
    {0xc001103d, 0xc001103d}, /* further data of AMD's IBS */
};

/* Returns the number of registers of this kind. */
static unsigned register_count(const struct personality *p, const struct msr_range *range)
{
	switch (range->reg) {
	case REG_PMC:
	case REG_PMC_WIDE:
	case REG_EVTSEL:
		return p->general;
	case REG_FIXED:
		return p->fixed;
	case REG_LBR_FROM:
	case REG_LBR_TO:
	case REG_LBR_INFO:
	case REG_LBR_AMD_FROM:
	case REG_LBR_AMD_TO:
		return lbr_layout(p)->depth;
	default:
		return range->count;
	}
}

/* Returns the index of the register in the row, or -1. */
static int range_index(const struct msr_range *range, uint32_t msr)
{
	uint32_t offset = msr - range->first;

	if (msr < range->first || offset % range->step || offset / range->step >= range->count)
		return -1;
	return (int)(offset / range->step);
}

static bool has(const struct personality *p, uint32_t needs)
{
	return (p->features & needs) == needs;
}

/* True for a register of some vendor's PMU. */
static bool is_known(uint32_t msr)
{
	for (size_t t = 0; t < COUNT(tables); t++)
		for (unsigned i = 0; i < tables[t]->nr_ranges; i++)
			if (range_index(&tables[t]->ranges[i], msr) >= 0)
				return true;
	for (size_t i = 0; i < COUNT(foreign); i++)
		if (msr >= foreign[i].first && msr <= foreign[i].last)
			return true;
	return false;
}

void model_each_msr(void (*visit)(uint32_t msr, void *context), void *context)
{
	for (size_t t = 0; t < COUNT(tables); t++)
		for (unsigned i = 0; i < tables[t]->nr_ranges; i++) {
			const struct msr_range *range = &tables[t]->ranges[i];

			for (unsigned number = 0; number < range->count; number++)
				visit(range->first + number * range->step, context);
		}
	for (size_t i = 0; i < COUNT(foreign); i++)
		for (uint32_t msr = foreign[i].first; msr <= foreign[i].last; msr++)
			visit(msr, context);
}

enum model_result register_find(const struct personality *personality, uint32_t msr, enum reg *reg,
				unsigned *index)
{
	const struct register_table *table = personality->vendor->registers;

	for (unsigned i = 0; i < table->nr_ranges; i++) {
		const struct msr_range *range = &table->ranges[i];
		int number = range_index(range, msr);

		if (number < 0 || personality->version < range->since ||
		    !has(personality, range->needs) ||
		    (unsigned)number >= register_count(personality, range))
			continue;
		*reg = range->reg;
		*index = (unsigned)number;
		return MODEL_OK;
	}
	return is_known(msr) ? MODEL_GP : MODEL_NOT_PMU;
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
	const struct register_table *table = p->vendor->registers;
	uint64_t mask = 0;

	for (unsigned i = 0; i < table->nr_bits; i++) {
		const struct register_bits *row = &table->bits[i];

		if (row->reg == reg && row->access == access && p->version >= row->since &&
		    p->version <= row->until && has(p, row->needs))
			mask |= row_mask(p, row);
	}
	return mask;
}

/* DEBUGCTL's enable bit of last branch records, which has no effect if they are architectural, with
 * an enable bit of their own. */
static uint64_t dead_bits(const struct personality *p, enum reg reg)
{
	return reg == REG_DEBUGCTL && lbr_format(p) == LBR_ARCH ? DEBUGCTL_LBR : 0;
}

/* Returns the mask of a counter; 0: there is none. */
static uint64_t width_mask(unsigned width)
{
	return width ? REG_BITS(0, width - 1) : 0;
}

uint64_t register_writable(const struct personality *personality, enum reg reg)
{
	switch (reg) {
	case REG_PMC:
		return ~0ull; /* bits above 31 do not count */
	case REG_PMC_WIDE:
		return width_mask(personality->general_width);
	case REG_FIXED:
		return width_mask(personality->fixed_width);
	default:
		return register_mask(personality, reg, WRITABLE) & ~dead_bits(personality, reg);
	}
}

uint64_t register_ignored(const struct personality *personality, enum reg reg)
{
	return register_mask(personality, reg, IGNORED) | dead_bits(personality, reg);
}

bool register_accepts(const struct personality *personality, enum reg reg, uint64_t value)
{
	switch (reg) {
	case REG_LBR_FROM:
		return lbr_from_valid(personality, value);
	case REG_LBR_TO:
	case REG_DS_AREA:
	case REG_RTIT_RANGE:
		return lbr_address_valid(value);
	case REG_LBR_DEPTH:
		return lbr_depth_valid(personality, value);
	default:
		return true;
	}
}
