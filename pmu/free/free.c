/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of PMUs of free-running registers. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/topology.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/text.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/free/free.h"

#define NAME_LONGEST 40

static const struct free_pmu *pmu_of(const struct perf_event *event)
{
	return container_of(event->pmu, const struct free_pmu, pmu);
}

static const struct free_counter *row_of(const struct perf_event *event)
{
	return &pmu_of(event)->rows[event->attr.config];
}

static uint64_t read_register(const struct perf_event *event)
{
	const struct free_counter *row = row_of(event);

	return row->msr ? rdmsr(row->msr) : rdtsc();
}

static void free_read(struct perf_event *event)
{
	uint64_t now = read_register(event),
		 before = __atomic_exchange_n(&event->hw.prev, now, __ATOMIC_RELAXED),
		 more = now - before;
	uint8_t bits = row_of(event)->bits;

	if (!event->hw.running)
		return;
	if (row_of(event)->state) {
		__atomic_store_n(&event->count, row_of(event)->state(now), __ATOMIC_RELAXED);
		return;
	}
	if (bits)
		more &= (1ul << bits) - 1;
	__atomic_add_fetch(&event->count,
			   (int64_t)(more << pmu_of(event)->shift[event->attr.config]),
			   __ATOMIC_RELAXED);
}

static void poll_fired(struct timer *timer, struct frame *frame)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.timer);

	(void)frame;
	if (!event->hw.running)
		return;
	free_read(event);
	timer_arm(timer, clock_ns() + pmu_of(event)->poll_ns);
}

static void free_start(struct perf_event *event)
{
	uint64_t poll = pmu_of(event)->poll_ns;

	event->hw.prev = read_register(event);
	event->hw.running = true;
	if (!poll)
		return;
	if (!event->hw.timer.fire)
		timer_init(&event->hw.timer, poll_fired);
	timer_arm(&event->hw.timer, clock_ns() + poll);
}

static void free_stop(struct perf_event *event)
{
	free_read(event);
	event->hw.running = false;
	if (pmu_of(event)->poll_ns)
		timer_cancel(&event->hw.timer);
}

static int free_add(struct perf_event *event)
{
	free_start(event);
	return 0;
}

static bool has_row(const struct free_pmu *pmu, uint64_t config)
{
	return config < pmu->nr && (pmu->present & BIT(config));
}

/* An event of a package, or of a core, is of a processor, and only events of its PMU join it. */
static bool fits_place(const struct free_pmu *pmu, const struct perf_event *event)
{
	return cpu_mask_empty(&pmu->cpus) ||
	       (event->ctx->of_cpu && event->leader->pmu == event->pmu);
}

static int free_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (attr->sample_period || !has_row(pmu_of(event), attr->config) || attr->exclude_user ||
	    attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle || attr->exclude_host ||
	    attr->exclude_guest || !fits_place(pmu_of(event), event))
		return -EINVAL;
	return 0;
}

/* Adds a file of the event, whose text is kept. */
static void add_file(const struct free_pmu *pmu, const char *name, const char *ending,
		     const char *content)
{
	char path[NAME_LONGEST];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_print(&text, "events/%s%s", name, ending);
	sysfs_add_word(pmu->name, path, content);
}

static void add_events(const struct free_pmu *pmu)
{
	static const char *const codes[FREE_MAX] = {"event=0x00", "event=0x01", "event=0x02",
						    "event=0x03", "event=0x04", "event=0x05",
						    "event=0x06", "event=0x07"};

	for (unsigned i = 0; i < pmu->nr; i++) {
		const struct free_counter *row = &pmu->rows[i];

		if (!(pmu->present & BIT(i)))
			continue;
		add_file(pmu, row->name, "", codes[i]);
		if (row->unit)
			add_file(pmu, row->name, ".unit", row->unit);
		if (row->state)
			add_file(pmu, row->name, ".snapshot", "1");
		if (row->scale)
			add_file(pmu, row->name, ".scale", row->scale);
	}
}

unsigned free_register(struct free_pmu *pmu, uint32_t type)
{
	if (!pmu->present)
		return 0;
	pmu->pmu = (struct pmu){
	    .caps = PMU_SOFTWARE,
	    .type = type,
	    .event_init = free_event_init,
	    .add = free_add,
	    .del = free_stop,
	    .start = free_start,
	    .stop = free_stop,
	    .read = free_read,
	};
	pmu_register(&pmu->pmu);
	sysfs_add_pmu(pmu->name, type);
	sysfs_add_word(pmu->name, "format/event", pmu->format);
	if (!cpu_mask_empty(&pmu->cpus))
		sysfs_add_cpus(pmu->name, "cpumask", &pmu->cpus);
	add_events(pmu);
	return 1;
}

static struct cpu_mask first_of_each(enum topology_level level)
{
	struct cpu_mask seen = {0}, firsts = {0};

	for (unsigned i = 0; i < nr_cpus; i++) {
		struct cpu_mask threads;

		if (cpu_mask_has(&seen, i))
			continue;
		cpu_mask_add(&firsts, i);
		threads = topology_mask(i, level);
		cpu_mask_join(&seen, &threads);
	}
	return firsts;
}

struct cpu_mask free_cpus_of_packages(void)
{
	return first_of_each(TOPOLOGY_PACKAGE);
}

struct cpu_mask free_cpus_of_cores(void)
{
	return first_of_each(TOPOLOGY_CORE);
}
