/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch trace store as the PMU intel_bts: records of 24 bytes in the AUX area of the event. As
 * Linux's arch/x86/events/intel/bts.c, but each processor's buffer is copied into the area, whose
 * pages need not be contiguous then.
 */
#include <linux/errno.h>
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/record/aux.h"

#define PMU "intel_bts"

/* Copies bytes into the area, a ring, at an offset that only grows. */
static void copy_in(const struct aux_area *aux, uint64_t at, const void *data, uint64_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		uint64_t offset = at & (aux_bytes(aux) - 1), left = PAGE_SIZE - offset % PAGE_SIZE,
			 part = bytes < left ? bytes : left;

		memcpy((uint8_t *)aux->pages[offset / PAGE_SIZE] + offset % PAGE_SIZE, from, part);
		at += part;
		from += part;
		bytes -= part;
	}
}

/* A transaction for the records of a buffer. Records without room are lost, which truncates. */
static void copy_records(struct perf_event *event, const struct bts_record *records, unsigned nr)
{
	uint64_t bytes = nr * sizeof(*records);
	struct aux_writer writer;

	if (!aux_begin(&writer, event))
		return;
	if (writer.aux->overwrite) {
		copy_in(writer.aux, writer.head, records, bytes);
		writer.head = (writer.head + bytes) & (aux_bytes(writer.aux) - 1);
		aux_end(&writer, bytes);
		return;
	}
	if (bytes > writer.size) {
		bytes = writer.size - writer.size % sizeof(*records);
		writer.flags |= PERF_AUX_FLAG_TRUNCATED;
	}
	copy_in(writer.aux, writer.head, records, bytes);
	aux_end(&writer, bytes);
}

static void bts_pmu_start(struct perf_event *event)
{
	event->hw.running = bts_start(event, copy_records);
	if (event->hw.running)
		aux_trace_started(event);
}

static void bts_pmu_stop(struct perf_event *event)
{
	bts_stop(event);
	event->hw.running = false;
}

static int bts_add(struct perf_event *event)
{
	bts_pmu_start(event);
	return event->hw.running ? 0 : -EBUSY;
}

static void bts_read(struct perf_event *event)
{
	(void)event;
}

static int setup_aux(struct perf_event *event, struct aux_area *aux)
{
	(void)event;
	aux->hardware = aux; /* the area itself is all that is needed */
	return 0;
}

/* Branches across rings show addresses of the kernel even to events of ring 3. */
static int bts_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.exclude_kernel && perf_limits.paranoid > 1 && !perf_privileged())
		return -EACCES;
	return bts_prepare();
}

static struct pmu bts_pmu = {
    .caps = PMU_SOFTWARE | PMU_EXCLUSIVE,
    .branch_use = BRANCH_STORE,
    .event_init = bts_event_init,
    .add = bts_add,
    .del = bts_pmu_stop,
    .start = bts_pmu_start,
    .stop = bts_pmu_stop,
    .read = bts_read,
    .setup_aux = setup_aux,
};

unsigned intel_bts_init(uint32_t type)
{
	if (!hw_caps.vendor || !intel_kind(&hw_kinds[HW_FIRST])->bts)
		return 0;
	bts_pmu.type = type;
	pmu_register(&bts_pmu);
	sysfs_add_pmu(PMU, type);
	return 1;
}
