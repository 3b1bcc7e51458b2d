/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last branch records: from the processor's registers to branch stacks of samples. The vendor's
 * format describes the registers and their bits.
 */
#ifndef PMU_LBR_H
#define PMU_LBR_H

#include "pmu/base/event.h"
#include "pmu/record/branch.h"

/* One record, as read from the registers. */
struct lbr_record {
	uint64_t from, to, info;
};

#define LBR_UNSUPPORTED UINT32_MAX

enum lbr_empty { LBR_EMPTY_SHOWS, LBR_EMPTY_ENDS, LBR_EMPTY_IS_SKIPPED };

struct lbr_format {
	char name[16];
	uint32_t from, to, info; /* registers of record 0; info 0: there are none */
	uint32_t top;            /* the register that names the newest; 0: that is number 0 */
	uint8_t step;            /* from one record's register to the next one's */
	uint8_t depth;           /* records at most */
	uint8_t empty;           /* enum lbr_empty: what becomes of records never made */
	bool always_types;       /* the type costs nothing, so that samples always have it */
	bool only_samples;       /* counting events may not ask for it */
	bool double_abort;       /* of the two records of an abort the older one counts */
	uint32_t call_stack;     /* the filter's bit; 0: no such thing */
	uint32_t inverted;       /* bits of the filter that keep branches out */
	/* The hardware's filter bits for each bit of branch_sample_type; LBR_UNSUPPORTED:
	 * EOPNOTSUPP. */
	uint32_t filters[PERF_SAMPLE_BRANCH_MAX_SHIFT];

	/* Returns the number of records, at most `depth`; 0: none. NULL: `depth`. */
	uint8_t (*find_depth)(const struct lbr_format *format);
	/* start and stop recording; start takes the filter. */
	void (*start)(uint64_t filter);
	void (*stop)(void);
	/* Resumes recording after a PMI that froze it, once its status is acknowledged. NULL: not
	 * needed. */
	void (*thaw)(void);
	/* Forgets all records. */
	void (*reset)(void);
	/* Decodes a record into the entry; false: the record is empty. `info`: the event wants
	 * cycles and flags. */
	bool (*show)(const struct lbr_record *record, bool info, struct perf_branch_entry *entry);
	/* Returns the kind of branch from the record alone; 0: unknown. NULL: always unknown. */
	uint32_t (*kind)(const struct perf_branch_entry *entry);
};

/* State shared by a processor's events: one filter. */
struct lbr_share {
	uint64_t filter;
	uint32_t users;
};

/* The processor's format; NULL: none works. Constant after lbr_init(). */
extern const struct lbr_format *lbr_format;
/* The number of records. */
extern uint8_t lbr_depth;

/* Selects the format if its registers work. Returns whether they do. Context: start. */
bool lbr_init(const struct lbr_format *format);

/* Sets hw.branch_filter and hw.branch_select. Returns 0 or -errno. Context: task. */
int lbr_configure(struct perf_event *event);
/* Adds the event to the share if its filter is compatible with the others; returns whether it
 * is. */
bool lbr_share_take(struct lbr_share *share, const struct hw_event *hw);

/* ---- Context: interrupts masked on the processor that counts. ---- */

/* The reset of formats that are cleared by zeros in each record. */
void lbr_clear(void);

/* Adds an event with hw.branch_filter: the first one starts recording. lbr_del() stops it with the
 * last. False: the filter is incompatible with the others. */
bool lbr_add(struct lbr_share *share, const struct perf_event *event);
void lbr_del(struct lbr_share *share, const struct perf_event *event);
/* Discards the records at a switch of tasks, except a call stack. */
void lbr_flush(const struct lbr_share *share);

/* ---- Context: the PMI; only while the share has users. ---- */

/* lbr_take() reads the records before the PMI is acknowledged; the others restart recording after
 * it, and end the records' lifetime. */
void lbr_take(const struct lbr_share *share);
void lbr_release(void);
/* Uses `records`, newest first, as the stack until lbr_release() or lbr_forget(): the processor
 * wrote them beside another record. Also with interrupts masked, while no counter runs; then
 * lbr_forget() ends the stack's lifetime. */
void lbr_forget(void);
void lbr_take_records(const struct lbr_share *share, const struct lbr_record records[],
		      uint32_t number);
/* Returns the branch stack for the event's sample, valid until the next call; NULL: none. */
const struct branch_stack *lbr_branches(const struct perf_event *event);

#endif
