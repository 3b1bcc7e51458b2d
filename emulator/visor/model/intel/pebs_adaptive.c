/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records of format 4: a basic group, then the groups of MSR_PEBS_DATA_CFG. Source: Intel
 * SDM vol. 3, "Adaptive PEBS". */
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/intel/pebs_build.h"

#define CONFIG_MEMORY        REG_BIT(0)
#define CONFIG_GPRS          REG_BIT(1)
#define CONFIG_XMMS          REG_BIT(2)
#define CONFIG_BRANCH        REG_BIT(3)
#define CONFIG_ENTRIES       REG_BITS(24, 31) /* branches, less one */
#define CONFIG_ENTRIES_SHIFT 24
#define SIZE_SHIFT           48

/* The latency of the whole instruction, and in front of it that of its access. */
#define ACCESS_LATENCY_SHIFT 32
#define INSTRUCTION_CYCLES   2 /* added by the rest of it */

static bool measures_accesses(const struct model *model)
{
	for (unsigned i = 0; i < model->personality->general; i++)
		if ((model->pebs.ready >> i & 1) && pebs_measures(model->select[i]))
			return true;
	return false;
}

static void put_memory(const struct model *model, struct pebs_record *record,
		       const struct model_pebs_source *source)
{
	bool measured = measures_accesses(model);
	struct pebs_access access = pebs_find_access(model, source, measured);

	pebs_put(record, access.address);
	pebs_put(record, access.aux);
	pebs_put(record, measured ? access.cycles << ACCESS_LATENCY_SHIFT |
					(access.cycles + INSTRUCTION_CYCLES)
				  : 0);
	pebs_put(record, pebs_transaction(model));
}

static void put_registers(struct pebs_record *record, const struct model_pebs_source *source)
{
	pebs_put(record, source->flags);
	pebs_put(record, source->ip);
	for (unsigned i = 0; i < 16; i++)
		pebs_put(record, source->gpr[i]);
}

static void put_xmms(struct pebs_record *record, const struct model_pebs_source *source)
{
	source->read_xmms(source->context, &record->words[record->count]);
	record->count += MODEL_XMM_WORDS;
}

/* The newest comes first. There is a place for each branch that was asked for, whether it is known
 * or not. */
static void put_branches(struct model *model, struct pebs_record *record, unsigned entries)
{
	for (unsigned age = 0; age < entries; age++) {
		struct lbr_entry none = {0}, *branch = &none;

		if (age < model->lbr.depth)
			branch = lbr_entry_of_age(model, age);
		pebs_put(record, branch->from);
		pebs_put(record, branch->to);
		pebs_put(record, branch->info);
	}
}

/* Only counters that ask for it get more than the basic group. */
static bool is_adaptive(const struct model *model)
{
	for (unsigned i = 0; i < model->personality->general; i++)
		if ((model->pebs.ready >> i & 1) && (model->select[i] & EVTSEL_ADAPTIVE))
			return true;
	for (unsigned i = 0; i < model->personality->fixed; i++)
		if ((model->pebs.ready >> (GLOBAL_FIXED_SHIFT + i) & 1) &&
		    (model->fixed_control & FIXED_ADAPTIVE(i)))
			return true;
	return false;
}

void pebs_build_adaptive(struct model *model, struct pebs_record *record,
			 const struct model_pebs_source *source)
{
	uint64_t config = is_adaptive(model) ? model->pebs.config : 0;
	unsigned entries = ((config & CONFIG_ENTRIES) >> CONFIG_ENTRIES_SHIFT) + 1;

	pebs_put(record, 0);
	pebs_put(record, source->event_ip);
	pebs_put(record, model->pebs.ready);
	pebs_put(record, source->tsc);
	if (config & CONFIG_MEMORY)
		put_memory(model, record, source);
	if (config & CONFIG_GPRS)
		put_registers(record, source);
	if (config & CONFIG_XMMS)
		put_xmms(record, source);
	if (config & CONFIG_BRANCH)
		put_branches(model, record, entries < PEBS_BRANCHES ? entries : PEBS_BRANCHES);
	record->words[0] = config | (uint64_t)(record->count * sizeof(uint64_t)) << SIZE_SHIFT;
}
