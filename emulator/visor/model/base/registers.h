/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU's model-specific registers: bits, tables of numbers and bits, and the personality's
 * selection. Intel SDM vol. 4, table 2-2. */
#ifndef VISOR_MODEL_REGISTERS_H
#define VISOR_MODEL_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/types.h"

#define REG_BIT(n)          (1ull << (n))
#define REG_BITS(low, high) ((~0ull >> (63 - (high) + (low))) << (low))

/* IA32_PERFEVTSELx */
#define EVTSEL_EVENT      REG_BITS(0, 7)
#define EVTSEL_UMASK      REG_BITS(8, 15)
#define EVTSEL_USR        REG_BIT(16)
#define EVTSEL_OS         REG_BIT(17)
#define EVTSEL_EDGE       REG_BIT(18)
#define EVTSEL_INT        REG_BIT(20)
#define EVTSEL_ANY        REG_BIT(21) /* of any thread of the core */
#define EVTSEL_EN         REG_BIT(22)
#define EVTSEL_INV        REG_BIT(23)
#define EVTSEL_CMASK      REG_BITS(24, 31)
#define EVTSEL_ADAPTIVE   REG_BIT(34)      /* Intel, with PEBS */
#define EVTSEL_EVENT_HIGH REG_BITS(32, 35) /* AMD; reserved on Intel */

/* Its fields: the event select (AMD's upper bits follow the lower ones); the unit mask; the minimum
 * count per cycle. */
static inline unsigned evtsel_code(uint64_t select)
{
	return (select & EVTSEL_EVENT) | (select & EVTSEL_EVENT_HIGH) >> 24;
}

static inline unsigned evtsel_umask(uint64_t select)
{
	return (select & EVTSEL_UMASK) >> 8;
}

static inline unsigned evtsel_cmask(uint64_t select)
{
	return (select & EVTSEL_CMASK) >> 24;
}

/* IA32_FIXED_CTR_CTRL: four bits for each counter */
#define FIXED_FIELD_BITS 4
#define FIXED_OS         REG_BIT(0)
#define FIXED_USR        REG_BIT(1)
#define FIXED_PMI        REG_BIT(3)
/* and one more for each, with PEBS */
#define FIXED_ADAPTIVE(i) REG_BIT(32 + FIXED_FIELD_BITS * (i))

/* IA32_PERF_GLOBAL_*: general counters from bit 0, fixed ones from bit 32 */
#define GLOBAL_FIXED_SHIFT 32
#define GLOBAL_METRICS     REG_BIT(48)
#define STATUS_TOPA        REG_BIT(55)
#define STATUS_LBR_FRZ     REG_BIT(58)
#define STATUS_CTR_FRZ     REG_BIT(59)
#define STATUS_DS_BUFFER   REG_BIT(62)
#define INUSE_PMI          REG_BIT(63)

/* IA32_DEBUGCTL */
#define DEBUGCTL_LBR                   REG_BIT(0)
#define DEBUGCTL_TR                    REG_BIT(6)
#define DEBUGCTL_BTS                   REG_BIT(7)
#define DEBUGCTL_BTINT                 REG_BIT(8)
#define DEBUGCTL_BTS_OFF_OS            REG_BIT(9)
#define DEBUGCTL_BTS_OFF_USR           REG_BIT(10)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    REG_BIT(11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI REG_BIT(12)

/* IA32_LBR_CTL, AMD's DBG_EXTN_CFG */
#define ARCH_LBR_CTL_ENABLE REG_BIT(0)
#define DBG_EXTN_LBRV2      REG_BIT(6)

/* LBR_INFO; AMD's LBR_TO */
#define LBR_INFO_CYCLES       REG_BITS(0, 15)
#define LBR_INFO_TYPE_SHIFT   56
#define LBR_INFO_CYCLES_VALID REG_BIT(60)
#define LBR_INFO_ABORT        REG_BIT(61)
#define LBR_INFO_IN_TX        REG_BIT(62)
#define LBR_AMD_RESERVED      REG_BIT(61)
#define LBR_AMD_SPECULATIVE   REG_BIT(62)

/* IA32_ARCH_CAPABILITIES: attacks that the processor resists. IBRS_ALL (bit 1) is left out, since
 * there is no IA32_SPEC_CTRL. */
#define ARCH_CAP_RDCL_NO        REG_BIT(0) /* Meltdown */
#define ARCH_CAP_SKIP_L1DFL     REG_BIT(3) /* foreshadow */
#define ARCH_CAP_MDS_NO         REG_BIT(5)
#define ARCH_CAP_IF_PSCHANGE_NO REG_BIT(6)
#define ARCH_CAP_TAA_NO         REG_BIT(8)

/* IA32_MISC_ENABLE */
#define MISC_ENABLE_FAST_STRINGS REG_BIT(0)
#define MISC_ENABLE_PERFMON      REG_BIT(7)
#define MISC_ENABLE_NO_BTS       REG_BIT(11)
#define MISC_ENABLE_NO_PEBS      REG_BIT(12)
#define MISC_ENABLE_LIMIT_CPUID  REG_BIT(22)
#define MISC_ENABLE_NO_XD        REG_BIT(34)

/* MSR_PLATFORM_INFO */
#define BUS_KHZ              100000 /* of the bus clock */
#define PLATFORM_RATIO_SHIFT 8
#define PLATFORM_RATIO_MAX   255

/* AMD's PERF_CTLx: restricted to virtual machines, or to the host */
#define EVTSEL_GUEST_ONLY REG_BIT(40)
#define EVTSEL_HOST_ONLY  REG_BIT(41)

/* HWCR: the TSC runs at the frequency of the first performance state */
#define HWCR_TSC_FREQ_SEL REG_BIT(24)

/* IA32_PERF_CAPABILITIES */
#define PERF_CAP_PEBS_TRAP     REG_BIT(6) /* records are written after the instruction */
#define PERF_CAP_PEBS_REGS     REG_BIT(7) /* with all registers */
#define PERF_CAP_PEBS_FORMAT   REG_BITS(8, 11)
#define PERF_CAP_FORMAT_SHIFT  8
#define PERF_CAP_FW_WRITE      REG_BIT(13)
#define PERF_CAP_PEBS_BASELINE REG_BIT(14) /* adaptive, and on all counters */
#define PERF_CAP_METRICS       REG_BIT(15)

enum reg {
	REG_PMC,         /* IA32_PMCx */
	REG_PMC_WIDE,    /* IA32_A_PMCx; AMD: PERF_CTRx */
	REG_EVTSEL,      /* IA32_PERFEVTSELx */
	REG_FIXED,       /* IA32_FIXED_CTRx */
	REG_FIXED_CTRL,  /* IA32_FIXED_CTR_CTRL */
	REG_STATUS,      /* IA32_PERF_GLOBAL_STATUS */
	REG_GLOBAL_CTRL, /* IA32_PERF_GLOBAL_CTRL */
	REG_OVF_CTRL, /* IA32_PERF_GLOBAL_OVF_CTRL, from version 4 IA32_PERF_GLOBAL_STATUS_RESET */
	REG_STATUS_SET,    /* IA32_PERF_GLOBAL_STATUS_SET */
	REG_INUSE,         /* IA32_PERF_GLOBAL_INUSE */
	REG_CAPABILITIES,  /* IA32_PERF_CAPABILITIES */
	REG_DEBUGCTL,      /* IA32_DEBUGCTL */
	REG_MISC_ENABLE,   /* IA32_MISC_ENABLE */
	REG_PREFETCH,      /* MISC_FEATURE_CONTROL */
	REG_OFFCORE,       /* MSR_OFFCORE_RSP_x */
	REG_PERF_METRICS,  /* MSR_PERF_METRICS */
	REG_PEBS_ENABLE,   /* IA32_PEBS_ENABLE */
	REG_PEBS_CONFIG,   /* MSR_PEBS_DATA_CFG */
	REG_PEBS_LD_LAT,   /* MSR_PEBS_LD_LAT */
	REG_PEBS_FRONTEND, /* MSR_PEBS_FRONTEND */
	REG_DS_AREA,       /* IA32_DS_AREA */
	REG_LBR_SELECT,    /* MSR_LBR_SELECT */
	REG_LBR_TOS,       /* MSR_LASTBRANCH_TOS */
	REG_LBR_FROM,      /* MSR_LASTBRANCH_x_FROM_IP, IA32_LBR_x_FROM_IP */
	REG_LBR_TO,        /* MSR_LASTBRANCH_x_TO_IP, IA32_LBR_x_TO_IP */
	REG_LBR_INFO,      /* MSR_LBR_INFO_x, IA32_LBR_x_INFO */
	REG_LBR_CTL,       /* IA32_LBR_CTL */
	REG_LBR_DEPTH,     /* IA32_LBR_DEPTH */
	REG_LBR_AMD_FROM,  /* LastBranchStackFromIp */
	REG_LBR_AMD_TO,    /* LastBranchStackToIp */
	REG_DBG_EXTN,      /* DBG_EXTN_CFG */
	REG_HWCR,          /* AMD: hardware configuration */
	REG_IBS_FETCH_CTL, /* AMD's instruction-based sampling: ibs.h */
	REG_IBS_FETCH,     /* IBS_FETCH_LINADDR, _PHYSADDR */
	REG_IBS_OP_CTL,
	REG_IBS_OP,             /* IBS_OP_RIP, _DATA, _DATA2, _DATA3, IBS_DC_LINADDR, _PHYSADDR */
	REG_IBS_LVT,            /* IBS_CTL */
	REG_IBS_TARGET,         /* BP_IBSTGT_RIP */
	REG_IBS_FETCH_EXTENDED, /* IC_IBS_EXTD_CTL */
	REG_RTIT_CTL,           /* Processor Trace: pt.h */
	REG_RTIT_STATUS,
	REG_RTIT_BASE,   /* IA32_RTIT_OUTPUT_BASE */
	REG_RTIT_MASK,   /* IA32_RTIT_OUTPUT_MASK_PTRS */
	REG_RTIT_CR3,    /* IA32_RTIT_CR3_MATCH */
	REG_RTIT_RANGE,  /* IA32_RTIT_ADDRn_A, _B */
	REG_ENERGY_UNIT, /* MSR_RAPL_POWER_UNIT */
	REG_ENERGY_CORES,
	REG_ENERGY_PACKAGE,
	REG_ENERGY_MEMORY,
	REG_CORE_C1,       /* MSR_CORE_C1_RES */
	REG_IMMUNITIES,    /* IA32_ARCH_CAPABILITIES */
	REG_PLATFORM_INFO, /* MSR_PLATFORM_INFO */
	NR_REGS,
};

/* A row: `count` MSRs, `step` apart, are this register, of counters 0, 1 ... if there are
 * several. */
struct msr_range {
	uint32_t first;
	uint8_t count, step;
	uint8_t reg;    /* enum reg */
	uint8_t since;  /* version */
	uint32_t needs; /* enum feature: requires all of these */
};

#define LAST_VERSION 255

/* Repetition of a row's bits. */
enum span {
	SPAN_ONCE,
	SPAN_GENERAL,     /* one bit for each general counter, from `first` */
	SPAN_FIXED,       /* one bit for each fixed counter, from `first` */
	SPAN_FIXED_FIELD, /* `first` to `last` again in the field of each fixed counter */
};

enum access { WRITABLE, IGNORED };

/* A row: these bits of this register exist in versions `since` to `until`; bits in no row are
 * reserved. */
struct register_bits {
	uint8_t reg;         /* enum reg */
	uint8_t first, last; /* bits */
	uint8_t span;        /* enum span */
	uint8_t since, until;
	uint8_t access; /* enum access */
	uint32_t needs; /* enum feature: requires all of these */
	char name[24];
};

/* The registers of a vendor's PMUs. */
struct register_table {
	const struct msr_range *ranges;
	const struct register_bits *bits;
	uint16_t nr_ranges, nr_bits;
};
extern const struct register_table intel_registers, amd_registers;

/*
 * Finds the register of `msr`: MODEL_OK fills in `reg` and `index` (the number of the counter);
 * MODEL_GP: a register of some PMU that this personality lacks; MODEL_NOT_PMU: another register.
 */
enum model_result register_find(const struct personality *personality, uint32_t msr, enum reg *reg,
				unsigned *index);

/* Returns the bits of `reg` that may be written as 1 on this personality; 0: read-only, every write
 * raises #GP. */
uint64_t register_writable(const struct personality *personality, enum reg reg);
/* Returns the bits that a write does not change. */
uint64_t register_ignored(const struct personality *personality, enum reg reg);
/* True if `value`, which has no reserved bits, may be written. */
bool register_accepts(const struct personality *personality, enum reg reg, uint64_t value);

#endif
