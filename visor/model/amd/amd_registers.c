/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's PMU registers and their bits: APM vol. 2, "Performance Monitoring Counters", and the
 * Processor Programming References of the families. Versions here: 1, four legacy counters, or six
 * with FEATURE_CORE; 2, PerfMonV2.
 *
 * Writes to reserved bits of these registers are ignored, as real parts do (seen on Zen 3), but for
 * DebugCtl's, which raise #GP.
 */
#include "visor/model/core/registers.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct msr_range ranges[] = {
    {0x000001d9, 1, 1, REG_DEBUGCTL, 0, 0},
    {0xc000010e, 1, 1, REG_LBR_SELECT, 0, FEATURE_LBR_AMD},
    {0xc000010f, 1, 1, REG_DBG_EXTN, 0, FEATURE_LBR_AMD},
    {0xc0000300, 1, 1, REG_STATUS, 2, 0},      /* PerfCntGlobalStatus */
    {0xc0000301, 1, 1, REG_GLOBAL_CTRL, 2, 0}, /* PerfCntGlobalCtl */
    {0xc0000302, 1, 1, REG_OVF_CTRL, 2, 0},    /* PerfCntGlobalStatusClr */
    {0xc0000303, 1, 1, REG_STATUS_SET, 2, 0},  /* PerfCntGlobalStatusSet */
    {0xc0010000, 4, 1, REG_EVTSEL, 1, 0},      /* PERF_LEGACY_CTLx */
    {0xc0010004, 4, 1, REG_PMC_WIDE, 1, 0},    /* PERF_LEGACY_CTRx */
    {0xc0010015, 1, 1, REG_HWCR, 0, 0},
    {0xc0010200, 6, 2, REG_EVTSEL, 1, FEATURE_CORE},   /* PERF_CTLx */
    {0xc0010201, 6, 2, REG_PMC_WIDE, 1, FEATURE_CORE}, /* PERF_CTRx */
    {0xc0010300, 16, 2, REG_LBR_AMD_FROM, 0, FEATURE_LBR_AMD},
    {0xc0010301, 16, 2, REG_LBR_AMD_TO, 0, FEATURE_LBR_AMD},
};

static const struct register_bits bits[] = {
    {REG_EVTSEL, 0, 7, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "EventSelect[7:0]"},
    {REG_EVTSEL, 8, 15, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "UnitMask"},
    {REG_EVTSEL, 16, 17, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "OsUserMode"},
    {REG_EVTSEL, 18, 18, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "Edge"},
    {REG_EVTSEL, 20, 20, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "Int"},
    {REG_EVTSEL, 22, 22, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "En"},
    {REG_EVTSEL, 23, 23, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "Inv"},
    {REG_EVTSEL, 24, 31, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "CntMask"},
    {REG_EVTSEL, 32, 35, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "EventSelect[11:8]"},
    {REG_EVTSEL, 40, 41, SPAN_ONCE, 1, LAST_VERSION, WRITABLE, 0, "HostGuestOnly"},
    {REG_EVTSEL, 0, 63, SPAN_ONCE, 1, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_PMC_WIDE, 48, 63, SPAN_ONCE, 1, LAST_VERSION, IGNORED, 0, "reserved"},

    {REG_STATUS, 0, 63, SPAN_ONCE, 2, LAST_VERSION, IGNORED, 0, "read-only"},
    {REG_GLOBAL_CTRL, 0, 0, SPAN_GENERAL, 2, LAST_VERSION, WRITABLE, 0, "PerfCntEn"},
    {REG_GLOBAL_CTRL, 0, 63, SPAN_ONCE, 2, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_OVF_CTRL, 0, 0, SPAN_GENERAL, 2, LAST_VERSION, WRITABLE, 0, "PerfCntOvfl"},
    {REG_OVF_CTRL, 58, 58, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "LbrFreeze"},
    {REG_OVF_CTRL, 59, 59, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "PmcFreeze"},
    {REG_OVF_CTRL, 0, 63, SPAN_ONCE, 2, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_STATUS_SET, 0, 0, SPAN_GENERAL, 2, LAST_VERSION, WRITABLE, 0, "PerfCntOvfl"},
    {REG_STATUS_SET, 58, 58, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "LbrFreeze"},
    {REG_STATUS_SET, 59, 59, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "PmcFreeze"},
    {REG_STATUS_SET, 0, 63, SPAN_ONCE, 2, LAST_VERSION, IGNORED, 0, "reserved"},

    {REG_DEBUGCTL, 0, 0, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "LBR"},
    {REG_DEBUGCTL, 1, 1, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "BTF"},
    {REG_DEBUGCTL, 2, 5, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "PB"},
    {REG_DEBUGCTL, 11, 11, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "FLBRI"},
    {REG_DEBUGCTL, 12, 12, SPAN_ONCE, 2, LAST_VERSION, WRITABLE, 0, "FPCI"},

    {REG_LBR_SELECT, 0, 8, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "branches kept out"},
    {REG_LBR_SELECT, 0, 63, SPAN_ONCE, 0, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_DBG_EXTN, 6, 6, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "LBRV2EN"},
    {REG_DBG_EXTN, 0, 63, SPAN_ONCE, 0, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_LBR_AMD_FROM, 0, 63, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "address, flags"},
    {REG_LBR_AMD_TO, 0, 60, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "address"},
    {REG_LBR_AMD_TO, 61, 61, SPAN_ONCE, 0, LAST_VERSION, IGNORED, 0, "reserved"},
    {REG_LBR_AMD_TO, 62, 63, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "flags"},

    {REG_HWCR, 0, 31, SPAN_ONCE, 0, LAST_VERSION, WRITABLE, 0, "HWCR"},
    {REG_HWCR, 32, 63, SPAN_ONCE, 0, LAST_VERSION, IGNORED, 0, "reserved"},
};

const struct register_table amd_registers = {ranges, bits, COUNT(ranges), COUNT(bits)};
