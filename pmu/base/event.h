/* SPDX-License-Identifier: BSD-2-Clause */
/* The event core's objects: PMUs, events, groups and contexts. perf_event_open(2) defines their
 * behaviour; docs/essays.md describes how they work together. */
#ifndef PMU_EVENT_H
#define PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "abi/linux/perf_event.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/base/list.h"
#include "kernel/task/task.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"
#include "pmu/base/later.h"

struct address_filters;
struct bpf_program;
struct cgroup;
struct aux_area;
struct branch_stack;
struct file;
struct hw_derived;
struct hw_kind;
struct lbr_saved;
struct perf_event;
struct precise;
struct pmu_cpu;
struct ring;
struct ring_writer;
struct trace_event;
struct trace_filter;
struct watch;

/* Ordered: below EVENT_INACTIVE the event is disabled, below EVENT_ERROR permanently. */
enum event_state {
	EVENT_EXIT = -3,  /* its task is gone */
	EVENT_ERROR = -2, /* pinned, and there was no counter for it */
	EVENT_OFF = -1,
	EVENT_INACTIVE = 0, /* enabled, waits for its task or a counter */
	EVENT_ACTIVE = 1,   /* counts */
};

enum pmu_caps {
	PMU_SOFTWARE = 1 << 0,      /* takes no counters: always fits, and joins any group */
	PMU_NO_NMI = 1 << 1,        /* samples are taken outside NMIs: any clock will do */
	PMU_EXTENDED_REGS = 1 << 2, /* samples may have vector registers */
	/* counting events of a task may stay on while the task is off */
	PMU_STEADY = 1 << 3,
	PMU_EXCLUSIVE = 1 << 4, /* one event at a time: exclusive.c; it has a branch_use */
};

/* Uses of a processor's branch recording, which may exclude each other: exclusive.c. */
enum branch_use { BRANCH_NONE, BRANCH_RECORDS, BRANCH_TRACE, BRANCH_STORE, BRANCH_USES };

/*
 * A performance monitoring unit. Context of all but event_init, destroy and check_period:
 * interrupts masked on the processor that counts; read, start and stop also from the PMI. Results
 * are 0 or a negative errno.
 */
struct pmu {
	uint32_t caps;              /* enum pmu_caps */
	uint32_t type;              /* of perf_event_attr */
	enum branch_use branch_use; /* of all its events */
	/* For hardware PMUs: prepares this processor's registers, stops counters that firmware left
	 * running, unmasks the PMI. Called on every processor, after discovery on the first.
	 * Context: start. */
	void (*cpu_init)(void);
	/* Initialises an event of this PMU. Returns 0, -ENOENT (another PMU's event), or an error.
	 * Context: task. */
	int (*event_init)(struct perf_event *event);
	/* Undoes event_init. Context: task. NULL: nothing to undo. */
	void (*destroy)(struct perf_event *event);
	/* Assigns a counter and starts the event; -EAGAIN when none is free. */
	int (*add)(struct perf_event *event);
	/* Stops the event, updates its count and releases the counter. */
	void (*del)(struct perf_event *event);
	/* start begins a new period; stop updates the count. The event keeps its counter. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Updates event->count. */
	void (*read)(struct perf_event *event);
	/* Between pause and resume no event of this PMU counts on this processor. Pairs nest. NULL:
	 * not needed. */
	void (*pause)(void);
	void (*resume)(void);
	/* Returns 0 if the event can have this period, else -EINVAL. NULL: any. Context: task. */
	int (*check_period)(const struct perf_event *event, uint64_t period);
	/* Returns the operand of RDPMC plus 1 while the event runs; 0: not readable by RDPMC. NULL:
	 * never. Context: any. */
	uint32_t (*user_index)(const struct perf_event *event);
	/* Returns the width of the counter that user_index() names. NULL with it. */
	uint8_t (*counter_bits)(const struct perf_event *event);
	/* Returns the branch stack of the event's sample; NULL: none. Context: the PMI. NULL: not
	 * supported. */
	const struct branch_stack *(*branches)(const struct perf_event *event);
	/* True when the PMU's events can count on this processor. NULL: on all. */
	bool (*is_here)(const struct pmu *pmu);
	/* Ring 3 may read counters from now on: clears unused counters. NULL: not needed. */
	void (*forget)(void);
	/* Handles PERF_EVENT_IOC_SET_FILTER: 0, or -EEXIST, -EINVAL, -ENOMEM. Context: task. NULL:
	 * -EINVAL. */
	int (*set_filter)(struct perf_event *event, const char *text);
	/* Prepares the hardware's use of a new AUX area: sets its `hardware` and `free_hardware`. 0
	 * or negative errno. Context: task. NULL: its events have no AUX area. */
	int (*setup_aux)(struct perf_event *event, struct aux_area *aux);
	/* Writes the newest `bytes` (a multiple of 8) of the event's AUX area into another event's
	 * record; without them zeros. Context: interrupts masked on its processor, or the PMI.
	 * NULL: its area cannot be sampled. */
	void (*snapshot)(struct perf_event *event, struct ring_writer *w, uint32_t bytes);
	/* Pauses the event's trace, or resumes it; its AUX area stays. Context: interrupts masked
	 * on its processor, or the PMI. NULL: not supported. */
	void (*pause_trace)(struct perf_event *event, bool pause);
	/* Called before a switch of tasks while pmu_cpu.buffered is set. NULL: that never is. */
	void (*switching)(void);
	/* Called after a switch of tasks while events of the processor stayed on. NULL: not
	 * needed. */
	void (*switched)(void);
};

/* The data of a sample for PERF_SAMPLE_RAW. */
struct raw_data {
	const void *data;
	uint32_t bytes;
};

/* An event's state in its PMU and in the overflow path. */
struct hw_event {
	/* Constant after event_init. */
	const struct hw_kind *kind; /* of the processors that count it. NULL: no hardware event */
	uint64_t config;            /* event select without ENABLE */
	uint64_t fixed;             /* as `config`, as a field of FIXED_CTR_CTRL */
	uint64_t allowed;           /* counters that can count it, as bits of GLOBAL_CTRL */
	uint64_t extra;             /* value for the register that it shares: struct hw_shared */
	bool pair;                  /* takes its counter and the next one, which extends it */
	bool exclusive;             /* its counter excludes neighbours: pmu/hw/neighbours.h */
	int8_t extra_index;         /* which of them it uses, -1: none */
	bool extra_needed;
	uint32_t branch_filter; /* kinds of branches that its samples show; 0: no branch stacks */
	uint64_t branch_select; /* the hardware filter that it requires */
	const struct hw_derived *derived; /* how its count comes about. NULL: by its counter */
	bool is_precise; /* its samples come from records of the processor: struct hw_records */
	/* The processor reloads its counter after each record: the period is fixed, and fits the
	 * counter. `reloads`: of the counter that it has now. */
	bool may_reload, reloads;
	bool buffered;          /* its records may wait: they have all that its samples need */
	bool trace_paused;      /* of a trace: it records nothing until an event resumes it */
	bool stores_branches;   /* its samples come from the branch trace store */
	uint64_t record_groups; /* required groups of records, in the vendor's terms */
	uint16_t shortest;      /* events that a period has at least */
	uint16_t load_latency;  /* a sampled load has more cycles. 0: any op is sampled */
	int64_t grain;          /* periods are cut to these bits */
	bool user_read;         /* RDPMC was offered to programs when it was made */
	bool derived_on; /* of a derived event, in place of `running`. Task writes, NMI reads */
	/* True between start and stop. NMI reads and writes, task with the counter stopped. */
	bool running;
	bool record_due;  /* stopped between its period's end and the record. Task only */
	bool throttled;   /* stopped by too many interrupts until the tick. NMI and interrupt */
	uint32_t samples; /* of the tick of that number. NMI and interrupt */
	uint64_t samples_window;
	int index;           /* its counter, -1: none */
	int placed;          /* the counter that what follows is of, -1: none yet */
	uint32_t rdpmc;      /* RDPMC's index */
	uint8_t unused_bits; /* of 64, above the counter's */
	uint32_t msr;        /* where its value is written */
	uint32_t select_msr; /* of a general counter */
	int64_t longest;     /* the most events that it can count down */
	/* description of the sample in progress; NULL: the interrupted instruction. NMI only */
	const struct precise *precise;

	/* Atomic: NMI and task. For a clock: when the count was last updated. For hardware: the
	 * number of loads of its counter; each load changes base and due. The count is base plus
	 * the counter; the remaining period is due minus the counter. */
	uint64_t prev;
	int64_t base, due;
	/* events until the next sample; for hardware, when it was last stopped */
	int64_t period_left;
	uint64_t period; /* events a sample; of counting events: as good as endless */
	uint64_t last_period;

	/* In frequency mode: when the period was last adapted, ns (while the event is stopped: how
	 * long it had run since), and the count then. */
	uint64_t freq_stamp;
	int64_t freq_count;

	struct timer timer;        /* clocks that sample */
	struct list software_link; /* in ctx->software, or in trace_event->lists */

	struct trace_event *trace;   /* constant after event_init; NULL: no trace event */
	struct trace_filter *filter; /* [opened] of its records, NULL: all pass. Atomic pointer */
	const struct raw_data *raw;  /* of the sample under way, NULL: none */
};

#define EVENT_CLOCK_OWN (-1)

/* Writes a sample of the event into the ring of its origin, as sample_write(). */
typedef void sample_writer(struct perf_event *event, const struct frame *frame, uint64_t address,
			   uint64_t period, struct perf_event *origin, struct ring *ring);

/* Fields that only the opened event has, not its inherited copies, have [opened] in their comment;
 * tools/opened_fields.awk looks for uses by copies. */
struct perf_event {
	struct perf_event_attr attr;
	const struct pmu *pmu;
	struct hw_event hw;
	enum event_state state; /* changes on the context's processor: context_run() */

	int64_t count; /* atomic: NMI and task */
	int64_t child_count;
	uint64_t lost; /* records that did not fit the ring. Atomic */

	/* Time enabled and time running in ns, up to `stamp` on the context's clock. They change
	 * only while the event is stopped. */
	uint64_t time_enabled, time_running, stamp;
	uint64_t child_enabled, child_running;

	struct context *ctx;       /* holds a reference */
	struct perf_event *leader; /* itself when it is alone or leads */
	struct perf_event *parent; /* inherited: the one that was opened */
	struct perf_event *origin; /* its parent, or itself */
	/* Link of a leader in ctx->pinned, ->flexible or ->steady, of a sibling in
	 * leader->siblings. */
	struct list group_link;
	struct list siblings;
	uint32_t nr_siblings;
	uint32_t changes;       /* of a leader: how often an event has joined or left its group */
	struct list event_link; /* in ctx->events */
	struct list children;   /* [opened] inherited copies, by child_link */
	struct list child_link;
	struct list owner_link; /* [opened] in perf_task->owned */
	bool attached;          /* part of its context */
	bool steady;            /* in ctx->steady */
	bool enable_on_exec;

	/* For a control group's events; off unless the running task is in the group: leaders. */
	struct cgroup *cgroup; /* referenced; NULL: of none */
	bool away;
	uint64_t id;
	int cpu;                 /* -1: any */
	int clockid;             /* CLOCK_* that use_clockid chose, or EVENT_CLOCK_OWN */
	uint64_t (*clock)(void); /* of its records */
	/* Bytes. */
	uint32_t read_size; /* of read(2) */
	uint32_t
	    sample_size; /* of a sample's header and fields without what varies in their length */
	uint16_t user_bytes, interrupted_bytes; /* of a sample's registers */
	uint32_t id_size;                       /* of the sample_id that ends other records */
	bool trace_started;                     /* [opened] ITRACE_START was written */
	bool raw_output; /* programs write to it, and its samples have nothing but raw data */
	sample_writer *write_sample; /* pmu/record/sample.c */

	/* PERF_EVENT_IOC_SET_FILTER of a hardware trace: pmu/record/addresses.h; NULL: none */
	struct address_filters *addresses;

	struct ring *ring;     /* [opened] where records go; holds a reference. Atomic pointer */
	struct list ring_link; /* [opened] in ring->users */
	uint32_t mmap_count;   /* [opened] mappings made through this event */
	struct waitq waitq;    /* [opened] poll */
	struct file *file;     /* [opened] */
	int fd;                /* [opened] for SIGIO: what perf_event_open() returned */
	struct irq_work work;  /* deferred work of the NMI */
	/* Pending parts of the work item: set in any context, cleared by it. */
	bool pending_wakeup, pending_disable, pending_trap;
	uint64_t trap_address; /* address of the sample for SIGTRAP */
	uint16_t pending_kill; /* POLL_IN or POLL_HUP for SIGIO */
	/* A BPF program that filters samples (bpf/): the program, the function that runs it, and
	 * the function that removes it with the event. NULL: none. Atomic pointer. */
	struct bpf_program *program;
	bool (*run_program)(struct perf_event *event, const struct frame *frame, uint64_t address,
			    uint64_t period);
	/* A child's event runs the program that its parent's has at that time. */
	void (*share)(struct perf_event *copy, const struct perf_event *origin);
	void (*detach)(struct perf_event *event);
	void *place;         /* of its program at a trace event */
	uint64_t cookie;     /* its program's */
	int32_t event_limit; /* samples until it is disabled (REFRESH). Atomic; 0: no limit */
};

/* The events of one task or of one processor. */
struct context {
	uint32_t refs;     /* atomic: the task, and each event */
	struct task *task; /* NULL: a processor's, or the task is gone */
	bool of_cpu;
	uint32_t cpu;                 /* where it is active */
	bool active;                  /* its task is on a processor (a processor's: always) */
	bool dead;                    /* the task exited */
	bool rotate;                  /* some flexible group did not fit */
	bool trap_due;                /* some event has a pending_trap. Any context writes */
	uint32_t nr_freq;             /* events that have a frequency */
	uint32_t nr_recording;        /* events that record tasks' actions */
	uint64_t time;                /* ns that it was active, up to the last switch out */
	uint64_t offset;              /* while active: its clock is clock_ns() + offset */
	struct list pinned, flexible; /* group leaders, in the order of scheduling */
	struct list events;           /* all, oldest first */
	/* A task's events that always fit and count through data of the context: they stay on while
	 * they are enabled, even while the task is off, so a context switch does not touch them. */
	struct list steady;
	/* Software events that are on, by kind, through hw.software_link. */
	struct list software[PERF_COUNT_SW_MAX];
	uint32_t software_kinds; /* a bit for each of which there is one */
	struct lbr_saved *lbr;   /* of a task: its calls while it is off: pmu/hw/lbr.c */
	/* A count for each processor: events of a task that want a debug register there. NULL: none
	 * ever did. */
	uint8_t *breakpoints;
};

/* A task's perf state: task->perf. */
struct perf_task {
	struct context ctx;
	struct list owned;   /* events that it opened, by owner_link */
	struct watch *watch; /* its debug registers as its tracer wrote them. NULL: never */
};

#define event_for_each_sibling(sibling, leader) \
	list_for_each(sibling, &(leader)->siblings, group_link)

static inline bool event_is_sampling(const struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/* True if the event records tasks' actions of some kind. */
static inline bool event_is_recording(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->comm || attr->mmap || attr->mmap_data || attr->task || attr->context_switch ||
	       attr->namespaces || attr->ksymbol || attr->bpf_event || attr->cgroup ||
	       attr->text_poke || (attr->__reserved_1 & ATTR_DEFER_OUTPUT);
}

static inline bool event_is_software(const struct perf_event *event)
{
	return event->pmu->caps & PMU_SOFTWARE;
}

/* True for a hardware event in frequency mode. A frequency of 0 means no samples. */
static inline bool event_has_frequency(const struct perf_event *event)
{
	return event->attr.freq && event_is_sampling(event) && !event_is_software(event);
}

/* Returns the event that descriptors and ids name: for an inherited event the one that was
 * opened. */
static inline struct perf_event *event_origin(struct perf_event *event)
{
	return event->origin;
}

/* Returns the event's count so far, including exited children. */
static inline uint64_t event_count(const struct perf_event *event)
{
	return (uint64_t)(__atomic_load_n(&event->count, __ATOMIC_RELAXED) + event->child_count);
}

#endif
