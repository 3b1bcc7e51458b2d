/* SPDX-License-Identifier: BSD-2-Clause */
/* What the drivers of x86 processors' PMUs share: counters that run up to an overflow, each with an
 * event select. */
#ifndef PMU_HW_H
#define PMU_HW_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/apic/tsc.h"
#include "pmu/hw/stuck.h"
#include "pmu/hw/assign.h"
#include "pmu/core/event.h"
#include "pmu/hw/lbr.h"
#include "pmu/core/sysfs.h"

#define HW_EXTRA 4 /* registers that events share */

/* Marks of the event tables. */
#define EVENT_NONE    0          /* does not exist here: ENOENT */
#define EVENT_INVALID UINT64_MAX /* makes no sense: EINVAL */

/* One word for each PERF_TYPE_HW_CACHE event; a table of them is a pointer to its first cache's. */
typedef const uint64_t hw_cache_rows[PERF_COUNT_HW_CACHE_OP_MAX][PERF_COUNT_HW_CACHE_RESULT_MAX];

/* A family of processors: which counters its events may use, and its codes for Linux's generic
 * events. */
struct hw_model {
	const char *name;
	const struct hw_constraint *constraints; /* ended by counters == 0 */
	hw_cache_rows *cache;
};

struct hw_constraint {
	uint64_t code, mask; /* the event select and unit mask & mask == code, */
	uint64_t counters;   /* counters that can count it, as bits of GLOBAL_CTRL */
	uint64_t last;       /* or codes up to this one; 0: only `code` */
};

struct hw_cpu;

/* Operations on all counters: stop, start, overflow status. Context: interrupts masked, or the
 * PMI. */
struct hw_control {
	/* Nothing counts any more; what should count counts again (nothing while it is paused). */
	void (*stop)(struct hw_cpu *cpu);
	void (*start)(struct hw_cpu *cpu);
	/* The counters that wrapped, as bits of GLOBAL_STATUS; makes the processor forget them. */
	uint64_t (*wrapped)(struct hw_cpu *cpu);
	void (*acknowledge)(uint64_t status);
	/* Programs the event's general counter. */
	void (*write_select)(const struct hw_event *hw, uint64_t select);
};

/* ---- hw_control.c ---- */

extern const struct hw_control hw_select_control, hw_global_control;

/* Where the registers of a generation are. */
struct hw_registers {
	uint32_t select, counter; /* MSRs of general counter 0 */
	uint32_t step;            /* from one counter's to the next */
	uint8_t write_bits;       /* of a counter that a write sets; the last one is extended */
	uint32_t global_control, global_status, global_clear; /* 0: there are none */
};

/* Registers that events share, where a select alone does not say what counts. Context: as struct
 * pmu's add and del. */
struct hw_shared {
	/* Gives the event one; false when all are taken. */
	bool (*take)(struct hw_cpu *cpu, struct hw_event *hw);
	void (*drop)(struct hw_cpu *cpu, struct hw_event *hw);
	/* Writes it, and returns the event's select. */
	uint64_t (*select)(const struct hw_event *hw);
};

/* Records that the processor itself writes at overflows. Context: NMI; the first two also task,
 * interrupts masked. */
struct hw_records {
	/* Lets the event's counter make them; no more. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Turns them into samples, and returns how many events they were of. */
	unsigned (*take)(struct hw_cpu *cpu, struct frame *frame);
};

/* How an event counts whose count is worked out of other registers: in place of its counter's own
 * operations. Context: as struct pmu's start, stop and read. */
struct hw_derived {
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	void (*read)(struct perf_event *event);
};

/* Kinds of processors in one machine; all are of the first kind except on hybrid machines. */
enum { HW_FIRST, HW_SECOND, HW_KINDS };

/* A vendor's operations: required ones, then optional ones. */
struct hw_vendor {
	const char *name;
	/* Discovers the PMU of this processor's kind, on the first processor of it: fills the rest
	 * of hw_caps, and the kind. False: there is none that works. Context: start. */
	bool (*discover)(void);
	/* Fills hw.config, hw.allowed and hw.extra from the attr: 0 or -errno. Context: task. */
	int (*configure)(struct perf_event *event);
	/* As struct pmu's. NULL: any. */
	int (*check_period)(const struct perf_event *event, uint64_t period);
	/* Whether processors of this machine differ, and of which kind this one is. NULL: they are
	 * always alike. Context: start. */
	bool (*find_kind)(unsigned *kind);
	const char *kinds[HW_KINDS];      /* PMUs in /sys of processors that differ */
	const struct hw_shared *shared;   /* NULL: no event needs such a register */
	const struct hw_records *records; /* NULL: samples come from PMIs only */
	/* Stops this processor's counters, and forgets what wrapped before. Context: start. */
	void (*reset)(void);
	/* An NMI in which no counter had wrapped is ours for `late_ns` after one for which at least
	 * `late_counters` were dealt with. */
	unsigned late_counters;
	uint64_t late_ns;
	const struct pmu_word *words; /* its files in /sys; NULL: only the common ones */
	bool masks_lvtpc;             /* delivery of a PMI masks LVTPC */
	bool late_nmis;               /* a counter's NMI may arrive after the counter was stopped */
};

/* Capabilities common to all processors; constant after hardware_init(). */
struct hw_caps {
	const struct hw_vendor *vendor; /* NULL: none whose PMU we know */
	uint32_t version;               /* of the vendor's performance monitoring */
	const struct hw_registers *registers;
	const struct hw_control *control;
	uint8_t general_bits, fixed_bits;
};
extern struct hw_caps hw_caps;

/* Capabilities of one kind of processors; constant after hardware_init(). */
struct hw_kind {
	uint64_t cpus; /* that are of it, as CPU_BIT()s. 0: none, so that there is no such PMU */
	const struct hw_model *model;
	uint64_t generic[PERF_COUNT_HW_MAX]; /* event codes of PERF_TYPE_HARDWARE */
	uint64_t general, fixed;             /* counters that work, as bits of GLOBAL_CTRL */
	/* those counters, and other enable bits of GLOBAL_CTRL */
	uint64_t enables;
	uint64_t records; /* bits of GLOBAL_STATUS for records */
	uint64_t status;  /* bits of GLOBAL_STATUS that may be acknowledged */
};
extern struct hw_kind hw_kinds[HW_KINDS];

/* State of each processor. */
struct hw_cpu {
	struct hw_kind *kind; /* constant after hardware_init() */
	/* The owner of each counter. Task writes, NMI reads. */
	struct perf_event *events[ASSIGN_COUNTERS];
	uint64_t used;          /* counters that are owned. Task only */
	uint64_t dirty;         /* counters that may still hold an event's count. Task only */
	uint64_t fixed_control; /* contents of FIXED_CTR_CTRL. Atomic: NMI and task */
	/* contents of GLOBAL_CTRL: 0 while paused. Task writes, NMI reads */
	uint64_t global;
	/* Without global registers: what the event selects hold while nothing is stopped. Atomic:
	 * NMI and task */
	uint64_t select[ASSIGN_FIXED0];
	bool stopping;   /* task code is stopping a counter, whose PMI may find it so. Likewise */
	uint32_t pauses; /* depth of pause. Task only */
	uint64_t late;   /* until when a late NMI may come, ns. NMI and task */
	/* Contents of the shared registers, and their numbers of events. Task only. */
	uint64_t extra[HW_EXTRA];
	uint32_t extra_users[HW_EXTRA];
	struct lbr_share lbr;  /* events with branch stacks. Task writes, NMI reads */
	struct hw_stuck stuck; /* NMI only */
};

/* ---- hw.c ---- */

extern struct hw_cpu hw_cpus[MAX_CPUS];

static inline struct hw_cpu *hw_this_cpu(void)
{
	return percpu_place(&hw_cpus[this_cpu_read(id)]);
}

/* A PMI that finds nothing may come from now on: it is ours. Context: interrupts masked, or the
 * NMI. */
static inline void hw_expect_late(struct hw_cpu *cpu)
{
	cpu->late = clock_ns() + hw_caps.vendor->late_ns;
}

/* This processor's. Context: any; at the start it is the one that is being discovered. */
static inline struct hw_kind *hw_this_kind(void)
{
	return hw_this_cpu()->kind;
}

/* The event is the PMU's own, in its codes. Context: any, after event_init. */
static inline bool hw_is_raw(const struct perf_event *event)
{
	return event->hw.kind && event->attr.type == event->pmu->type;
}

/* The PMU of the first kind, and that of the second. Their operations are the same. */
extern const struct pmu hw_pmu, hw_second_pmu;

/* ---- hw_counter.c: one counter. Context: interrupts masked, or the PMI. ---- */

uint8_t hw_counter_bits(int counter);
/* Where its value is written. */
uint32_t hw_counter_msr(int counter);
/* The event select as a field of FIXED_CTR_CTRL. Context: any. */
uint64_t hw_fixed_field(uint64_t config);
/* Prepares the event for its counter: RDPMC's operand. */
void hw_counter_place(struct perf_event *event, int counter);
/* Starts a period and lets the counter run; stops it. */
void hw_counter_start(struct perf_event *event);
void hw_counter_stop(struct perf_event *event);
/* Brings the count up to date. Returns the events that are left of the period, at
 * most 0 when it ended. */
int64_t hw_counter_update(struct perf_event *event);
/* Loads the counter with the rest of the period, or starts a new period. */
void hw_counter_reload(struct perf_event *event);

/* ---- hw_events.c: codes of Linux's events. Context: task. ---- */

/* Begins hw.config with rings and interrupt; what only counts gets a period without end. */
void hw_configure_begin(struct perf_event *event);
/* Adds the code of a PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE event to hw.config: 0, -ENOENT (not
 * here) or -EINVAL (makes no sense). */
int hw_configure_generic(struct perf_event *event);
int hw_configure_cache(struct perf_event *event);
/* The word of a table for the config of a PERF_TYPE_HW_CACHE event; EVENT_INVALID: there is no such
 * event. Context: any. */
uint64_t hw_cache_word(hw_cache_rows *table, uint64_t config);
/* The counters of the first constraint that the select meets, or `otherwise`. NULL: no table. */
uint64_t hw_constrained(const struct hw_constraint *table, uint64_t config, uint64_t otherwise);
/* General counters that can count the event, by its select. */
uint64_t hw_general_counters(const struct hw_event *hw);

/* ---- hw_probe.c ---- */

#define HW_PATTERN 0x5555

/* A register that swallows writes, or faults, is no register. Leaves `idle` in it. */
bool hw_register_works(uint32_t msr, uint64_t pattern, uint64_t idle);
/* Which of the first `number` general counters, at hw_caps.registers, keep what is written; all are
 * off then. */
uint64_t hw_find_general(uint32_t number);
/* Reports counters that firmware left running, among the ones enabled in `global`: firmware may use
 * them, but we take them over. */
void hw_report_left(uint32_t number, uint64_t global);

/* ---- hw_pmi.c ---- */

/* The NMI handler: nmi_handler of arch/x86/trap/nmi.h. */
bool hw_pmi(struct frame *frame);
/* The event's counter wrapped, or made a record: accounts for it, writes the sample when the period
 * is over, and reloads. `address`: of the sample, 0: none. Context: the PMI. */
void hw_period_passed(struct perf_event *event, struct frame *frame, uint64_t address);

#endif
