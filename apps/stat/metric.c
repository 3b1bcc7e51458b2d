/* SPDX-License-Identifier: BSD-2-Clause */
/* The ratio beside a count: instructions per cycle, share of branches, GHz, rate per second. */
#include "apps/stat/stat.h"

#include <string.h>

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define CACHE_MISS(id)                                                                     \
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			     PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define CACHE_ACCESS(id)                                                                   \
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
			     PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)

/* `event` divided by `base`, if both were counted. */
struct ratio {
	uint32_t type;
	uint64_t config;
	uint32_t base_type;
	uint64_t base_config;
	double factor;
	const char *format, *unit;
};

static const struct ratio ratios[] = {
    {HW(INSTRUCTIONS), HW(CPU_CYCLES), 1, "%7.2f ", "insn per cycle"},
    {HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS), 100, "%7.2f%%", "of all branches"},
    {HW(CACHE_MISSES), HW(CACHE_REFERENCES), 100, "%7.2f%%", "of all cache refs"},
    {HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES), 100, "%7.2f%%", "frontend cycles idle"},
    {HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES), 100, "%7.2f%%", "backend cycles idle"},
    {CACHE_MISS(L1D), CACHE_ACCESS(L1D), 100, "%7.2f%%", "of all L1-dcache accesses"},
    {CACHE_MISS(L1I), CACHE_ACCESS(L1I), 100, "%7.2f%%", "of all L1-icache accesses"},
    {CACHE_MISS(LL), CACHE_ACCESS(LL), 100, "%7.2f%%", "of all LL-cache accesses"},
    {CACHE_MISS(DTLB), CACHE_ACCESS(DTLB), 100, "%7.2f%%", "of all dTLB cache accesses"},
    {CACHE_MISS(ITLB), CACHE_ACCESS(ITLB), 100, "%7.2f%%", "of all iTLB cache accesses"},
};

static const struct metric no_metric = {0, NULL, ""};

bool stat_is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
		event->attr.config == PERF_COUNT_SW_CPU_CLOCK);
}

static bool same_rings(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv;
}

/* Returns the mean count of the event (type, config) in the same rings as `like`; 0: not
 * counted. */
static double count_of(const struct event_list *events, const struct counts *counts, uint32_t type,
		       uint64_t config, const struct perf_event_attr *like)
{
	for (int i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->events[i].attr;

		if (attr->type == type && attr->config == config && same_rings(attr, like))
			return counts[i].value.mean;
	}
	return 0;
}

/* Returns the program's CPU time in ns, if a clock event was counted; else 0. */
static double run_time(const struct event_list *events, const struct counts *counts)
{
	for (int i = 0; i < events->nr; i++) {
		if (stat_is_clock(&events->events[i]))
			return counts[i].value.mean;
	}
	return 0;
}

static struct metric per_second(double count, double ns)
{
	double rate = count / ns * 1e9;

	if (rate >= 1e9)
		return (struct metric){rate / 1e9, "%8.3f", "G/sec"};
	if (rate >= 1e6)
		return (struct metric){rate / 1e6, "%8.3f", "M/sec"};
	if (rate >= 1e3)
		return (struct metric){rate / 1e3, "%8.3f", "K/sec"};
	return (struct metric){rate, "%8.3f", "/sec"};
}

struct metric stat_metric(const struct event_list *events, const struct counts *counts,
			  double elapsed, int index)
{
	const struct event *event = &events->events[index];
	const struct perf_event_attr *attr = &event->attr;
	double count = counts[index].value.mean;
	double ns = run_time(events, counts);

	if (!counts[index].counted)
		return no_metric;
	if (stat_is_clock(event))
		return (struct metric){count / 1e9 / elapsed, "%8.3f", "CPUs utilized"};
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		const struct ratio *r = &ratios[i];
		double base;

		if (attr->type != r->type || attr->config != r->config)
			continue;
		base = count_of(events, counts, r->base_type, r->base_config, attr);
		if (base)
			return (struct metric){r->factor * count / base, r->format, r->unit};
	}
	if (!ns)
		return no_metric;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		return (struct metric){count / ns, "%8.3f", "GHz"};
	return per_second(count, ns);
}
