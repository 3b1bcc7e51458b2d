/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last branch records: from the processor's registers to branch stacks of samples. The vendor's
 * format describes the registers and their bits.
 */
#ifndef PMU_LBR_H
#define PMU_LBR_H

#include "pmu/record/branch.h"
#include "pmu/core/event.h"

/* One record as the registers have it. */
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
	uint32_t call_stack;     /* the filter's bit; 0: no such thing */
	uint32_t inverted;       /* bits of the filter that keep branches out */
	/* The filter's bits for each bit of branch_sample_type; LBR_UNSUPPORTED: EOPNOTSUPP. */
	uint32_t filters[PERF_SAMPLE_BRANCH_MAX_SHIFT];

	/* How many records there are, at most `depth`; 0: none. NULL: `depth`. */
	uint8_t (*find_depth)(const struct lbr_format *format);
	/* Makes the processor record by this filter; not any more. */
	void (*start)(uint64_t filter);
	void (*stop)(void);
	/* After a PMI that froze the records, whose status was acknowledged. NULL: no need. */
	void (*thaw)(void);
	/* Forgets all records. */
	void (*reset)(void);
	/* Fills the entry; false: this record was never made. `info`: cycles and flags are
	 * wanted. */
	bool (*show)(const struct lbr_record *record, bool info, struct perf_branch_entry *entry);
	/* The kind of branch by the record alone; 0: not known. NULL: never is. */
	uint32_t (*kind)(const struct perf_branch_entry *entry);
};

/* State shared by a processor's events: one filter. */
struct lbr_share {
	uint64_t filter;
	uint32_t users;
};

/* The processor's, NULL: none that works. Constant after lbr_init(). */
extern const struct lbr_format *lbr_format;
/* How many records there are. */
extern uint8_t lbr_depth;

/* Takes the format, if its registers work. Context: start. */
bool lbr_init(const struct lbr_format *format);

/* Fills hw.branch_filter and hw.branch_select: 0 or -errno. Context: task. */
int lbr_configure(struct perf_event *event);
/* Adds the event to the share if its filter is compatible with the others; returns whether it
 * is. */
bool lbr_share_take(struct lbr_share *share, const struct hw_event *hw);

/* ---- Context: interrupts masked on the processor that counts. ---- */

/* A format's reset by writing zeros to each record. */
void lbr_clear(void);

/* Adds an event with hw.branch_filter: the first one starts recording. lbr_del() stops it with the
 * last. False: the filter is incompatible with the others. */
bool lbr_add(struct lbr_share *share, const struct perf_event *event);
void lbr_del(struct lbr_share *share, const struct perf_event *event);
/* Another task runs: what was recorded means nothing to it. */
void lbr_flush(const struct lbr_share *share);

/* ---- Context: the PMI; only while the share has users. ---- */

/* lbr_take() reads the records before the PMI is acknowledged; the others restart recording after
 * it, and end the records' lifetime. */
void lbr_take(const struct lbr_share *share);
void lbr_release(void);
/* In between: the stack is this from now on, newest first, which the processor has put beside
 * something else that it recorded. */
void lbr_take_records(const struct lbr_share *share, const struct lbr_record records[],
		      uint32_t number);
/* Returns the branch stack for the event's sample, valid until the next call; NULL: none. */
const struct branch_stack *lbr_branches(const struct perf_event *event);

#endif
