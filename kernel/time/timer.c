/* SPDX-License-Identifier: BSD-2-Clause */
/* One-shot timers in a tree for each processor, and deferred work. The APIC's timer runs
 * only while one is armed. */
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/spinlock.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/patched.h"
#include "kernel/time/timer.h"

/* Bounds of an interrupt's lateness (ns): up to HIDDEN_FAST nothing is hidden by the hypervisor;
 * HIDDEN_SLOW is accepted only when more than HIDDEN_FAST stays hidden. */
#define HIDDEN_FAST 4000
#define HIDDEN_SLOW 128000
/* ns: an interrupt that is late by less than this is within the variation of the hypervisor's
 * overhead. */
#define HIDDEN_SPREAD 2000
/* ns without an interrupt after which the learned overhead is discarded. */
#define HIDDEN_STALE 1000000

static struct timer_queue {
	struct spinlock lock;
	struct tree timers;  /* by deadline */
	uint64_t not_before; /* the next interrupt */
	uint64_t due;        /* when the interrupt should come */
	bool firing;         /* timer_interrupt() is under way, and sets the hardware at its end */
	uint64_t hidden; /* ns by which it comes too early: a hypervisor's, which our clock lacks */
	uint64_t hidden_most; /* 0: HIDDEN_FAST */
} queues[MAX_CPUS];

static struct irq_work *works[MAX_CPUS]; /* atomic stacks */

PATCHED_FUNCTION void timer_init(struct timer *timer, void (*fire)(struct timer *, struct frame *))
{
	timer->node.height = 0;
	timer->fire = fire;
	timer->cpu = 0;
}

/* Programs the hardware for the first timer of this processor's queue, which must exist. Called
 * with the queue's lock held. */
static void program(struct timer_queue *queue, uint64_t now)
{
	uint64_t deadline = container_of(queue->timers.first, struct timer, node)->deadline_ns;

	if (deadline < queue->not_before)
		deadline = queue->not_before;
	if (now > queue->due + HIDDEN_STALE)
		queue->hidden = 0;
	queue->due = deadline;
	apic_timer_oneshot((deadline > now ? deadline - now : 1) + queue->hidden);
}

uint64_t timers_next_ns(void)
{
	uint64_t flags = irq_save(), now = clock_ns(), next = UINT64_MAX;
	struct timer_queue *queue = &queues[this_cpu_read(id)];

	spin_lock(&queue->lock);
	if (queue->timers.first)
		next = container_of(queue->timers.first, struct timer, node)->deadline_ns;
	spin_unlock_irqrestore(&queue->lock, flags);
	return next == UINT64_MAX ? next : next > now ? next - now : 0;
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, struct timer, node)->deadline_ns <
	       container_of(b, struct timer, node)->deadline_ns;
}

/* Removes the timer from its queue. Returns with the lock released. */
static void withdraw(struct timer *timer)
{
	struct timer_queue *queue = &queues[timer->cpu];

	spin_lock(&queue->lock);
	if (timer_armed(timer)) /* its processor may just have let it fire */
		tree_remove(&queue->timers, &timer->node);
	spin_unlock(&queue->lock);
}

PATCHED_FUNCTION void timer_arm(struct timer *timer, uint64_t deadline_ns)
{
	uint64_t flags = irq_save();
	struct timer_queue *queue;

	if (timer_armed(timer))
		withdraw(timer);
	timer->cpu = this_cpu_read(id);
	queue = &queues[timer->cpu];
	timer->deadline_ns = deadline_ns;
	spin_lock(&queue->lock);
	tree_insert(&queue->timers, &timer->node);
	if (queue->timers.first == &timer->node && !queue->firing)
		program(queue, clock_ns());
	spin_unlock_irqrestore(&queue->lock, flags);
}

PATCHED_FUNCTION void timer_cancel(struct timer *timer)
{
	uint64_t flags = irq_save();

	if (timer_armed(timer)) {
		withdraw(timer);
		if (timer->cpu == this_cpu_read(id) && !queues[timer->cpu].timers.first)
			apic_timer_oneshot(0);
	}
	irq_restore(flags);
}

void timers_renew(void)
{
	uint64_t flags = irq_save();
	struct timer_queue *queue = &queues[this_cpu_read(id)];

	spin_lock(&queue->lock);
	if (queue->timers.first)
		program(queue, clock_ns());
	spin_unlock_irqrestore(&queue->lock, flags);
}

/*
 * Learns how much time the hypervisor takes for each timer interrupt. Without this, an interrupt
 * that comes early by that amount would recur until the time is used up, and the interrupted task
 * would make no progress. The amount depends on the host: the bound doubles while it is too low.
 */
static void learn_hidden(struct timer_queue *queue, uint64_t now)
{
	uint64_t late = now - queue->due, most = queue->hidden_most;

	if (most < HIDDEN_FAST)
		most = HIDDEN_FAST;
	if (now >= queue->due) {
		late = late < HIDDEN_SPREAD ? 0 : late / 4;
		queue->hidden -= late < queue->hidden ? late : queue->hidden;
		if (queue->hidden < most / 4)
			most /= 2;
	} else if (queue->hidden + queue->due - now < most) {
		queue->hidden += queue->due - now;
	} else {
		queue->hidden = most;
		if (most < HIDDEN_SLOW)
			most *= 2;
	}
	queue->hidden_most = most;
}

/*
 * Fires the timers that are due when the interrupt comes, once each: a timer that is armed again
 * for a time in the past waits for the next interrupt. The next interrupt comes no sooner than
 * after the duration of this one, so the interrupted task gets half of the time, whatever the
 * periods are.
 */
static inline __attribute__((always_inline)) void
run_timers(struct frame *frame, void (*fire)(struct timer *, struct frame *))
{
	struct timer_queue *queue = &queues[this_cpu_read(id)];
	uint64_t began = clock_ns(), now;

	spin_lock(&queue->lock);
	learn_hidden(queue, began);
	queue->firing = true;
	while (queue->timers.first) {
		struct timer *timer = container_of(queue->timers.first, struct timer, node);

		if (timer->deadline_ns > began)
			break;
		tree_remove(&queue->timers, &timer->node);
		spin_unlock(&queue->lock);
		if (fire)
			fire(timer, frame);
		else
			timer->fire(timer, frame);
		spin_lock(&queue->lock);
	}
	queue->firing = false;
	now = clock_ns();
	queue->not_before = now + (now - began);
	if (queue->timers.first)
		program(queue, now);
	spin_unlock(&queue->lock);
}

void timer_interrupt(struct frame *frame)
{
	run_timers(frame, NULL);
}

void timer_interrupt_through(struct frame *frame, void (*fire)(struct timer *, struct frame *))
{
	run_timers(frame, fire);
}

static void run_works(void)
{
	struct irq_work *work =
	    __atomic_exchange_n(&works[this_cpu_read(id)], NULL, __ATOMIC_ACQUIRE);

	while (work) {
		struct irq_work *next = work->next;

		__atomic_store_n(&work->queued, 0, __ATOMIC_RELEASE);
		work->run(work);
		work = next;
	}
}

static void work_interrupt(struct frame *frame)
{
	(void)frame;
	run_works();
}

void irq_work_queue(struct irq_work *work)
{
	struct irq_work **head = &works[this_cpu_read(id)];

	if (__atomic_exchange_n(&work->queued, 1, __ATOMIC_ACQ_REL))
		return;
	work->next = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, &work->next, work, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	apic_self_ipi(VECTOR_IRQ_WORK);
}

static void run_works_here(void *unused)
{
	(void)unused;
	run_works();
}

void irq_work_sync(struct irq_work *work)
{
	if (!__atomic_load_n(&work->queued, __ATOMIC_ACQUIRE))
		return;
	/* One processor after the other: the lock that the caller holds protects the work
	 * functions. */
	for (uint32_t i = 0; i < nr_cpus && __atomic_load_n(&work->queued, __ATOMIC_ACQUIRE); i++)
		remote_call(i, run_works_here, NULL);
}

void timers_init(void)
{
	for (unsigned i = 0; i < MAX_CPUS; i++)
		queues[i].timers.before = before;
	irq_register(VECTOR_TIMER, timer_interrupt);
	irq_register(VECTOR_IRQ_WORK, work_interrupt);
}
