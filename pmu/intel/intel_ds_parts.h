/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of PEBS: the debug store, and the sample made from a record of any format.
 * SDM volume 3, "DS Save Area". Context of all functions: the PMI. */
#ifndef PMU_INTEL_DS_PARTS_H
#define PMU_INTEL_DS_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/frame.h"
#include "pmu/intel/intel.h"
#include "pmu/record/precise.h"

#define DS_FORMAT_ACCESS   1 /* from this on records have the access, */
#define DS_FORMAT_EVENTING 2 /* the instruction's address, */
#define DS_FORMAT_TIME     3 /* the time; */
#define DS_FORMAT_ADAPTIVE 4 /* and a list of their groups */

/* Groups of an adaptive record, as in MSR_PEBS_DATA_CFG, in this order behind the basic one. */
#define DS_GROUP_MEMORY   BIT(0)
#define DS_GROUP_GPRS     BIT(1)
#define DS_GROUP_XMMS     BIT(2)
#define DS_GROUP_BRANCHES BIT(3)
#define DS_BRANCHES_SHIFT 24 /* 8 bits: how many, less one */

#define DS_GENERAL 8 /* reset values of general counters; fixed ones follow */

/* The debug store; then a page for code to decode, and the buffer of records. */
struct debug_store {
	uint64_t bts_base, bts_index, bts_maximum, bts_threshold;
	uint64_t base, index, maximum, threshold;
	uint64_t reset[DS_GENERAL + INTEL_MAX_FIXED];
};

/* Parts of a sample that are the record's registers. */
#define DS_REGISTER_PARTS (PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER)

/* The sample made from a record. */
struct sample_parts {
	struct frame frame;
	struct precise precise;
	uint64_t address;
};

/* Sets the address, and the ring: kernels are in the upper half. */
static inline void ds_set_ip(struct frame *frame, uint64_t ip)
{
	frame->rip = ip;
	frame->cs = (int64_t)ip < 0 ? KERNEL_CS : USER_CS;
}

/* A record's TSX word: the cycles of the last block, and flags. SDM volume 3, "TSX Transaction". */
#define DS_TSX_CYCLES FIELD(31, 0)

/* PERF_TXN_* of that word; RAX of an abort by XABORT holds the program's reason. */
uint64_t ds_transaction(uint64_t tsx, uint64_t rax);

/* ---- intel_ds_large.c ---- */

/* Sets whether the processor reloads the event's counter, and whether its records may wait.
 * Context: task. */
void ds_choose_reload(struct perf_event *event);
/* The event's counter begins to make records, or has ended. Context: interrupts masked, or the
 * PMI. */
void ds_counter_starts(struct perf_event *event);
void ds_counter_stops(const struct perf_event *event);
/* PEBS_ENABLE has changed: sets when the buffer interrupts. Context: interrupts masked, or the
 * PMI. */
void ds_counters_changed(void);
/* Writes the event's sample of a record after which the processor reloaded its counter. */
void ds_sample_reloaded(struct perf_event *event, struct sample_parts *parts);
/* Stops the events that ds_sample_reloaded() found to have to. */
void ds_stop_due(struct hw_cpu *cpu);
/* Takes the records that wait in the buffer. Context: any; nothing happens in the PMI. */
void ds_drain(struct hw_cpu *cpu);

/* ---- intel_ds.c ---- */

/* Turns the records in the buffer into samples, and empties it. Returns the number of events that
 * they were of. */
unsigned ds_take_records(struct hw_cpu *cpu, struct frame *frame);

/* Writes the event's sample of a record, and begins its next period. */
static inline void ds_sample(struct perf_event *event, struct sample_parts *parts)
{
	event->hw.precise = &parts->precise;
	if (event->hw.reloads)
		ds_sample_reloaded(event, parts);
	else
		hw_period_passed(event, &parts->frame, parts->address);
	event->hw.precise = NULL;
}

/* ---- intel_ds_adaptive.c, intel_ds_fixed.c ---- */

/* Turn the records from `at` to `end`, whose memory is ours, into samples: how many events they
 * were of. */
unsigned ds_take_adaptive(struct hw_cpu *cpu, struct frame *frame, uint64_t at, uint64_t end);
unsigned ds_take_fixed(struct hw_cpu *cpu, struct frame *frame, uint64_t at, uint64_t end);
/* Bytes of a record of formats 0 to 3. Context: any. */
uint32_t ds_fixed_bytes(unsigned format);
/* Bytes of an adaptive record with these groups. Context: any. */
uint64_t ds_adaptive_bytes(uint64_t groups);

#endif
