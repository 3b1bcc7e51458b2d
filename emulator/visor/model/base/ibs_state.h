/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of instruction-based sampling: ibs.h. */
#ifndef VISOR_MODEL_IBS_STATE_H
#define VISOR_MODEL_IBS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define IBS_FETCH_WORDS 2 /* linear, physical address */
#define IBS_OP_WORDS    6 /* address, OP_DATA, OP_DATA2, OP_DATA3, linear, physical address */

enum ibs_kind { IBS_OP, IBS_FETCH, IBS_KINDS };

/* One of the two. */
struct ibs_sampler {
	uint64_t control;  /* its control register, without the count */
	uint64_t count;    /* since the last tag */
	uint64_t fraction; /* without a core: of one event, in units of 1/EVENT_SCALE */
	uint32_t sought;   /* instructions that ran since the tag waits for one */
	bool armed;        /* the counter has run out: the next one is tagged */
	bool ready;        /* it has retired: model_ibs_record() */
};

struct ibs {
	struct ibs_sampler samplers[IBS_KINDS];
	uint64_t fetch[IBS_FETCH_WORDS], op[IBS_OP_WORDS];
	uint64_t target;         /* BR_TARGET */
	uint64_t fetch_extended; /* IC_IBS_EXTD_CTL */
	uint32_t random;         /* of the counters' low bits */
	bool interrupt;          /* model_take_ibs() */
};

#endif
