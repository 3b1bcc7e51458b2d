/* SPDX-License-Identifier: BSD-2-Clause */
/* The energy model: picojoules by event, registers in their unit. M. Horowitz, "Computing's energy
 * problem", ISSCC 2014, for instructions and accesses; docs/emulated-pmu.md for the others. */
#include "emulator/visor/model/base/energy.h"
#include "emulator/visor/model/base/tables.h"

#include <stddef.h>

#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/vendor.h"

_Static_assert((int)ENERGY_DOMAINS == MODEL_ENERGY_DOMAINS, "model.h");

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Static power, in milliwatts, which are picojoules a nanosecond. */
static const uint16_t static_mw[ENERGY_DOMAINS] = {
    [ENERGY_CORES] = 200, [ENERGY_PACKAGE] = 1000, [ENERGY_MEMORY] = 500};

/* Picojoules of an event, and the domains that have them: a package includes its cores. */
#define IN_CORES  (1u << ENERGY_CORES | 1u << ENERGY_PACKAGE)
#define IN_UNCORE (1u << ENERGY_PACKAGE)
#define IN_MEMORY (1u << ENERGY_MEMORY)

static const struct {
	uint16_t quantity; /* enum core_quantity */
	uint16_t picojoules;
	uint8_t domains;
} costs[] = {
    {CORE_CYCLES, 200, IN_CORES},        {CORE_INSTRUCTIONS, 70, IN_CORES},
    {CORE_MISPREDICTED, 2000, IN_CORES}, {CORE_L1D_LOADS, 20, IN_CORES},
    {CORE_L1D_STORES, 20, IN_CORES},     {CORE_L1I_FETCHES, 20, IN_CORES},
    {CORE_L2_LOADS, 100, IN_CORES},      {CORE_L2_STORES, 100, IN_CORES},
    {CORE_L2_CODE, 100, IN_CORES},       {CORE_LAST_REQUESTS, 1000, IN_UNCORE},
    {CORE_LAST_MISSES, 2000, IN_UNCORE}, {CORE_LAST_MISSES, 16000, IN_MEMORY},
};

/* Without a simulated core an instruction has a cycle and a third of an access. */
#define PICOJOULES_AN_INSTRUCTION 300

#define NS_PER_MS              1000000ull
#define UNITS_PER_JOULE(shift) (1ull << (shift))
#define PICO                   1000000000000ull
#define ENERGY_MASK            0xffffffffull
/* The unit register: bits 12:8 the energy's, 2^-n joules; power in eighths of a watt, time. */
#define UNIT_INTEL 14
#define UNIT_AMD   16
#define UNIT_REST  0xa0003ull
#define BEFORE     PICO /* the machine was on before: a joule */

void energy_retire(struct model *model, const struct model_work *work)
{
	uint64_t *sums = model->energy.picojoules;

	if (!model->energy.live)
		return;
	if (!work->quantities) {
		sums[ENERGY_CORES] += work->instructions * PICOJOULES_AN_INSTRUCTION;
		sums[ENERGY_PACKAGE] += work->instructions * PICOJOULES_AN_INSTRUCTION;
		return;
	}
	for (size_t i = 0; i < COUNT(costs); i++)
		for (unsigned domain = 0; domain < ENERGY_DOMAINS; domain++)
			if (costs[i].domains & 1u << domain)
				sums[domain] +=
				    work->quantities[costs[i].quantity] * costs[i].picojoules;
}

static unsigned unit_of(const struct model *model)
{
	return model_is_intel(model) ? UNIT_INTEL : UNIT_AMD;
}

uint64_t energy_unit(const struct model *model)
{
	return UNIT_REST | (uint64_t)unit_of(model) << 8;
}

/* Returns value * factor / divisor, where the remainder times the factor fits 64 bits. */
static uint64_t scaled(uint64_t value, uint64_t factor, uint64_t divisor)
{
	return value / divisor * factor + value % divisor * factor / divisor;
}

static uint64_t nanoseconds(const struct model *model, uint64_t ticks)
{
	return model->tsc_khz ? scaled(ticks, NS_PER_MS, model->tsc_khz) : ticks;
}

uint64_t energy_read(const struct model *model, enum energy_domain domain)
{
	const struct energy *energy = &model->energy;
	uint64_t picojoules = BEFORE + nanoseconds(model, energy->now) * static_mw[domain] +
			      energy->picojoules[domain] + energy->others[domain];

	return scaled(picojoules, UNITS_PER_JOULE(unit_of(model)), PICO) & ENERGY_MASK;
}

uint64_t energy_c1(const struct model *model)
{
	return model->energy.halted;
}

void model_add_energy(const struct model *model, uint64_t sums[MODEL_ENERGY_DOMAINS])
{
	for (unsigned domain = 0; domain < ENERGY_DOMAINS; domain++)
		sums[domain] += model->energy.picojoules[domain];
}

void model_count_energy(struct model *model)
{
	model->energy.live = true;
}

void model_halted(struct model *model, uint64_t ticks)
{
	model->energy.halted += ticks;
}

/* The reads of a kernel's start, which looks whether the registers are there. */
#define READS_OF_START 1

bool model_notice_read(struct model *model, uint32_t msr, uint64_t tsc,
		       const uint64_t others[MODEL_ENERGY_DOMAINS])
{
	enum reg reg;
	unsigned index;
	bool was = model->energy.live;

	if (register_find(model->personality, msr, &reg, &index) != MODEL_OK ||
	    (reg != REG_ENERGY_CORES && reg != REG_ENERGY_PACKAGE && reg != REG_ENERGY_MEMORY))
		return false;
	model->energy.now = tsc;
	for (unsigned domain = 0; domain < ENERGY_DOMAINS; domain++)
		model->energy.others[domain] = others[domain];
	model->energy.live |= reg == REG_ENERGY_PACKAGE && ++model->energy.reads > READS_OF_START;
	return model->energy.live && !was;
}
