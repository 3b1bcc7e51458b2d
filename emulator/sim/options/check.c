/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a core's sizes are consistent. */
#include <stdio.h>

#include "emulator/sim/branch/direction.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/options/options.h"

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static int check_cache(const char *name, const struct cache_config *c, uint32_t sets_max,
		       char *error, size_t size)
{
	uint32_t way = CORE_LINE_SIZE * c->ways;

	if (c->size % way) {
		snprintf(error, size, "--core: %s=%u/%u: its size must be a multiple of %u x %d",
			 name, c->size, c->ways, c->ways, CORE_LINE_SIZE);
		return -1;
	}
	if (sets_max && (!power_of_two(c->size / way) || c->size / way > sets_max)) {
		snprintf(error, size,
			 "--core: %s=%u/%u: makes %u sets, must be a power of two up to %u", name,
			 c->size, c->ways, c->size / way, sets_max);
		return -1;
	}
	return 0;
}

static int check_array(const char *name, uint32_t entries, uint32_t ways, uint32_t sets_max,
		       char *error, size_t size)
{
	if (!entries)
		return 0;
	if (entries % ways == 0 &&
	    (!sets_max || (power_of_two(entries / ways) && entries / ways <= sets_max)))
		return 0;
	snprintf(error, size,
		 sets_max ? "--core: %s=%u/%u: entries must be ways times a power of two up to %u"
			  : "--core: %s=%u/%u: entries must be a multiple of the ways",
		 name, entries, ways, sets_max);
	return -1;
}

/* An inclusive cache must not be smaller than one of the caches above it. */
static int check_inclusion(const char *name, const struct cache_config *cache,
			   const char *above_name, const struct cache_config *above, char *error,
			   size_t size)
{
	if (!cache->size || cache->inclusion != INCLUSIVE || cache->size >= above->size)
		return 0;
	snprintf(error, size, "--core: %s=%u/%u: inclusive, must hold %s's %u bytes", name,
		 cache->size, cache->ways, above_name, above->size);
	return -1;
}

static int check_inclusions(const struct memory_config *m, char *error, size_t size)
{
	return check_inclusion("l2", &m->l2, "l1i", &m->l1i, error, size) ||
	       check_inclusion("l2", &m->l2, "l1d", &m->l1d, error, size) ||
	       check_inclusion("l3", &m->l3, "l1i", &m->l1i, error, size) ||
	       check_inclusion("l3", &m->l3, "l1d", &m->l1d, error, size) ||
	       check_inclusion("l3", &m->l3, "l2", &m->l2, error, size);
}

/* Each level answers no sooner than the ones above it: the core waits for the difference. */
static int check_latencies(const struct memory_config *m, char *error, size_t size)
{
	const struct {
		const char *name;
		bool there;
		uint32_t latency;
	} levels[] = {
	    {"l1d-latency", true, m->l1d.latency},
	    {"l2-latency", m->l2.size, m->l2.latency},
	    {"l3-latency", m->l3.size, m->l3.latency},
	    {"memory-latency", true, m->memory_latency},
	};
	unsigned above = 0;

	for (unsigned i = 1; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!levels[i].there)
			continue;
		if (levels[i].latency < levels[above].latency) {
			snprintf(error, size, "--core: %s=%u: less than the %u of %s",
				 levels[i].name, levels[i].latency, levels[above].latency,
				 levels[above].name);
			return -1;
		}
		above = i;
	}
	if (m->hitm_latency >= m->l1d.latency)
		return 0;
	snprintf(error, size, "--core: hitm-latency=%u: less than the %u of l1d-latency",
		 m->hitm_latency, m->l1d.latency);
	return -1;
}

/* A hit in an open row is no sooner than the last level. */
static int check_dram(const struct memory_config *m, char *error, size_t size)
{
	uint32_t last = m->l3.size ? m->l3.latency : m->l2.latency;
	uint32_t rows = m->dram.activate + m->dram.precharge;

	if (!m->dram.channels || last + rows <= m->memory_latency)
		return 0;
	snprintf(error, size,
		 "--core: dram-activate=%u,dram-precharge=%u: with %u of the last level more than "
		 "the %u of memory-latency",
		 m->dram.activate, m->dram.precharge, last, m->memory_latency);
	return -1;
}

int config_check(const struct core_config *config, char *error, size_t size)
{
	const struct memory_config *m = &config->memory;

	if (!m->l2.size && !m->l3.size) {
		snprintf(error, size, "--core: l2=none,l3=none: one of both is needed");
		return -1;
	}
	if (config->branch.kind == PREDICTOR_GSHARE &&
	    config->branch.history > config->branch.direction_log2) {
		snprintf(error, size, "--core: history=%u: gshare takes up to %u here",
			 config->branch.history, config->branch.direction_log2);
		return -1;
	}
	if (check_cache("l1i", &m->l1i, FRONT_LINES, error, size) ||
	    check_cache("l1d", &m->l1d, FRONT_LINES, error, size) ||
	    (m->l2.size && check_cache("l2", &m->l2, 0, error, size)) ||
	    (m->l3.size && check_cache("l3", &m->l3, 0, error, size)) ||
	    check_inclusions(m, error, size) || check_latencies(m, error, size) ||
	    check_dram(m, error, size))
		return -1;
	return check_array("itlb", m->itlb.page_4k.entries, m->itlb.page_4k.ways, FRONT_PAGES,
			   error, size) ||
		       check_array("dtlb", m->dtlb.page_4k.entries, m->dtlb.page_4k.ways,
				   FRONT_PAGES, error, size) ||
		       check_array("stlb", m->stlb.page_4k.entries, m->stlb.page_4k.ways, 0, error,
				   size) ||
		       check_array("btb", config->branch.btb_entries, config->branch.btb_ways, 0,
				   error, size)
		   ? -1
		   : 0;
}
