/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared interface of the files of pmu/ and api/: events, contexts, scheduling, overflow,
 * records. */
#ifndef PMU_CORE_H
#define PMU_CORE_H

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "pmu/core/event.h"
#include "ringbuf/ring.h"

struct cgroup;
struct vma;

#define NS_PER_SECOND 1000000000ul

/* The values of /proc/sys/kernel/perf_event_*; root may change them. */
struct perf_limits {
	int paranoid;         /* -1 .. 3 */
	uint32_t sample_rate; /* Hz, highest sample_freq */
	int mlock_kb; /* ring memory beyond RLIMIT_MEMLOCK, for each processor; negative: any */
	uint32_t max_stack;    /* frames in a call chain: callchain_reserve() */
	uint32_t max_contexts; /* changes of ring in a call chain */
	uint32_t cpu_percent;  /* of a processor that samples of ring 0 may take; 0, 100: all */
	/* Limits from values other than the defaults. Atomic. */
	uint32_t tick_samples; /* of an event in a tick; 0: no limit */
	uint64_t sample_ns;    /* that an interrupt may take on average; 0: any time */
};
extern struct perf_limits perf_limits;

#define USUAL_SAMPLE_RATE 100000
#define USUAL_CPU_PERCENT 25

/* Number of events that collect call chains, and of maps of stacks: while it is not 0, max_stack
 * and max_contexts cannot change. */
extern uint32_t nr_callchain_events;

/* True when the current task has CAP_PERFMON, or CAP_SYS_ADMIN, which came before it. Context:
 * task. */
bool perf_privileged(void);

/* Number of events that want build ids. */
extern uint32_t nr_build_id_events;

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
/* Returns the size of a read(2) of the event with `nr_siblings` siblings in its group. Context:
 * any. */
uint32_t event_read_bytes(const struct perf_event *event, uint32_t nr_siblings);
/* Recomputes read_size of the whole group. Context: task or interrupt. */
void group_update_sizes(struct perf_event *leader);
/* True when records of the group stay small enough with `event` added. */
bool event_sizes_fit(const struct perf_event *event);
/* The first type for PMUs that are found, as on Linux: 6 and 7 are kprobe's and uprobe's
 * (trace/probe/pmus.c). */
#define PMU_TYPE_FREE 8
/* Registers one more PMU; there is room for six. Context: start. */
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
/* Returns the task's context, and creates it if there is none. NULL: no memory. Context: task. */
struct context *context_of_task(struct task *task);
/* True when the context may be changed here: it is active on this processor or on none. */
static inline bool context_is_here(const struct context *ctx)
{
	return !ctx->active || ctx->cpu == this_cpu_read(id);
}

/*
 * Runs fn on the context's processor (or here, if the context is not active) with interrupts
 * masked: a context and its events change in no other way. The task cannot migrate during the call,
 * which would need the kernel lock. Context: task or interrupt.
 */
static inline void context_run(const struct context *ctx, remote_fn *fn, void *argument)
{
	uint64_t flags;

	if (!context_is_here(ctx)) {
		remote_call(ctx->cpu, fn, argument);
		return;
	}
	flags = irq_save();
	fn(argument);
	irq_restore(flags);
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

/* Returns the context's time in ns at `now` of clock_ns(). Context: any. */
static inline uint64_t context_time(const struct context *ctx, uint64_t now)
{
	return ctx->active ? now + ctx->offset : ctx->time;
}

/* Returns the state with the leader's taken into account: a group is off while its leader is. */
static inline enum event_state effective_state(const struct perf_event *event)
{
	enum event_state leader = event->leader->state;

	return leader <= EVENT_OFF ? leader : event->state;
}

/* Returns the times enabled and counting up to `now` (clock_ns()), excluding children. Context:
 * any. */
static inline void event_times(const struct perf_event *event, uint64_t now, uint64_t *enabled,
			       uint64_t *running)
{
	uint64_t delta = context_time(event->ctx, now) - event->stamp;
	enum event_state state = effective_state(event);

	*enabled = event->time_enabled + (state >= EVENT_INACTIVE ? delta : 0);
	*running = event->time_running + (state == EVENT_ACTIVE ? delta : 0);
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

/* ---- exclusive.c: PMUs that have room for one event. Context: task. ---- */

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

/* ---- sample.c, callchain.c ---- */

/* Writes a SAMPLE record. Context: any. */
void sample_write(struct perf_event *event, struct frame *frame, uint64_t address, uint64_t period);
/* Writes sample_id, the id_size bytes that end other records of an event with sample_id_all, for
 * `task`. Context: any. */
void sample_write_id(struct ring_writer *writer, struct perf_event *event, const struct task *task);
/* Computes sample_size and id_size of a new event. Context: task. */
void sample_sizes(struct perf_event *event);
/* Makes room for call chains of `frames` frames, or the most that a record holds, on every
 * processor. Returns 0 or -ENOMEM. Context: task, or start. */
int callchain_reserve(uint32_t frames);
/* Collects return addresses with PERF_CONTEXT_ markers. Returns their number; *chain points at
 * them. */
uint32_t callchain_collect(const struct perf_event *event, const struct frame *frame,
			   const uint64_t **chain);

/* ---- records.c: how any record is written. Context: any. ---- */

/*
 * Reserves a record of `size` bytes, which includes the header but not sample_id, and writes the
 * header. A pending LOST record goes first. Returns false when there is no ring, or no room.
 */
bool record_begin(struct ring_writer *writer, struct perf_event *event, uint32_t type,
		  uint16_t misc, uint32_t size);
/* Ends a record: publishes it and requests wake-ups. */
void record_finish(struct ring_writer *writer, struct perf_event *event);
/* Writes the sample_id, and ends the record. */
void record_end(struct ring_writer *writer, struct perf_event *event);
/* As record_end(), for a record about another task than the current one. */
void record_end_of(struct ring_writer *writer, struct perf_event *event, const struct task *task);
/*
 * Writes the read(2) image of the event for `nr_siblings` siblings, event_read_bytes() long. An NMI
 * may interrupt a change of the group: surplus members are left out, and zeros stand for missing
 * ones.
 */
void record_read_values(struct ring_writer *writer, struct perf_event *event, uint32_t nr_siblings);

/* ---- sideband.c: records of tasks' actions. Context: task or interrupt. ---- */

void records_fork(struct task *child);
void records_exit(struct task *task, struct context *ctx);
/* Writes NAMESPACES records for a new task, or for the current one after unshare(2). */
void records_namespaces(struct task *task);
void records_comm(struct task *task, bool exec);
void records_mmap(const struct vma *vma);
/* Writes SWITCH records; `other` is the next task, or the previous one. */
void records_switch(struct task *task, struct task *other, bool in);
/* Context: any. */
void records_throttle(struct perf_event *event, bool begins);
/* Writes LOST_SAMPLES: `number` samples of the event are lost. Context: any. */
void records_lost_samples(struct perf_event *event, uint64_t number);
/* A program of that number and tag was loaded, or is gone: KSYMBOL and BPF_EVENT. */
void records_bpf(uint32_t id, const uint8_t tag[8], const char *name, uint64_t address,
		 uint32_t bytes, bool loaded);
/* Writes TEXT_POKE after a change of kernel code of at most TEXT_POKE_MAX bytes. Context: task. */
#define TEXT_POKE_MAX 32
void records_text_poke(uint64_t address, const uint8_t *before, uint16_t nr_before,
		       const uint8_t *after, uint16_t nr_after);
/* Writes the READ record of an inherited event whose task exits. */
void records_read(struct perf_event *event, struct task *task);

/* Writes CGROUP for a new control group. */
void records_cgroup(const struct cgroup *group);

/* ---- cgroup_events.c. Context: task. ---- */

/* Makes a processor's event, which is not attached yet, count only tasks of the group. */
void event_set_cgroup(struct perf_event *event, struct cgroup *group);
void event_drop_cgroup(struct perf_event *event);
/* True when a task of the event's group runs here. Context: context_run(). */
bool event_group_runs(const struct perf_event *event);
/* Adds or removes one watcher of switches between groups. */
void cgroup_watch(bool on);
void cgroup_moved(void);

/* ---- software.c, clock.c, breakpoint.c ---- */

extern const struct pmu software_pmu, cpu_clock_pmu, task_clock_pmu, breakpoint_pmu;
/* Counts `number` occurrences of a software event. Context: task or interrupt, interrupts
 * masked. */
void software_event(unsigned id, uint64_t number, struct frame *frame, uint64_t address);

/* ---- userpage.c ---- */

/* Writes the constant fields of a new ring's user page. Context: task. */
void userpage_begin(struct perf_event *owner, struct ring *ring);

/* Writes index, offset and times to the event's user page. */
void userpage_write(struct perf_event *event);

/* Updates the user page, if the event has one. Context: context_run(), or the PMI. */
static inline void userpage_update(struct perf_event *event)
{
	const struct ring *ring = event->ring;

	if (ring && ring->owner == event)
		userpage_write(event);
}

/*
 * A running counter was reloaded: updates the base for readers of the user page; times stay valid.
 * Readers on this processor see both words change at once. Context: the PMI.
 */
static inline void userpage_reloaded(struct perf_event *event)
{
	const struct ring *ring = event->ring;
	struct perf_event_mmap_page *page;

	if (!ring || ring->owner != event)
		return;
	page = ring->user_page;
	page->offset = (event->hw.user_read ? event->hw.base : event->count) + event->child_count;
	__atomic_store_n(&page->lock, page->lock + 2, __ATOMIC_RELEASE);
}

/* ---- inherit.c ---- */

int inherit_fork(struct task *child, bool thread);
/* Undoes inherit_fork(), complete or partial, for a child that never ran. */
void inherit_undo(struct task *child);
void inherit_exit(struct task *task);
void inherit_exec(struct task *task);

#endif
