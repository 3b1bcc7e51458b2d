/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of Intel's architectural performance monitoring: what its files share. SDM volume 3,
 * "Performance Monitoring". */
#ifndef PMU_INTEL_H
#define PMU_INTEL_H

#include <stdbool.h>
#include <stdint.h>
#include "pmu/assign.h"
#include "pmu/event.h"

#define INTEL_MAX_GENERAL 32
#define INTEL_MAX_FIXED   16
#define INTEL_EXTRA       2 /* OFFCORE_RSP_0 and _1 */

/* Codes of event and unit mask. Fixed counter 2 has no code of its own: Linux's stands for it. */
#define INTEL_REF_CYCLES 0x0300

/* Marks of the event tables. */
#define EVENT_NONE    0          /* does not exist here: ENOENT */
#define EVENT_INVALID UINT64_MAX /* makes no sense: EINVAL */

/* A family of processors: which counters its events may use, and its codes for Linux's generic
 * events. */
struct intel_model {
	const char *name;
	const struct intel_constraint *constraints; /* ended by counters == 0 */
	const uint64_t (*cache)[PERF_COUNT_HW_CACHE_OP_MAX][PERF_COUNT_HW_CACHE_RESULT_MAX];
	/* Values for the OFFCORE_RSP register of cache events that count requests to other cores
	 * and memory. NULL: none do. */
	const uint64_t (*cache_extra)[PERF_COUNT_HW_CACHE_OP_MAX][PERF_COUNT_HW_CACHE_RESULT_MAX];
};

struct intel_constraint {
	uint64_t code, mask; /* the event select and unit mask & mask == code */
	uint64_t counters;   /* general counters that can count it */
};

struct intel_cpu;

/* How all counters stop and start, and tell who wrapped. Context: interrupts masked, or the PMI. */
struct intel_control {
	/* Nothing counts any more; what should count counts again (nothing while it is paused). */
	void (*stop)(struct intel_cpu *cpu);
	void (*start)(struct intel_cpu *cpu);
	/* The counters that wrapped, as bits of GLOBAL_STATUS; makes the processor forget them. */
	uint64_t (*wrapped)(struct intel_cpu *cpu);
	void (*acknowledge)(uint64_t status);
	/* Programs one general counter. */
	void (*write_select)(struct intel_cpu *cpu, int counter, uint64_t select);
};

/* ---- intel_control.c ---- */

extern const struct intel_control intel_select_control, intel_global_control;

/* What was discovered; constant after intel_init(). */
struct intel_caps {
	uint32_t version;
	uint64_t general, fixed; /* counters that work, as bits of GLOBAL_CTRL */
	uint8_t general_bits, fixed_bits;
	bool full_width; /* general counters are written through the aliases, all bits */
	bool offcore;    /* the OFFCORE_RSP registers work */
	uint64_t status; /* bits of GLOBAL_STATUS that may be acknowledged */
	uint64_t generic[PERF_COUNT_HW_MAX]; /* event codes of PERF_TYPE_HARDWARE */
	const struct intel_model *model;
	const struct intel_control *control;
};
extern struct intel_caps intel_caps;

/* Of each processor. */
struct intel_cpu {
	/* Who owns which counter. Task writes, NMI reads. */
	struct perf_event *events[ASSIGN_COUNTERS];
	uint64_t used;          /* counters that are owned. Task only */
	uint64_t fixed_control; /* what FIXED_CTR_CTRL holds. Atomic: NMI and task */
	uint64_t global;        /* what GLOBAL_CTRL holds: 0 while paused. Task writes, NMI reads */
	/* Version 1: what the event selects hold while nothing is stopped. Atomic: NMI and task */
	uint64_t select[ASSIGN_FIXED0];
	uint32_t pauses; /* depth of pause. Task only */
	bool late; /* a PMI whose counters were handled with another's may still come. NMI only */
	/* What the OFFCORE_RSP registers hold, and for how many events. Task only. */
	uint64_t extra[INTEL_EXTRA];
	uint32_t extra_users[INTEL_EXTRA];
};

struct intel_cpu *intel_this_cpu(void);

/* ---- intel_events.c ---- */

/* The model that the processor is, or the architectural one. */
const struct intel_model *intel_find_model(void);
/* Fills hw.config, hw.allowed and hw.extra from the attr: 0 or -errno. */
int intel_configure(struct perf_event *event);
/* Whether the event could have this period: 0 or -EINVAL. */
int intel_check_period(const struct perf_event *event, uint64_t period);

/* ---- intel_counter.c: one counter. Context: interrupts masked, or the PMI. ---- */

uint8_t intel_counter_bits(int counter);
/* Prepares the event for its counter: RDPMC's operand. */
void intel_counter_place(struct perf_event *event, int counter);
/* Starts a period and lets the counter run; stops it. */
void intel_counter_start(struct perf_event *event);
void intel_counter_stop(struct perf_event *event);
/* Adds what was counted since the last time. Returns the events that are left of the period, at
 * most 0 when it ended. */
int64_t intel_counter_update(struct perf_event *event);
/* Loads the counter with what is left of the period; a new one begins when nothing is. */
void intel_counter_reload(struct perf_event *event);

/* ---- intel_offcore.c: events that need an OFFCORE_RSP register ---- */

/* Gives the event one of the registers, shared with events that want the same value; false when
 * both are taken. */
bool intel_extra_take(struct intel_cpu *cpu, struct hw_event *hw);
void intel_extra_drop(struct intel_cpu *cpu, struct hw_event *hw);
/* The event's select with the code of the register it uses. */
uint64_t intel_extra_config(const struct hw_event *hw);
/* Writes the register. */
void intel_extra_load(const struct hw_event *hw);

/* ---- intel_pmi.c ---- */

/* The NMI handler: nmi_handler of arch/x86/nmi.h. */
bool intel_pmi(struct frame *frame);

/* ---- intel.c ---- */

extern const struct pmu intel_pmu;
/* Discovers the PMU on the first processor; false when there is none that works. Context: start.
 */
bool intel_init(void);

#endif
