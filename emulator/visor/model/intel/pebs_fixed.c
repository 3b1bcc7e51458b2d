/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records of formats 0 to 3, each with a few words more than the one before, and the events
 * that can make them. Source: Intel SDM vol. 3, "PEBS Record Format" of Core 2, Nehalem, Haswell
 * and Skylake, and their tables of precise events. */
#include "emulator/visor/model/intel/pebs_build.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FORMAT_ACCESS   1 /* Nehalem: status, access */
#define FORMAT_EVENTING 2 /* Haswell: the instruction's own address, transaction */
#define FORMAT_TIME     3 /* Skylake: the TSC; the status holds the record's counters only */

#define LATENCY_SHIFT 32 /* PEBS_ENABLE: LL_EN_PMCn */

/* Event selects, by their unit mask or with any; with other fields, as CMASK, as well. */
#define ANY_UMASK 0x100
static const struct {
	uint32_t sets;
	uint16_t select, umask;
} precise[] = {
    {EVENTS_CORE2, 0xc0, 0x00},      /* INST_RETIRED.ANY_P */
    {EVENTS_CORE2, 0xc1, 0xfe},      /* X87_OPS_RETIRED.ANY */
    {EVENTS_CORE2, 0xc5, 0x00},      /* BR_INST_RETIRED.MISPRED */
    {EVENTS_CORE2, 0xc7, 0x1f},      /* SIMD_INST_RETIRED.ANY */
    {EVENTS_CORE2, 0xcb, ANY_UMASK}, /* MEM_LOAD_RETIRED */

    {EVENTS_NEHALEM, 0x0b, ANY_UMASK}, /* MEM_INST_RETIRED */
    {EVENTS_NEHALEM, 0x0c, 0x01},      /* MEM_STORE_RETIRED.DTLB_MISS */
    {EVENTS_NEHALEM, 0x0f, ANY_UMASK}, /* MEM_UNCORE_RETIRED */
    {EVENTS_NEHALEM, 0xc0, ANY_UMASK}, /* INST_RETIRED */
    {EVENTS_NEHALEM, 0xc2, ANY_UMASK}, /* UOPS_RETIRED */
    {EVENTS_NEHALEM, 0xc4, ANY_UMASK}, /* BR_INST_RETIRED */
    {EVENTS_NEHALEM, 0xc5, 0x02},      /* BR_MISP_RETIRED.NEAR_CALL */
    {EVENTS_NEHALEM, 0xc7, ANY_UMASK}, /* SSEX_UOPS_RETIRED */
    {EVENTS_NEHALEM, 0xc8, 0x20},      /* ITLB_MISS_RETIRED */
    {EVENTS_NEHALEM, 0xcb, ANY_UMASK}, /* MEM_LOAD_RETIRED */
    {EVENTS_NEHALEM, 0xf7, ANY_UMASK}, /* FP_ASSIST */

    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xc0, ANY_UMASK}, /* INST_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xc2, ANY_UMASK}, /* UOPS_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xc4, ANY_UMASK}, /* BR_INST_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xc5, ANY_UMASK}, /* BR_MISP_RETIRED */
    {EVENTS_HASWELL, 0xc8, ANY_UMASK},                       /* HLE_RETIRED */
    {EVENTS_HASWELL, 0xc9, ANY_UMASK},                       /* RTM_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xcd, ANY_UMASK}, /* MEM_TRANS_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xd0, ANY_UMASK}, /* MEM_UOPS_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xd1, ANY_UMASK}, /* MEM_LOAD_UOPS_RETIRED */
    {EVENTS_SANDY_BRIDGE | EVENTS_HASWELL, 0xd2, ANY_UMASK}, /* ..._L3_HIT_RETIRED */
    {EVENTS_HASWELL, 0xd3, ANY_UMASK},                       /* ..._L3_MISS_RETIRED */

    {EVENTS_SKYLAKE, 0xc0, ANY_UMASK}, /* INST_RETIRED */
    {EVENTS_SKYLAKE, 0xc1, ANY_UMASK}, /* OTHER_ASSISTS */
    {EVENTS_SKYLAKE, 0xc4, ANY_UMASK}, /* BR_INST_RETIRED */
    {EVENTS_SKYLAKE, 0xc5, ANY_UMASK}, /* BR_MISP_RETIRED */
    {EVENTS_SKYLAKE, 0xc6, ANY_UMASK}, /* FRONTEND_RETIRED */
    {EVENTS_SKYLAKE, 0xc8, ANY_UMASK}, /* HLE_RETIRED */
    {EVENTS_SKYLAKE, 0xc9, ANY_UMASK}, /* RTM_RETIRED */
    {EVENTS_SKYLAKE, 0xcd, ANY_UMASK}, /* MEM_TRANS_RETIRED */
    {EVENTS_SKYLAKE, 0xd0, ANY_UMASK}, /* MEM_INST_RETIRED */
    {EVENTS_SKYLAKE, 0xd1, ANY_UMASK}, /* MEM_LOAD_RETIRED */
    {EVENTS_SKYLAKE, 0xd2, ANY_UMASK}, /* MEM_LOAD_L3_HIT_RETIRED */
};

bool pebs_is_precise(const struct personality *personality, uint64_t select)
{
	unsigned code = evtsel_code(select), umask = evtsel_umask(select);

	for (unsigned i = 0; i < COUNT(precise); i++)
		if ((precise[i].sets & personality->events) && precise[i].select == code &&
		    (precise[i].umask == ANY_UMASK || precise[i].umask == umask))
			return true;
	return false;
}

/* Events whose records have the access's address, where the format has any ("DataLA"). */
static bool record_has_address(uint64_t select)
{
	unsigned code = evtsel_code(select);

	return code >= 0xd0 && code <= 0xd2;
}

static void put_registers(struct pebs_record *record, const struct model_pebs_source *source)
{
	static const uint8_t order[] = {0, 3, 1, 2, 6, 7, 5, 4}; /* RAX, RBX, RCX ... RSP */

	pebs_put(record, source->flags);
	pebs_put(record, source->ip);
	for (unsigned i = 0; i < 16; i++)
		pebs_put(record, source->gpr[i < COUNT(order) ? order[i] : i]);
}

/* Whether a counter of the record samples latencies, as far as LL_EN_PMCn lets it; `known`: the
 * access of its event is known at all. */
static bool measures(const struct model *model, bool *known)
{
	bool measured = false;

	for (unsigned i = 0; i < model->personality->general; i++) {
		uint64_t select = model->select[i];

		if (!(model->pebs.ready >> i & 1))
			continue;
		measured |=
		    pebs_measures(select) && (model->pebs.enable >> (LATENCY_SHIFT + i) & 1);
		*known |= pebs_format(model) >= FORMAT_EVENTING && record_has_address(select);
	}
	*known |= measured;
	return measured;
}

static void put_access(const struct model *model, struct pebs_record *record,
		       const struct model_pebs_source *source)
{
	struct pebs_access access = {0};
	bool known = false, measured = measures(model, &known);

	if (known)
		access = pebs_find_access(model, source, measured);
	pebs_put(record, access.address);
	pebs_put(record, access.aux);
	pebs_put(record, access.cycles);
}

void pebs_build_fixed(const struct model *model, struct pebs_record *record,
		      const struct model_pebs_source *source)
{
	unsigned format = pebs_format(model);

	put_registers(record, source);
	if (format < FORMAT_ACCESS)
		return;
	pebs_put(record, model->pebs.ready | (format < FORMAT_TIME ? model->status : 0));
	put_access(model, record, source);
	if (format < FORMAT_EVENTING)
		return;
	pebs_put(record, source->event_ip);
	pebs_put(record, pebs_transaction(model));
	if (format >= FORMAT_TIME)
		pebs_put(record, source->tsc);
}
