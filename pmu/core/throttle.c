/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configured limits of rate and time (/proc/sys/kernel). With the default limits no sample of ring
 * 3 is lost.
 */
#include "arch/x86/apic/tsc.h"
#include "kernel/base/log.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"

#define TICKS_PER_SECOND (NS_PER_SECOND / TICK_NS)
#define AVERAGED         128 /* interrupts that the average goes over, as on Linux */

static uint64_t taken[MAX_CPUS]; /* AVERAGED times the average of ns. NMI only */

/* The values to log for the last lowering. Written by NMIs, read by the work. */
static uint64_t reported_average, reported_allowed;

static uint32_t samples_of_rate(uint32_t rate)
{
	return (uint32_t)((rate + TICKS_PER_SECOND - 1) / TICKS_PER_SECOND);
}

void throttle_limits_changed(void)
{
	uint32_t rate = perf_limits.sample_rate, percent = perf_limits.cpu_percent;
	bool timed = percent % 100 && percent != USUAL_CPU_PERCENT;

	perf_limits.tick_samples = rate != USUAL_SAMPLE_RATE ? samples_of_rate(rate) : 0;
	perf_limits.sample_ns = timed ? NS_PER_SECOND / rate * percent / 100 : 0;
	if (timed && !perf_limits.sample_ns)
		perf_limits.sample_ns = 1;
}

bool throttle_rate_reached(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	uint64_t window = clock_ns() / TICK_NS;

	if (hw->samples_window != window) {
		hw->samples_window = window;
		hw->samples = 0;
	}
	return ++hw->samples >= perf_limits.tick_samples && hw->samples > 1;
}

static void throttle_emit(struct irq_work *work)
{
	(void)work;
	log_warn("perf: interrupt took too long (%lu > %lu), lowering "
		 "kernel.perf_event_max_sample_rate to %u",
		 reported_average, reported_allowed, perf_limits.sample_rate);
}

static struct irq_work telling[MAX_CPUS];

/* Lowers the rate: a sample may take a quarter more than the average, and as many are allowed as
 * fit the share. */
static void lower(uint64_t average)
{
	uint64_t budget = TICK_NS / 100 * perf_limits.cpu_percent, next = average + average / 4;
	uint32_t samples = next < budget ? (uint32_t)(budget / next) : 1;
	struct irq_work *work = &telling[this_cpu_read(id)];

	reported_average = average;
	reported_allowed = perf_limits.sample_ns;
	perf_limits.sample_ns = next;
	perf_limits.tick_samples = samples;
	perf_limits.sample_rate = samples * TICKS_PER_SECOND;
	work->run = throttle_emit;
	irq_work_queue(work);
}

void throttle_took(uint64_t ns)
{
	uint64_t *sum = &taken[this_cpu_read(id)], average;

	*sum += ns - *sum / AVERAGED;
	average = *sum / AVERAGED;
	if (perf_limits.sample_ns && average > perf_limits.sample_ns)
		lower(average);
}
