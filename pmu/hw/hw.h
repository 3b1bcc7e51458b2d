/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared part of the x86 PMU drivers: counters that count up to an overflow, each with an event
 * select. */
#ifndef PMU_HW_H
#define PMU_HW_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu_mask.h"
#include "arch/x86/cpu/percpu.h"
#include "pmu/base/context.h"
#include "pmu/base/event.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/hw/assign.h"
#include "pmu/hw/lbr.h"
#include "pmu/hw/stuck.h"

#define HW_EXTRA 6 /* registers that events share */

/* Marks of the event tables. */
#define EVENT_NONE    0          /* does not exist here: ENOENT */
#define EVENT_INVALID UINT64_MAX /* makes no sense: EINVAL */

/* A table has one word for each PERF_TYPE_HW_CACHE event; this points to its first cache's rows. */
typedef const uint64_t hw_cache_rows[PERF_COUNT_HW_CACHE_OP_MAX][PERF_COUNT_HW_CACHE_RESULT_MAX];

/* A family of processors: the counters of its events, and its codes for Linux's generic events. */
struct hw_model {
	const char *name;
	const struct hw_constraint *constraints; /* ended by counters == 0 */
	hw_cache_rows *cache;
	/* Events whose counters must not be in use by neighbours; ended by counters == 0. NULL:
	 * none */
	const struct hw_constraint *exclusive;
	uint8_t neighbours; /* enum hw_neighbours: the processors that share something with one */
	bool strict;        /* exclusive events exclude all events, not only each other */
	bool registers_shared; /* neighbours have the extra registers in common */
};

enum hw_neighbours { HW_NO_NEIGHBOURS, HW_CORE, HW_PACKAGE };

/* Which unit masks a constraint is about: any; several bits; bits of both halves. */
enum hw_units { HW_ANY_UNITS, HW_SEVERAL_UNITS, HW_BOTH_HALVES };

#define HW_NO_COUNTER BIT(63) /* of a constraint: no counter can count it */

struct hw_constraint {
	uint64_t code, mask; /* the event select and unit mask & mask == code, */
	uint64_t counters;   /* counters that can count it, as bits of GLOBAL_CTRL */
	uint64_t more;       /* or so many codes after `code` */
	uint8_t units;       /* enum hw_units */
};

struct hw_cpu;

/* Operations on all counters: stop, start, overflow status. Context: interrupts masked, or the
 * PMI. */
struct hw_control {
	/* stop halts all counters; start resumes the ones that count, unless counting is paused. */
	void (*stop)(struct hw_cpu *cpu);
	void (*start)(struct hw_cpu *cpu);
	/* Returns the counters that wrapped as bits of GLOBAL_STATUS, and acknowledges them. */
	uint64_t (*wrapped)(struct hw_cpu *cpu);
	void (*acknowledge)(uint64_t status);
	/* Programs the event's general counter. */
	void (*write_select)(const struct hw_event *hw, uint64_t select);
	/* Programs the counter after it, of a pair. */
	void (*write_second)(const struct hw_event *hw, uint64_t select);
};

/* ---- hw_control.c ---- */

extern const struct hw_control hw_select_control, hw_global_control;

/* The register numbers of a generation. */
struct hw_registers {
	uint32_t select, counter; /* MSRs of general counter 0 */
	uint32_t step;            /* from one counter's to the next */
	uint8_t write_bits;       /* of a counter that a write sets; the last one is extended */
	uint32_t global_control, global_status, global_clear; /* 0: there are none */
};

/* Registers that events share, where a select alone does not define the event. Context: as struct
 * pmu's add and del. */
struct hw_shared {
	/* Claims one for the event; false when all are in use. */
	bool (*take)(struct hw_cpu *cpu, struct hw_event *hw);
	void (*drop)(struct hw_cpu *cpu, struct hw_event *hw);
	/* Writes its value, and returns the event's select. */
	uint64_t (*select)(const struct hw_event *hw);
};

/* Records that the processor itself writes at overflows. Context: NMI; the first two also task,
 * interrupts masked. */
struct hw_records {
	/* start makes the event's counter write records; stop ends it. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Turns the records into samples. Returns the number of events that they belong to. */
	unsigned (*take)(struct hw_cpu *cpu, struct frame *frame);
	/* As take, for records that wait in a buffer. Context: any; nothing happens in the NMI. */
	void (*drain)(struct hw_cpu *cpu);
};

/* Operations of an event whose count is computed from other registers, in place of its counter's.
 * Context: as struct pmu's start, stop and read. */
struct hw_derived {
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	void (*read)(struct perf_event *event);
};

/* Kinds of processors in one machine; all are of the first kind except on hybrid machines. The
 * PMUs of the others have the first free types. */
enum { HW_FIRST, HW_SECOND, HW_THIRD, HW_KINDS };

/* A vendor's operations: required ones, then optional ones. */
struct hw_vendor {
	const char *name;
	/* Discovers the PMU of this processor's kind, on its first processor, and fills the rest of
	 * hw_caps and the kind. Returns false when no PMU works. Context: start. */
	bool (*discover)(void);
	/* Sets hw.config, hw.allowed and hw.extra from the attr. Returns 0 or -errno. Context:
	 * task. */
	int (*configure)(struct perf_event *event);
	/* As struct pmu's check_period. NULL: any. */
	int (*check_period)(const struct perf_event *event, uint64_t period);
	/* Returns whether this machine is hybrid, and sets the kind of this processor. NULL: never
	 * hybrid. Context: start. */
	bool (*find_kind)(unsigned *kind);
	const char *kinds[HW_KINDS];      /* PMUs in /sys of processors that differ */
	const struct hw_shared *shared;   /* NULL: no event needs such a register */
	const struct hw_records *records; /* NULL: samples come from PMIs only */
	/* Stops this processor's counters, and acknowledges earlier overflows. Context: start. */
	void (*reset)(void);
	/* An NMI without an overflow is a late PMI if it arrives within `late_ns` of one that
	 * handled at least `late_counters`. */
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
	struct cpu_mask cpus; /* that are of it; none: there is no such PMU */
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
	uint64_t used;              /* counters that are owned. Task only */
	uint64_t exclusive;         /* of them, the ones of exclusive events. Task only */
	struct cpu_mask neighbours; /* processors that share something. Constant */
	bool has_neighbours;
	uint64_t dirty;         /* counters that may still hold an event's count. Task only */
	uint64_t fixed_control; /* contents of FIXED_CTR_CTRL. Atomic: NMI and task */
	/* contents of GLOBAL_CTRL: 0 while paused. Task writes, NMI reads */
	uint64_t global;
	/* The event selects while nothing is stopped, where there are no global registers. Atomic:
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

/* Expects a late PMI, which will find no overflow. Context: interrupts masked, or the NMI. */
static inline void hw_expect_late(struct hw_cpu *cpu)
{
	cpu->late = clock_ns() + hw_caps.vendor->late_ns;
}

/* Returns this processor's kind. Context: any; at the start it is the one being discovered. */
static inline struct hw_kind *hw_this_kind(void)
{
	return hw_this_cpu()->kind;
}

/* True for a raw event: one in the PMU's own codes. Context: any, after event_init. */
static inline bool hw_is_raw(const struct perf_event *event)
{
	return event->hw.kind && event->attr.type == event->pmu->type;
}

/* The PMUs of the kinds, with the same operations. */
extern const struct pmu hw_pmus[HW_KINDS];

/* ---- hw_counter.c: one counter. Context: interrupts masked, or the PMI. ---- */

uint8_t hw_counter_bits(int counter);
/* Returns the MSR that writes the counter. */
uint32_t hw_counter_msr(int counter);
/* Returns the field of FIXED_CTR_CTRL for an event select. Context: any. */
uint64_t hw_fixed_field(uint64_t config);
/* Places the event on its counter, and sets its RDPMC operand. */
void hw_counter_place(struct perf_event *event, int counter);
/* start begins a period and runs the counter; stop halts it. */
void hw_counter_start(struct perf_event *event);
void hw_counter_stop(struct perf_event *event);
/* Updates the count. Returns the events left in the period; 0 or less when it ended. */
int64_t hw_counter_update(struct perf_event *event);
/* Loads the counter with the rest of the period, or starts a new period. */
void hw_counter_reload(struct perf_event *event);
/* True if the processor can load the event's counter with the period itself. */
bool hw_counter_can_reload(const struct perf_event *event);
/* Returns the value to load then. */
uint64_t hw_counter_reload_value(const struct perf_event *event);
/* The processor has loaded the counter with a period. */
void hw_counter_reloaded(struct perf_event *event);

/* ---- hw_events.c: codes of Linux's events. Context: task. ---- */

/* Sets the rings and interrupt of hw.config. An event without samples gets an endless period. */
void hw_configure_begin(struct perf_event *event);
/* Adds the code of a PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE event to hw.config. Returns 0,
 * -ENOENT (not here) or -EINVAL (invalid). */
int hw_configure_generic(struct perf_event *event);
int hw_configure_cache(struct perf_event *event);
/* Looks up the config of a PERF_TYPE_HW_CACHE event in a table; EVENT_INVALID: no such event.
 * Context: any. */
uint64_t hw_cache_word(hw_cache_rows *table, uint64_t config);
/* Returns the counters of the first constraint that matches the select, else `otherwise`. NULL: no
 * table. */
uint64_t hw_constrained(const struct hw_constraint *table, uint64_t config, uint64_t otherwise);
/* Returns the general counters that can count the event's select. */
uint64_t hw_general_counters(const struct hw_event *hw);

/* ---- hw_probe.c ---- */

#define HW_PATTERN 0x5555

/* Returns false when the register faults or ignores writes. Leaves `idle` in it. */
bool hw_register_works(uint32_t msr, uint64_t pattern, uint64_t idle);
/* True if the counter keeps values of `bits` bits and no longer ones. It must be off; 0 is left in
 * it. */
bool hw_counter_has_width(uint32_t msr, uint32_t bits);
/* Returns which of the first `number` general counters, at hw_caps.registers, keep a written value.
 * All are off afterwards. */
uint64_t hw_find_general(uint32_t number);
/* Reports counters that firmware left running, among the ones enabled in `global`: firmware may use
 * them, but we take them over. */
void hw_report_left(uint32_t number, uint64_t global);

/* ---- hw_pmi.c ---- */

/* Handles PMIs: the nmi_handler of arch/x86/trap/nmi.h. */
bool hw_pmi(struct frame *frame);
/* Handles a wrap or a record of the event's counter: updates the count, writes the sample at the
 * end of the period, and reloads. `address`: the sample's, 0: none. Context: the PMI. */
void hw_period_passed(struct perf_event *event, struct frame *frame, uint64_t address);
/* Ends a period whose sample is lost: writes LOST_SAMPLES, and reloads. Context: the PMI. */
void hw_period_lost(struct perf_event *event);

#endif
