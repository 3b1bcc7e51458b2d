/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deferred call chains. Linux reads the chain on the way back to ring 3; here an interrupt that
 * follows the sample does: the frames of ring 3 are the same until the task returns there.
 */
#include "pmu/record/deferred.h"

#include "arch/x86/cpu/percpu.h"
#include "kernel/task/task.h"
#include "kernel/time/timer.h"
#include "pmu/base/cpu.h"
#include "pmu/base/later.h"
#include "pmu/record/callchain.h"
#include "pmu/record/records.h"
#include "pmu/record/sideband.h"

#define COOKIE_CPU_SHIFT 48

/* One request of each processor. Any context writes, its interrupt takes it. */
struct deferred {
	struct irq_work work;
	const struct task *task;
	uint64_t cookie; /* 0: nothing is requested */
	uint64_t nr;     /* of cookies so far */
};

static struct deferred deferred[MAX_CPUS];

struct deferred_chain {
	uint64_t cookie;
	const uint64_t *entries;
	uint32_t nr;
};

static bool wants_deferred(const struct perf_event *event, const void *what)
{
	(void)what;
	return event->attr.__reserved_1 & ATTR_DEFER_OUTPUT;
}

static void write_deferred(struct perf_event *event, const void *what)
{
	const struct deferred_chain *chain = what;
	struct ring_writer w;

	if (!record_begin(&w, event, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER,
			  24 + chain->nr * 8))
		return;
	ring_write_u64(&w, chain->cookie);
	ring_write_u64(&w, chain->nr);
	ring_write_words(&w, chain->entries, chain->nr);
	record_end(&w, event);
}

static void deferred_work(struct irq_work *work)
{
	struct deferred *d = container_of(work, struct deferred, work);
	struct deferred_chain chain = {.cookie = d->cookie};
	bool here = d->task == current_task();

	__atomic_store_n(&d->cookie, 0, __ATOMIC_RELEASE);
	if (!here || !chain.cookie)
		return;
	chain.nr = callchain_of_user(&chain.entries);
	records_all(wants_deferred, write_deferred, &chain);
}

uint64_t deferred_request(void)
{
	struct deferred *d = &deferred[this_cpu_read(id)];
	uint64_t cookie = __atomic_load_n(&d->cookie, __ATOMIC_ACQUIRE);

	if (cookie && d->task == current_task())
		return cookie;
	cookie = ((uint64_t)this_cpu_read(id) + 1) << COOKIE_CPU_SHIFT | ++d->nr;
	d->task = current_task();
	d->work.run = deferred_work;
	__atomic_store_n(&d->cookie, cookie, __ATOMIC_RELEASE);
	irq_work_queue(&d->work);
	return cookie;
}
