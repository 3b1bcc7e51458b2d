/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the last branch records: the model's own, as in model_state.h. */
#ifndef VISOR_MODEL_LBR_STATE_H
#define VISOR_MODEL_LBR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define LBR_MAX_DEPTH 32

struct lbr_entry {
	uint64_t from, to, info; /* as RDMSR gives them */
};

struct lbr {
	uint64_t filter;  /* LBR_SELECT, or ARCH_LBR_CTL with its enable bit */
	uint64_t enable;  /* AMD: DBG_EXTN_CFG */
	uint64_t retired; /* instructions, for the cycles between records */
	uint64_t last;    /* its value at the last record */
	uint64_t made;    /* records */
	uint8_t depth;    /* entries in use */
	uint8_t top;      /* LBR_TOS */
	bool written;     /* by software, since model_take_branches() */
	uint8_t filled;   /* entries recorded since the last gap, at most `depth` */
	struct lbr_entry entries[LBR_MAX_DEPTH];
};

#endif
