/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of Intel's architectural performance monitoring: what its files share. SDM volume 3,
 * "Performance Monitoring". */
#ifndef PMU_INTEL_H
#define PMU_INTEL_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/msr.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/hw/hw.h"

/* An event: its select and unit mask. */
#define CODE_MASK (EVTSEL_EVENT | EVTSEL_UMASK)

#define INTEL_MAX_FIXED 16

/* Bits that a raw config may choose; its other bits are the kernel's to set, and ignored as
 * Linux ignores them. */
#define INTEL_RAW_MASK (EVTSEL_EVENT | EVTSEL_UMASK | EVTSEL_EDGE | EVTSEL_INVERT | EVTSEL_CMASK)

/* Codes of event and unit mask. Fixed counter 2 has no code of its own: Linux's stands for it. */
#define INTEL_REF_CYCLES 0x0300
/* Likewise, from version 5 on: fixed counter 0's exact instructions, and slots. */
#define INTEL_PREC_DIST 0x0100
#define INTEL_SLOTS     0x0400

/* A family of processors: the common part of struct hw_model, and Intel's own. */
struct intel_model {
	struct hw_model events;
	/* PERF_TYPE_HARDWARE events that are not architectural, ended by code == 0. NULL: none */
	const struct intel_generic *generic;
	/* Values of OFFCORE_RSP for cache events that count requests to other cores and memory.
	 * NULL: none. */
	hw_cache_rows *responses;
	const struct intel_extra_event *extra; /* ended by code == 0. NULL: none */
	/* For precise events, before `events.constraints`. NULL: only `events` */
	const struct hw_constraint *precise;
	/* Limits of periods, of which the first match applies; ended by shortest == 0. NULL:
	 * none */
	const struct intel_period_limit *limits;
	uint64_t most_precise; /* counters of precise_ip 3, as bits of GLOBAL_CTRL. 0: all */
	/* PEBS of formats 0 to 3: only the events in `precise` make records; precise_ip 3 is
	 * supported; the event selects that replace cycles for precise_ip 1 and 2, and for 3 (0:
	 * none). */
	bool precise_only, precise_distribution;
	uint64_t precise_cycles[2];
	const struct intel_memory *memory; /* data sources of records. NULL: Ice Lake's */
	bool broken_records;               /* PEBS is not used, because of errata */
	uint8_t metrics;                   /* shares of slots that it may have */
	/* The names of its errata that the driver works around. NULL: none */
	const char *errata;
	/* Events of fixed counters beside the usual ones, ended by code == 0. NULL: none */
	const struct intel_fixed_event *fixed;
	/* Registers of branch records. NULL: the usual ones of their format */
	const struct lbr_format *branches;
	/* Processor Trace and branch records exclude each other: before Goldmont and Ice Lake. */
	bool trace_excludes_branches;
	/* Its load latency event reports memory only together with another event (Linux's
	 * mem-loads-aux); records contain the latencies of the instruction and of the access. */
	bool loads_need_aux, two_latencies;
};

struct intel_generic {
	uint64_t id, code;
};

struct intel_fixed_event {
	uint16_t code;
	uint8_t counter;
};

/* Restrictions of periods, from errata. */
struct intel_period_limit {
	uint64_t code, mask;      /* events whose select & mask == code, */
	uint8_t precise_ip;       /* at least so precise */
	uint16_t shortest, grain; /* events; periods are cut to multiples of the latter */
};

/* An event whose shared register takes config1. */
struct intel_extra_event {
	uint64_t code, valid; /* the bits that the value may have */
	uint8_t reg;          /* enum intel_extra */
};

/* Capabilities of one kind of processors; constant after hardware_init(). */
struct intel_kind {
	const struct intel_model *model;
	uint64_t pebs;         /* counters that make PEBS records, as bits of GLOBAL_CTRL */
	uint64_t pebs_enables; /* bits of PEBS_ENABLE that work */
	uint8_t pebs_format;   /* of the records: PERF_CAPABILITIES[11:8] */
	bool pebs_trap;        /* they are made after the instruction */
	bool bts;              /* it has a branch trace store: intel_bts.h */
	uint8_t extra;         /* extra registers that work, as bits, intel_extra.c */
	uint8_t metrics;       /* shares of slots that PERF_METRICS has; 0: it is not there */
	uint64_t more_fields;  /* of the event select, from version 6 on: EVTSEL_UMASK2, _EQUAL */
};
extern struct intel_kind intel_kinds[HW_KINDS];

/* Context: any. */
static inline struct intel_kind *intel_kind(const struct hw_kind *kind)
{
	return &intel_kinds[kind - hw_kinds];
}

/* Context: any. */
static inline const struct intel_model *intel_model(const struct hw_kind *kind)
{
	return intel_kind(kind)->model;
}

/* State of each processor. */
struct intel_cpu {
	/* Contents of PEBS_ENABLE (atomic: NMI and task) and PEBS_DATA_CFG (task only); the debug
	 * store (set at the start, then the NMI's). */
	uint64_t pebs, groups;
	struct debug_store *store;
	/* Turns records, of whatever format, into samples. Constant after the start */
	unsigned (*take)(struct hw_cpu *cpu, struct frame *frame, uint64_t at, uint64_t end);
	/* Counters whose records may not wait, and ones to stop when all records were taken.
	 * Atomic: NMI and task */
	uint64_t prompt, stopping;
	bool taking;   /* task code takes the records: the PMI must not */
	uint64_t fits; /* format and size of the adaptive record that was checked last. NMI only */
	bool sharing_out; /* task code is sharing out slots. Task writes, NMI reads */
};
extern struct intel_cpu intel_cpus[MAX_CPUS];

/* Returns this processor's state. Context: interrupts masked, or the NMI. */
static inline struct intel_cpu *intel_this_cpu(void)
{
	return &intel_cpus[this_cpu_read(id)];
}

/* ---- intel_models.c ---- */

/* A row of processors, with the kinds of their cores. */
struct intel_processor {
	uint8_t family, number; /* of the model */
	const char *name;       /* as sold */
	const char *hybrid;     /* Linux's name of the machine. NULL: cores of one kind */
	/* Performance cores; efficient cores; efficient cores of the low-power island. One kind:
	 * the first. NULL: no such cores */
	const struct intel_model *kinds[HW_KINDS];
};
extern const struct intel_processor intel_processors[];
extern const unsigned intel_processors_count;

/* Returns Linux's name of this hybrid machine. */
const char *intel_hybrid_name(void);

/* Returns the model of this processor's kind of cores, or the architectural one. */
const struct intel_model *intel_find_model(void);
/* ---- intel_events.c ---- */

/* struct hw_vendor's. */
int intel_configure(struct perf_event *event);
int intel_check_period(const struct perf_event *event, uint64_t period);

/* ---- intel_extra.c: events that need an extra register ---- */

enum intel_extra {
	EXTRA_OFFCORE0,
	EXTRA_OFFCORE1,
	EXTRA_LATENCY,
	EXTRA_FRONTEND,
	EXTRA_SNOOP0,
	EXTRA_SNOOP1
};

/* Detects the extra registers. Context: start. */
void intel_extra_discover(void);
/* Sets the event's extra register from `value`, if its code has one. Returns 0, -EINVAL: invalid
 * value, -ENXIO: no such register. Context: task. */
int intel_extra_configure(struct hw_event *hw, uint64_t code, uint64_t value);
extern const struct hw_shared intel_extra;

/* ---- intel_topdown.c ---- */

/* Checks a raw event of slots or topdown metrics against its group, and sets hw.derived and, for a
 * metric, hw.allowed. Returns 0, also for other events, or -EINVAL. Context: task. */
int intel_topdown_configure(struct perf_event *event);

/* ---- intel_memory.c ---- */

/* Data sources of a generation's records. */
struct intel_memory;
extern const struct intel_memory intel_memory_nehalem, intel_memory_sandy_bridge,
    intel_memory_haswell, intel_memory_skylake, intel_memory_gracemont;

/* PERF_MEM_* of a PEBS record of the event. Context: any. */
uint64_t intel_data_source(const struct perf_event *event, uint64_t aux);

#define PEBS_ENABLE_LATENCY BIT(32) /* of general counter 0, then of each */
#define PEBS_ENABLE_STORES  BIT(63)
/* Which of these the event's records need, before format 4. Context: task. */
uint64_t intel_record_enables(const struct perf_event *event);

/* ---- intel_lbr.c ---- */

/* Returns the processor's format, from PERF_CAPABILITIES, CPUID and its model; NULL: unknown.
 * Context: start. */
const struct lbr_format *intel_branch_format(uint64_t capabilities,
					     const struct intel_model *model);

/* ---- intel_sysfs.c ---- */

extern const struct pmu_word intel_words[];

/* ---- intel.c ---- */

extern const struct hw_vendor intel_vendor;

#endif
