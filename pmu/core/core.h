/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of pmu/ and api/: events, contexts, scheduling, overflow,
 * records. */
#ifndef PMU_CORE_H
#define PMU_CORE_H

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "pmu/base/context.h"
#include "pmu/base/event.h"
#include "ringbuf/ring.h"

struct cgroup;
struct vma;

/* ---- event.c: life of an event. Context: task. ---- */

/*
 * Returns a new event, not attached, or NULL and a negative errno in *error. It takes a reference
 * to `ctx`, the context that the event will join. `leader`: its group, or NULL. `parent`: the event
 * that it is inherited from, or NULL.
 */
struct perf_event *event_new(const struct perf_event_attr *attr, int cpu, struct context *ctx,
			     struct perf_event *leader, struct perf_event *parent, int *error);
/* Frees an event that is not attached. */
void event_free(struct perf_event *event);
/* The descriptor is closed: removes the event and the events inherited from it. */
void event_release(struct perf_event *event);
/* Sets the clock of the event's records. Returns 0 or -EINVAL. */
int event_set_clock(struct perf_event *event, int clockid);
/* Recomputes read_size of the whole group. Context: task or interrupt. */
void group_update_sizes(struct perf_event *leader);
/* True when records of the group stay small enough with `event` added. */
bool event_sizes_fit(const struct perf_event *event);
/* The first type for PMUs that are found, as on Linux: 6 and 7 are kprobe's and uprobe's
 * (trace/probe/pmus.c). */
#define PMU_TYPE_FREE 8
/* Registers a PMU. The first four are searched for an event before the hardware's. Context:
 * start. */
void pmu_register(const struct pmu *pmu);
/* True when the PMU of this type has a limited number of counters, which its events share in turns.
 * Context: any, after start. */
bool pmu_takes_turns(uint32_t type);
/* Sets the ring of the event's records; NULL: none. Takes and drops references. */
void event_attach_ring(struct perf_event *event, struct ring *ring);

/* ---- context.c ---- */

void context_init(struct context *ctx, struct task *task);
void context_get(struct context *ctx);
void context_put(struct context *ctx);
/* Gives a task without a context one: for context_of_task(). */
struct context *context_make(struct task *task);
/* Returns the task's context, and creates it if there is none. NULL: no memory. Context: task. */
static inline struct context *context_of_task(struct task *task)
{
	return task->perf ? &task->perf->ctx : context_make(task);
}

/* Updates the count of an event that is on. Context: as context_run(). */
void event_update_there(struct perf_event *event);
static inline void event_update(struct perf_event *event)
{
	if (context_is_here(event->ctx))
		event->pmu->read(event);
	else
		event_update_there(event);
}

/* Adds the event to its context and group, and starts it if it can count. Context:
 * context_run(). */
void context_attach(struct perf_event *event);
/* Stops the event and removes it from its context; its group stays. Context: context_run(). */
void context_detach(struct perf_event *event);
/* Takes the event off ctx->steady: from now on context switches schedule it. Context:
 * context_run(). */
void context_unsteady(struct perf_event *event);
/* Removes the event from its group, if it has joined one; a leader's siblings become single events.
 * Context: context_run(). */
void group_detach(struct perf_event *event);

/* ---- exclusive.c: PMUs that have room for one event, events that exclude others. Context: task.
 * ---- */

/* Hardware traces and branch records exclude each other on this machine. Set at the start. */
extern bool traces_exclude_branches;

/* A new event, and its end: -EBUSY where events of the other sort, of tasks or of processors, are
 * open. */
int exclusive_open(struct perf_event *event);
void exclusive_close(const struct perf_event *event);
/* Before a new event joins its context: -EBUSY where one is that would need the same hardware. */
int exclusive_join(const struct perf_event *event);

/* ---- state.c: what ioctl asks. Context: task. ---- */

void event_enable(struct perf_event *event);
void event_reset(struct perf_event *event);
int event_set_period(struct perf_event *event, uint64_t value);

/* Disables the event; also called when it reaches the end of its limit. Context: task or
 * interrupt. */
void event_disable(struct perf_event *event);

/* ---- sched.c: who counts. Context: interrupts masked on the context's processor. ---- */

void group_sched_out(struct perf_event *leader);
void event_sched_out(struct perf_event *event);
/* Starts a group or a member that became ready, if possible. */
void sched_event_ready(struct perf_event *event);
/* Gives the waiting flexible groups their turn. */
void sched_rotate(struct pmu_cpu *cpu);
/* Schedules the task's events in and out with it. */
void sched_task_in(struct pmu_cpu *cpu, struct context *ctx);
void sched_task_out(struct pmu_cpu *cpu, struct context *ctx);

/* ---- tick.c: what needs time: rotation, throttling, slow frequencies. ---- */

/* The length of a turn of flexible groups, rounded up to whole ticks. Atomic. */
extern uint64_t mux_interval_ns;
void tick_init(struct pmu_cpu *cpu);
/* Arms the one-shot timer if it is not armed. Context: interrupts masked, not NMI. */
void tick_need(struct pmu_cpu *cpu);

/* ---- throttle.c: configured limits. ---- */

/* Applies a new rate or share of sampling. Context: task. */
void throttle_limits_changed(void);
/* True when the event has had its limit of samples in this tick. Context: any, interrupts
 * masked. */
bool throttle_rate_reached(struct perf_event *event);
/* Accounts `ns` of an interrupt, and lowers the rate when the average is too high. Context: NMI. */
void throttle_took(uint64_t ns);

/* ---- overflow.c ---- */

/*
 * Ends a period: accounts it, writes the sample and requests wake-ups. `address`: the sample's, 0:
 * none. `period`: events since the last sample. `may_throttle`: too many samples stop the event.
 * Returns true when the caller must stop the event. Context: any.
 */
bool event_overflow(struct perf_event *event, struct frame *frame, uint64_t address,
		    uint64_t period, bool may_throttle);
/* Accounts the time of a PMI that sampled ring 0 (cpu->ring0_since), at its end. Context: any,
 * interrupts masked. */
void overflow_pmi_ends(struct pmu_cpu *cpu);
/* Deferred work of the NMI: struct irq_work's run. */
void event_work(struct irq_work *work);
/* Sends the pending signals of a context whose task is current again. Context: interrupts
 * masked. */
void event_traps_due(struct context *ctx);
/* The caller stops the event, which restarts at the next tick: writes a THROTTLE record and arms
 * the tick. Context: any, NMI included. */
void event_throttle(struct perf_event *event);
/* Adapts the period of an event in frequency mode to the count since the last call; `now`: in ns.
 * Context: any, the event's counter stopped. */
void event_adapt_period(struct perf_event *event, uint64_t now);
/* Converts hw.freq_stamp from a time to an age when the event stops, and back when it starts.
 * Context: interrupts masked. */
void event_turn_stamp(struct perf_event *event);
/* Wakes poll() on all events that share the ring, and sends SIGIO. Context: task or interrupt. */
void event_wake(struct perf_event *event);

/* ---- cgroup_events.c. Context: task. ---- */

/* Makes a processor's event, which is not attached yet, count only tasks of the group. */
void event_set_cgroup(struct perf_event *event, struct cgroup *group);
void event_drop_cgroup(struct perf_event *event);
/* True when a task of the event's group runs here. Context: context_run(). */
bool event_group_runs(const struct perf_event *event);
/* Adds or removes one watcher of switches between groups. */
void cgroup_watch(bool on);
void cgroup_moved(void);
/* Counts such a switch as a software event; set before the first event of those. */
extern void (*cgroup_switched)(void);

/* ---- inherit.c ---- */

int inherit_fork(struct task *child, bool thread);
/* Undoes inherit_fork(), complete or partial, for a child that never ran. */
void inherit_undo(struct task *child);
void inherit_exit(struct task *task);
void inherit_exec(struct task *task);

#endif
