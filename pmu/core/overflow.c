/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a period: throttling, limits, frequency, the sample, and deferred work of the NMI.
 *
 * A sample in ring 3 proves that the program makes progress; samples in ring 0 may show nothing but
 * their own interrupts. So only samples in ring 0 are limited: when they have taken their share of
 * a tick, the event stops until the next tick. pmu/hw/stuck.c handles cases in which a sample in
 * ring 3 proves nothing.
 */
#include <linux/fcntl.h>
#include <linux/poll.h>
#include "arch/x86/apic/tsc.h"
#include "kernel/file/file.h"
#include "kernel/file/sigio.h"
#include "kernel/signal/signal.h"
#include "pmu/base/cpu.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/record/sample.h"
#include "pmu/record/sideband.h"

#define AROUND_NS  300  /* approximate cost of an interrupt without its sample */
#define HANDLER_NS 2000 /* and a signal, with the way back from its handler */
#define PMI_NS     200  /* approximate cost of a PMI before its sample and after its end */
#define STUCK_MAX  32   /* consecutive PMIs without progress of ring 0 */

/* Consecutive signal handlers that each triggered the next: their estimated cost exceeds a tick's
 * budget. */
#define HANDLERS_MAX 128

/* True when samples of ring 0 have spent their share of this tick. */
static bool budget_spent(struct pmu_cpu *cpu, uint64_t now)
{
	uint64_t window = now / TICK_NS;
	uint32_t percent = perf_limits.cpu_percent;

	if (cpu->ring0_window != window) {
		cpu->ring0_window = window;
		cpu->ring0_spent = 0;
	}
	return percent % 100 && cpu->ring0_spent > TICK_NS * percent / 100;
}

/*
 * True when PMIs follow each other without an instruction between them. A PMI may take far longer
 * than the budget accounts, with slow PMU registers or a slow clock (firmware: 8 ns an
 * instruction). Then no budget is ever spent, and no tick arrives.
 */
static bool goes_nowhere(struct pmu_cpu *cpu, const struct frame *frame)
{
	struct ring0_place *last = &cpu->ring0_place;

	if (frame->vector != FRAME_NMI)
		return false;
	if (frame->rip != last->rip || frame->rsp != last->rsp || frame->rax != last->rax ||
	    frame->rcx != last->rcx) {
		*last = (struct ring0_place){frame->rip, frame->rsp, frame->rax, frame->rcx};
		cpu->ring0_stuck = 0;
	}
	if (cpu->ring0_stuck++ < STUCK_MAX)
		return false;
	cpu->ring0_stuck = 0;
	return true;
}

/* True if a signal handler triggers itself: each of its instructions raises the next signal before
 * the program makes progress. As budget_spent(), for handlers that each take long. */
static bool feeds_itself(struct pmu_cpu *cpu)
{
	if (cpu->handlers++ < HANDLERS_MAX)
		return false;
	cpu->handlers = 0;
	return true;
}

static void queue_work(struct perf_event *event)
{
	irq_work_queue(&event->work);
}

void event_throttle(struct perf_event *event)
{
	event->hw.throttled = true;
	__atomic_add_fetch(&this_pmu_cpu()->nr_throttled, 1, __ATOMIC_RELAXED);
	records_throttle(event, true);
	queue_work(event);
}

/* Returns the period that turns `count` events in `ns` into `frequency` samples a second. */
static uint64_t fitting_period(uint64_t count, uint64_t ns, uint64_t frequency)
{
	/* Keeps count * 10^9 in 64 bits. */
	for (; count >> 34; count >>= 1)
		ns >>= 1;
	return count * NS_PER_SECOND / (ns ? ns : 1) / frequency;
}

void event_turn_stamp(struct perf_event *event)
{
	event->hw.freq_stamp = clock_ns() - event->hw.freq_stamp;
}

void event_adapt_period(struct perf_event *event, uint64_t now)
{
	struct hw_event *hw = &event->hw;
	int64_t ns = (int64_t)(now - hw->freq_stamp), count = event->count - hw->freq_count, change;

	if (ns <= 0)
		return;
	hw->freq_stamp = now;
	hw->freq_count = event->count;
	if (count <= 0)
		return;
	/* Moves an eighth of the way, rounded away from zero: it is smooth, and it converges. */
	change = (int64_t)(fitting_period((uint64_t)count, (uint64_t)ns, event->attr.sample_freq) -
			   hw->period);
	hw->period += (uint64_t)((change + (change > 0 ? 7 : -7)) / 8);
	if (!hw->period)
		hw->period = 1;
	if (hw->period_left > (int64_t)(8 * hw->period))
		hw->period_left = 0;
}

/* Takes one from the number of samples that REFRESH allowed; true when it was the last. */
static bool limit_reached(struct perf_event *event)
{
	return __atomic_load_n(&event->event_limit, __ATOMIC_RELAXED) &&
	       __atomic_sub_fetch(&event->event_limit, 1, __ATOMIC_RELAXED) == 0;
}

static bool wants_sigio(struct perf_event *event)
{
	const struct file *file = event_origin(event)->file;

	return file && (file->flags & FASYNC);
}

/* True if the program itself, not its signal handler, has executed since the last sample. For a
 * user-only event a late PMI that lands in ring 0 still counts as user progress. */
static bool is_progress(struct perf_event *event, const struct frame *frame, bool sigio)
{
	int signo;

	if (!frame_is_user(frame))
		return event->attr.exclude_kernel && !event->attr.sigtrap && !sigio;
	if (event->attr.sigtrap && current_task()->blocked & SIGNAL_BIT(SIGTRAP))
		return false;
	if (!sigio)
		return true;
	signo = event_origin(event)->file->signo;
	return !(current_task()->blocked & SIGNAL_BIT(signo ? signo : SIGIO));
}

/* False for a user-only event whose PMI arrived late, in ring 0: the sample would leak kernel
 * state. */
static bool may_notify(const struct perf_event *event, const struct frame *frame)
{
	return frame_is_user(frame) || !event->attr.exclude_kernel;
}

/* True if the sample also triggers a signal handler: it was taken in one, or late, on the way back
 * from one. */
static bool costs_handler(const struct perf_event *event, const struct frame *frame, bool sigio)
{
	return frame_is_user(frame) ||
	       (!may_notify(event, frame) && (event->attr.sigtrap || sigio));
}

/* False if the event's program filters the sample out. */
static bool program_agrees(struct perf_event *event, const struct frame *frame, uint64_t address,
			   uint64_t period)
{
	return !__atomic_load_n(&event->program, __ATOMIC_ACQUIRE) ||
	       event->run_program(event, frame, address, period);
}

/* Charges a sample of ring 0 that began at `start`. hw_pmi() charges a PMI's time up to its end. */
static void spend(struct pmu_cpu *cpu, const struct frame *frame, uint64_t start, bool handler)
{
	if (frame->vector != FRAME_NMI)
		cpu->ring0_spent += clock_ns() - start + (handler ? HANDLER_NS : AROUND_NS);
	else if (!cpu->ring0_since)
		cpu->ring0_since = start;
	if (frame->vector == FRAME_NMI && handler)
		cpu->ring0_spent += HANDLER_NS;
}

void overflow_pmi_ends(struct pmu_cpu *cpu)
{
	cpu->ring0_spent += clock_ns() - cpu->ring0_since + PMI_NS;
	cpu->ring0_since = 0;
}

/* Pauses or resumes the trace of the event's leader, if the event asks for that action. */
static void trace_action(struct perf_event *event, uint32_t action)
{
	struct perf_event *leader = event->leader;

	if ((event->attr.__reserved_3 & action) && leader->pmu->pause_trace &&
	    leader->state == EVENT_ACTIVE)
		leader->pmu->pause_trace(leader, action == ATTR_AUX_PAUSE);
}

/* Slow path of event_overflow(): frequency, limits, signals and throttling. */
static __attribute__((noinline)) bool overflow_with_care(struct perf_event *event,
							 struct frame *frame, uint64_t address,
							 uint64_t period, bool may_throttle)
{
	struct pmu_cpu *cpu = this_pmu_cpu();
	bool sigio = wants_sigio(event), limited, handler, stop = false;
	uint64_t start = 0;

	limited = may_throttle && !is_progress(event, frame, sigio);
	handler = limited && costs_handler(event, frame, sigio);
	if (limited) {
		start = clock_ns();
		stop = goes_nowhere(cpu, frame) || (handler && feeds_itself(cpu)) ||
		       budget_spent(cpu, start);
		if (stop)
			event_throttle(event);
	} else if (frame_is_user(frame)) {
		cpu->handlers = 0;
	}
	if (perf_limits.tick_samples && throttle_rate_reached(event) && may_throttle && !stop) {
		stop = true;
		event_throttle(event);
	}
	if (event->attr.freq)
		event_adapt_period(event, clock_ns());
	trace_action(event, ATTR_AUX_PAUSE);
	event->pending_kill = POLL_IN;
	if (limit_reached(event)) {
		stop = true;
		event->pending_kill = POLL_HUP;
		event->pending_disable = true;
		queue_work(event);
	}
	if (event->attr.sigtrap) {
		event->trap_address = may_notify(event, frame) ? address : 0;
		event->pending_trap = event->ctx->trap_due = true;
		queue_work(event);
	}
	if (program_agrees(event, frame, address, period))
		sample_write(event, frame, address, period);
	trace_action(event, ATTR_AUX_RESUME);
	if (sigio) {
		event->pending_wakeup = true;
		queue_work(event);
	}
	if (limited)
		spend(cpu, frame, start, handler);
	return stop;
}

/* Fast path: a user-mode sample with no frequency, limit, signal or throttle to handle; a BPF
 * program may still filter it. */
static inline bool is_plain(struct perf_event *event, const struct frame *frame)
{
	return frame_is_user(frame) && !(event->attr.__reserved_1 & ATTR_ACTS) &&
	       !((uint32_t)__atomic_load_n(&event->event_limit, __ATOMIC_RELAXED) |
		 perf_limits.tick_samples) &&
	       !wants_sigio(event);
}

bool event_overflow(struct perf_event *event, struct frame *frame, uint64_t address,
		    uint64_t period, bool may_throttle)
{
	if (!event_is_sampling(event))
		return false;
	if (!is_plain(event, frame))
		return overflow_with_care(event, frame, address, period, may_throttle);
	event->pending_kill = POLL_IN;
	if (program_agrees(event, frame, address, period))
		sample_write(event, frame, address, period);
	return false;
}

static void send_sigio(struct perf_event *event)
{
	struct perf_event *origin = event_origin(event);

	if (!event->pending_kill)
		return;
	if (origin->file)
		file_send_sigio(origin->file,
				event->pending_kill == POLL_HUP ? POLLHUP | POLLERR
								: POLLIN | POLLRDNORM,
				origin->fd);
	event->pending_kill = 0;
}

void event_wake(struct perf_event *event)
{
	struct ring *ring = event_origin(event)->ring;
	struct perf_event *user;

	if (ring)
		list_for_each(user, &ring->users, ring_link)
			waitq_wake(&user->waitq);
	send_sigio(event);
}

/*
 * Sends SIGTRAP to the event's task, before its next instruction in ring 3 unless it is blocked. If
 * another task is current, as in the sample of a switch, the signal stays pending and does not end
 * its task's sleep.
 */
static void send_sigtrap(struct perf_event *event)
{
	struct task *task = current_task();
	struct context *ctx = event->ctx;
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = TRAP_PERF};

	if (ctx->task != task)
		return;
	event->pending_trap = false;
	if (ctx->dead)
		return;
	info.si_addr = (void *)event->trap_address;
	info.si_perf_data = event->attr.sig_data;
	info.si_perf_type = event->attr.type;
	info.si_perf_flags = task->blocked & SIGNAL_BIT(SIGTRAP) ? TRAP_PERF_FLAG_ASYNC : 0;
	signal_queue(task, false, &info);
}

void event_traps_due(struct context *ctx)
{
	struct perf_event *event;

	ctx->trap_due = false;
	list_for_each(event, &ctx->events, event_link)
		if (event->pending_trap)
			send_sigtrap(event);
}

void event_work(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event, work);
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (event->pending_disable) {
		event->pending_disable = false;
		event_disable(event);
	}
	if (event->pending_trap)
		send_sigtrap(event);
	if (event->pending_wakeup) {
		event->pending_wakeup = false;
		event_wake(event);
	}
	if (cpu->nr_throttled)
		tick_need(cpu);
}
