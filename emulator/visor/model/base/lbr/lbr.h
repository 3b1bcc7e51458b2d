/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last branch records: the processor's format, and the registers that software sees. Source: Intel
 * SDM vol. 3, "Last Branch, Interrupt, and Exception Recording" and "Last Branch Records"; AMD APM
 * vol. 2, "Last Branch Stack Registers".
 */
#ifndef VISOR_MODEL_LBR_H
#define VISOR_MODEL_LBR_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/visor/model/base/lbr/lbr_state.h"
#include "emulator/visor/model/base/registers.h"

/* The formats of last branch records. */
enum lbr_format {
	LBR_NONE,
	LBR_PLAIN,  /* 4 in a ring with a top of stack, addresses alone (Core 2) */
	LBR_FLAGS,  /* 16 in a ring with a top of stack; mispredicted: bit 63 of FROM (Nehalem) */
	LBR_TSX,    /* as LBR_FLAGS, with transactions in bits 61 and 62 (Haswell) */
	LBR_INFO,   /* 32, with cycles and mispredicted in a third register (Skylake) */
	LBR_ARCH,   /* architectural: up to 32, the newest is number 0 (CPUID leaf 1CH) */
	LBR_AMD_V2, /* LbrExtV2: 16, the newest is number 0 */
};

/* The properties of a format. */
struct lbr_layout {
	uint8_t depth;        /* entries, a power of two */
	uint8_t capabilities; /* PERF_CAPABILITIES[5:0] */
	bool ring;            /* the newest entry is the one that TOS names, not number 0 */
	bool has_info;        /* a third register for each entry */
	bool selects;         /* filter bits ask for branches; otherwise they keep them out */
	uint8_t ring0, ring3; /* the filter's bits */
	uint8_t call_stack;   /* bit that makes the records a stack of calls; 0: there is none */
	uint8_t kinds[7];     /* the filter's bit for each kind of branch from INSN_JCC on */
};

struct model;

static inline enum lbr_format lbr_format(const struct personality *personality)
{
	uint32_t features = personality->features;

	return features & FEATURE_LBR_AMD    ? LBR_AMD_V2
	       : features & FEATURE_LBR_ARCH ? LBR_ARCH
	       : features & FEATURE_LBR_INFO ? LBR_INFO
	       : features & FEATURE_LBR_TSX  ? LBR_TSX
	       : features & FEATURE_LBR_RING ? LBR_FLAGS
	       : features & FEATURE_LBR_CORE ? LBR_PLAIN
					     : LBR_NONE;
}

/* NULL: the personality has none. The other functions require one. */
const struct lbr_layout *lbr_layout(const struct personality *personality);

/* Resets the state; for any personality. */
void lbr_reset(struct model *model);
/* Reads and writes the registers REG_LBR_* and REG_DBG_EXTN. */
uint64_t lbr_read(const struct model *model, enum reg reg, unsigned index);
void lbr_write(struct model *model, enum reg reg, unsigned index, uint64_t value);
/* True if FROM or TO may have this value: the address must be canonical. */
bool lbr_from_valid(const struct personality *personality, uint64_t value);
bool lbr_address_valid(uint64_t value);
/* True if ARCH_LBR_DEPTH may have this value. */
bool lbr_depth_valid(const struct personality *personality, uint64_t value);
/* Returns the entry with age `age`, which must be less than the depth. */
struct lbr_entry *lbr_entry_of_age(struct model *model, unsigned age);
/* CPUID leaf 1CH; for any personality. */
void lbr_cpuid(const struct personality *personality, uint32_t regs[4]);

#endif
