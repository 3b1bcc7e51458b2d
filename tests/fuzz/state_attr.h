/* SPDX-License-Identifier: BSD-2-Clause */
/* Random attrs that are mostly valid: what state_steps.h opens. */
#ifndef TESTS_FUZZ_STATE_ATTR_H
#define TESTS_FUZZ_STATE_ATTR_H

#include "tests/fuzz/fuzz.h"

static bool chance(unsigned in)
{
	return random_below(in) == 0;
}

static void random_event(struct perf_event_attr *attr)
{
	static const struct {
		uint32_t type, configs;
	} kinds[] = {
	    {PERF_TYPE_HARDWARE, 10}, {PERF_TYPE_SOFTWARE, 11}, {PERF_TYPE_SOFTWARE, 4},
	    {PERF_TYPE_HW_CACHE, 3},  {PERF_TYPE_RAW, 0},
	};
	unsigned kind = random_below(COUNT(kinds));

	attr->type = kinds[kind].type;
	attr->config = attr->type == PERF_TYPE_RAW ? (chance(2) ? 0xc0 : random_u64() & 0xffff)
						   : random_below(kinds[kind].configs);
}

static void random_sampling(struct perf_event_attr *attr)
{
	/* Few periods so short that little else gets done. */
	attr->sample_period = chance(16) ? 20 + random_below(100) : 2000 + random_below(100000);
	if (chance(6)) {
		attr->freq = 1;
		attr->sample_freq = 1 + random_below(20000);
	}
	attr->sample_type = random_u64() & (PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_AUX;
	if (chance(2))
		attr->sample_type &= 0x1ff;
	/* The visor steps to branches. */
	if (chance(8))
		attr->sample_period = 100000;
	else
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	attr->sample_regs_user = attr->sample_regs_intr = 0xff0fff;
	attr->sample_stack_user = (uint32_t)random_below(64) * 8;
	attr->wakeup_events = (uint32_t)random_below(20);
	attr->precise_ip = chance(4) ? 1 + random_below(3) : 0;
}

static struct perf_event_attr random_attr(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};

	random_event(&attr);
	if (chance(2))
		random_sampling(&attr);
	attr.read_format = random_below(32);
	attr.disabled = chance(3);
	attr.inherit = chance(3);
	attr.inherit_thread = attr.inherit && chance(4);
	attr.inherit_stat = attr.inherit && chance(4);
	attr.pinned = chance(8);
	attr.exclusive = chance(16);
	attr.exclude_kernel = !chance(8);
	attr.exclude_user = chance(16);
	attr.enable_on_exec = chance(4);
	attr.remove_on_exec = chance(4);
	attr.sigtrap = chance(10);
	if (attr.sigtrap)
		attr.remove_on_exec = 1;
	attr.comm = attr.mmap = attr.task = attr.mmap2 = chance(3);
	attr.context_switch = chance(6);
	attr.sample_id_all = chance(2);
	attr.write_backward = chance(10);
	attr.watermark = chance(8);
	attr.use_clockid = chance(10);
	attr.clockid = (int)random_below(8);
	return attr;
}

#endif
