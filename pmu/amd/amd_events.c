/* SPDX-License-Identifier: BSD-2-Clause */
/* From perf_event_attr to AMD's PERF_CTL: codes, and unsupported attributes. */
#include <linux/errno.h>
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/ibs.h"
#include "pmu/base/registers.h"

/* Bits that a raw config may set: the others are ignored, as on Linux. */
#define RAW_MASK                                                                        \
	(EVTSEL_EVENT | EVTSEL_AMD_EVENT | EVTSEL_UMASK | EVTSEL_EDGE | EVTSEL_INVERT | \
	 EVTSEL_CMASK)

#define EVEN_COUNTERS 0x5555555555555555ul

static int configure_code(struct perf_event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return hw_configure_generic(event);
	case PERF_TYPE_HW_CACHE:
		return hw_configure_cache(event);
	default:
		event->hw.config |= event->attr.config & RAW_MASK;
		return 0;
	}
}

/* Moves a precise event to instruction-based sampling. Returns -ENOENT: the event belongs to
 * another PMU now, or to none. */
static int configure_precise(struct perf_event *event)
{
	if (event->attr.precise_ip > IBS_MAX_PRECISE)
		return -EOPNOTSUPP;
	ibs_takes_precise(event);
	return -ENOENT;
}

#define EVENT_FLOPS 0x003 /* retired floating point operations */

/* Gives an event that makes more increments a cycle than a counter takes a pair: an even counter,
 * and the next one to extend it. */
static void configure_pair(struct hw_event *hw)
{
	const struct amd_model *model = (const struct amd_model *)hw->kind->model;
	uint64_t code = hw->config & (EVTSEL_EVENT | EVTSEL_AMD_EVENT), general = hw->kind->general;

	hw->pair = model->pairs && code == EVENT_FLOPS;
	if (hw->pair)
		hw->allowed = general & general >> 1 & EVEN_COUNTERS;
}

int amd_configure(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int err;

	if (attr->precise_ip && ibs_caps)
		return configure_precise(event);
	if (attr->precise_ip || ((attr->sample_type & PERF_SAMPLE_BRANCH_STACK) && !lbr_format))
		return -EOPNOTSUPP;
	if ((attr->sample_regs_user | attr->sample_regs_intr) & REGISTERS_EXTENDED)
		return -EINVAL;
	hw_configure_begin(event);
	err = configure_code(event);
	if (!err && (attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		err = lbr_configure(event);
	if (err)
		return err;
	event->hw.allowed = hw_general_counters(&event->hw);
	configure_pair(&event->hw);
	return attr->aux_output ? -EOPNOTSUPP : 0;
}
