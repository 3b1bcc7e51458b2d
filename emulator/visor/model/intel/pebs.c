/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PEBS records. Source: Intel SDM vol. 3, "Adaptive PEBS", "DS Save Area"; vol. 4 for the
 * registers. */
#include "emulator/visor/model/core/pebs_state.h"

#include <stddef.h>

#include "abi/core_page.h"
#include "emulator/visor/model/core/counter.h"
#include "emulator/visor/model/core/lbr/lbr.h"
#include "emulator/visor/model/core/model_state.h"
#include "emulator/visor/model/core/personality.h"
#include "emulator/visor/model/core/registers.h"

#define CONFIG_MEMORY        REG_BIT(0)
#define CONFIG_GPRS          REG_BIT(1)
#define CONFIG_XMMS          REG_BIT(2)
#define CONFIG_BRANCH        REG_BIT(3)
#define CONFIG_ENTRIES       REG_BITS(24, 31) /* branches, less one */
#define CONFIG_ENTRIES_SHIFT 24
#define SIZE_SHIFT           48

#define BASIC_WORDS  4
#define MEMORY_WORDS 4
#define GPR_WORDS    18
#define BRANCH_WORDS 3
#define RECORD_WORDS \
	(BASIC_WORDS + MEMORY_WORDS + GPR_WORDS + MODEL_XMM_WORDS + PEBS_BRANCHES * BRANCH_WORDS)

#define PEBS_BRANCHES 32

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The part of the debug store that PEBS uses. */
#define DS_BUFFER       0x20
#define DS_INDEX        0x28
#define DS_RESETS       0x40
#define DS_RESETS_FIXED 0x80

struct ds_buffer {
	uint64_t base, index, maximum, threshold;
};

/* MEM_TRANS_RETIRED */
#define LOAD_LATENCY 0x01cd
#define STORE_SAMPLE 0x02cd
/* Gracemont's codes, of MEM_UOPS_RETIRED; other personalities count nothing for them. */
#define ATOM_LOAD_LATENCY  0x05d0
#define ATOM_STORE_LATENCY 0x06d0

/* The latency of the whole instruction; the access's latency is above it. */
#define ACCESS_LATENCY_SHIFT 32
#define INSTRUCTION_CYCLES   2 /* latency of the rest of the instruction */

/* Flags besides the data source. */
#define SOURCE_WALK   REG_BIT(4) /* not in the second-level TLB */
#define SOURCE_LOCKED REG_BIT(5)

/* The records' memory accesses, in turn: data source and latency in cycles
 * (docs/emulated-pmu.md). */
static const struct {
	uint8_t source, cycles;
} accesses[16] = {
    {1, 5}, {1, 5},  {1, 5}, {1, 5}, {3, 14}, {1, 5}, {1, 5}, {4, 45},
    {1, 5}, {2, 10}, {1, 5}, {1, 5}, {3, 14}, {1, 5}, {1, 5}, {12, 210},
};
#define SLOWEST 15

struct record {
	uint64_t words[RECORD_WORDS];
	unsigned count;
};

static void put(struct record *record, uint64_t word)
{
	record->words[record->count++] = word;
}

static bool has_latency(uint64_t code)
{
	return code == LOAD_LATENCY || code == STORE_SAMPLE || code == ATOM_LOAD_LATENCY ||
	       code == ATOM_STORE_LATENCY;
}

#define STORES_BIT       0x02u /* among MEM_INST_RETIRED's unit masks: 12H, 42H, 82H */
#define MEM_INST_RETIRED 0xd0u

static bool counts_stores(uint64_t select)
{
	uint64_t code = select & (EVTSEL_EVENT | EVTSEL_UMASK);

	return code == STORE_SAMPLE || code == ATOM_STORE_LATENCY ||
	       ((code & EVTSEL_EVENT) == MEM_INST_RETIRED && (code >> 8 & STORES_BIT));
}

static bool measures_accesses(const struct model *model)
{
	for (unsigned i = 0; i < model->personality->general; i++) {
		uint64_t code = model->select[i] & (EVTSEL_EVENT | EVTSEL_UMASK);

		if ((model->pebs.ready >> i & 1) && has_latency(code))
			return true;
	}
	return false;
}

static uint64_t latencies(uint64_t cycles)
{
	return cycles << ACCESS_LATENCY_SHIFT | (cycles + INSTRUCTION_CYCLES);
}

/* For a quirk: an abort by a conflict, in a last block of 7 cycles. */
#define TSX_ABORT  (REG_BIT(33) | REG_BIT(34) | REG_BIT(37))
#define TSX_CYCLES 7

static uint64_t transaction(const struct model *model)
{
	bool ends = model->abort_every && model->pebs.records % model->abort_every == 0;

	return ends ? TSX_ABORT | TSX_CYCLES : 0;
}

static bool is_gracemont(const struct model *model)
{
	return model->personality->events & EVENTS_GRACEMONT;
}

/* Source: SDM vol. 3, "Data Source Encoding"; Gracemont encodes modified lines of other cores
 * differently. */
static uint64_t data_source(const struct model *model, const struct core_access *access)
{
	static const uint8_t sources[] = {
	    [CORE_LEVEL_L1] = 1, [CORE_LEVEL_FILL] = 2, [CORE_LEVEL_L2] = 3,
	    [CORE_LEVEL_L3] = 4, [CORE_LEVEL_HITM] = 7, [CORE_LEVEL_MEMORY] = 10,
	};
	uint64_t source = access->level < COUNT(sources) ? sources[access->level] : 0;

	if (access->level == CORE_LEVEL_HITM && is_gracemont(model))
		source = 6;
	return source | (access->flags & CORE_ACCESS_WALK ? SOURCE_WALK : 0) |
	       (access->flags & CORE_ACCESS_LOCKED ? SOURCE_LOCKED : 0);
}

/* Returns the access that the counters' events are about: by default the load. */
static const struct core_access *sampled_access(const struct model *model,
						const struct model_pebs_source *source)
{
	bool of_stores = false;

	for (unsigned i = 0; i < model->personality->general; i++)
		if (model->pebs.ready >> i & 1)
			of_stores |= counts_stores(model->select[i]);
	return of_stores || !source->load->level ? source->store : source->load;
}

/* Writes the access that the core saw. Events without latency report only whether a store hit. */
static void put_access(struct model *model, struct record *record,
		       const struct model_pebs_source *source)
{
	const struct core_access *access = sampled_access(model, source);
	bool measured = measures_accesses(model);
	uint64_t aux = data_source(model, access);

	if (!measured)
		aux = (aux & (SOURCE_WALK | SOURCE_LOCKED)) | (access->level == CORE_LEVEL_L1);
	put(record, access->address);
	put(record, aux);
	put(record, measured ? latencies(access->cycles) : 0);
	put(record, transaction(model));
}

/* Without a core: writes the next access that is slow enough for a load-latency event. Other events
 * report only whether the access hit the first level. */
static void put_memory(struct model *model, struct record *record,
		       const struct model_pebs_source *source)
{
	bool measured = measures_accesses(model);
	unsigned i = model->pebs.records % 16;

	while (measured && i != SLOWEST && accesses[i].cycles < model->pebs.load_limit)
		i++;
	put(record, source->address);
	put(record, measured ? accesses[i].source : accesses[i].source == 1);
	put(record, measured ? latencies(accesses[i].cycles) : 0);
	put(record, transaction(model));
}

static void put_registers(struct record *record, const struct model_pebs_source *source)
{
	put(record, source->flags);
	put(record, source->ip);
	for (unsigned i = 0; i < 16; i++)
		put(record, source->gpr[i]);
}

static void put_xmms(struct record *record, const struct model_pebs_source *source)
{
	source->read_xmms(source->context, &record->words[record->count]);
	record->count += MODEL_XMM_WORDS;
}

/* The newest comes first. Every requested branch has an entry, known or not. */
static void put_branches(struct model *model, struct record *record, unsigned entries)
{
	for (unsigned age = 0; age < entries; age++) {
		struct lbr_entry none = {0}, *branch = &none;

		if (age < model->lbr.depth)
			branch = lbr_entry_of_age(model, age);
		put(record, branch->from);
		put(record, branch->to);
		put(record, branch->info);
	}
}

/* True if a counter requests more than the basic group. */
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

static void build(struct model *model, struct record *record,
		  const struct model_pebs_source *source)
{
	uint64_t config = is_adaptive(model) ? model->pebs.config : 0;
	unsigned entries = ((config & CONFIG_ENTRIES) >> CONFIG_ENTRIES_SHIFT) + 1;

	record->count = 0;
	put(record, 0);
	put(record, source->event_ip);
	put(record, model->pebs.ready);
	put(record, source->tsc);
	if ((config & CONFIG_MEMORY) && source->load)
		put_access(model, record, source);
	else if (config & CONFIG_MEMORY)
		put_memory(model, record, source);
	if (config & CONFIG_GPRS)
		put_registers(record, source);
	if (config & CONFIG_XMMS)
		put_xmms(record, source);
	if (config & CONFIG_BRANCH)
		put_branches(model, record, entries < PEBS_BRANCHES ? entries : PEBS_BRANCHES);
	record->words[0] = config | (uint64_t)(record->count * sizeof(uint64_t)) << SIZE_SHIFT;
}

/* The counter continues from its reset value; its count since the overflow is kept. */
static void reload(struct model *model, unsigned slot, const struct model_pebs_source *source)
{
	uint64_t at = slot < MODEL_MAX_GENERAL ? DS_RESETS + 8 * slot
					       : DS_RESETS_FIXED + 8 * (slot - MODEL_MAX_GENERAL);
	struct model_counter *counter = &model->counters[slot];
	uint64_t reset;

	if (source->read(source->context, model->pebs.ds_area + at, &reset, sizeof(reset)))
		counter->value = (counter->value + reset) & counter_mask(model, slot);
}

static void reload_all(struct model *model, const struct model_pebs_source *source)
{
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (model->pebs.ready & counter_bit(slot))
			reload(model, slot, source);
}

/* False: the record does not fit, or the buffer is not mapped. */
static bool append(const struct model *model, struct ds_buffer *buffer, const struct record *record,
		   const struct model_pebs_source *source)
{
	unsigned bytes = record->count * (unsigned)sizeof(uint64_t);

	if (buffer->index > buffer->maximum || buffer->maximum - buffer->index < bytes)
		return false;
	if (!source->write(source->context, buffer->index, record->words, bytes))
		return false;
	buffer->index += bytes;
	return source->write(source->context, model->pebs.ds_area + DS_INDEX, &buffer->index,
			     sizeof(buffer->index));
}

void model_pebs_record(struct model *model, const struct model_pebs_source *source)
{
	struct ds_buffer buffer;
	struct record record;

	build(model, &record, source);
	model->pebs.records++;
	if (source->read(source->context, model->pebs.ds_area + DS_BUFFER, &buffer,
			 sizeof(buffer))) {
		append(model, &buffer, &record, source);
		reload_all(model, source);
		if (buffer.index >= buffer.threshold) {
			model->status |= STATUS_DS_BUFFER;
			model->pmi_pending = true;
		}
	}
	model->pebs.armed &= ~model->pebs.ready;
	model->pebs.ready = 0;
}

bool model_pebs_waits(const struct model *model)
{
	return model->pebs.armed;
}

bool model_pebs_ready(const struct model *model)
{
	return model->pebs.ready;
}

/* LOAD_LATENCY counts slow loads even if no record is taken. */
bool model_samples_accesses(const struct model *model, uint32_t *slow_cycles)
{
	*slow_cycles = (uint32_t)model->pebs.load_limit;
	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (model->counters[slot].sum.terms[0] == CORE_LOADS_SLOW)
			return true;
	return model->pebs.enable || model_ibs_waits(model);
}
