/* SPDX-License-Identifier: BSD-2-Clause */
/* Model-specific registers and their bits: Intel SDM volume 4, AMD APM volume 2 appendix A. */
#ifndef ARCH_X86_MSR_H
#define ARCH_X86_MSR_H

#include <stdint.h>

#define BIT(n)           (1ul << (n))
#define FIELD(high, low) ((2ul << (high)) - (1ul << (low)))
/* The value of a field, and a value put into one. */
#define FIELD_GET(mask, reg)   (((reg) & (mask)) / ((mask) & -(mask)))
#define FIELD_PUT(mask, value) (((uint64_t)(value) * ((mask) & -(mask))) & (mask))

/* Returns the number of bits set. Not all supported processors have POPCNT. Context: any. */
static inline uint32_t bits_set(uint64_t mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* The machine. */
#define MSR_TSC            0x10
#define MSR_APIC_BASE      0x1b
#define APIC_BASE_X2APIC   BIT(10)
#define APIC_BASE_ENABLE   BIT(11)
#define APIC_BASE_ADDRESS  FIELD(51, 12)
#define MSR_SYSENTER_CS    0x174
#define MSR_TSC_DEADLINE   0x6e0
#define MSR_PLATFORM_INFO  0xce
#define PLATFORM_RATIO     FIELD(15, 8) /* of TSC to bus */
#define MSR_MISC_ENABLE    0x1a0
#define MSR_PAT            0x277
#define MSR_X2APIC_FIRST   0x800 /* + xAPIC offset / 16 */
#define MSR_EFER           0xc0000080
#define EFER_SCE           BIT(0)
#define EFER_LME           BIT(8)
#define EFER_LMA           BIT(10)
#define EFER_NXE           BIT(11)
#define MSR_STAR           0xc0000081
#define MSR_LSTAR          0xc0000082
#define MSR_CSTAR          0xc0000083
#define MSR_SFMASK         0xc0000084
#define MSR_FS_BASE        0xc0000100
#define MSR_GS_BASE        0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102

/* Intel's architectural performance monitoring: SDM volume 3, "Performance Monitoring". */
#define MSR_PMC0                 0xc1  /* + i */
#define MSR_PMC0_FULL            0x4c1 /* + i, full-width writes */
#define MSR_PERFEVTSEL0          0x186 /* + i */
#define MSR_FIXED_CTR0           0x309 /* + i */
#define MSR_PERF_CAPABILITIES    0x345
#define MSR_FIXED_CTR_CTRL       0x38d
#define MSR_PERF_GLOBAL_STATUS   0x38e
#define MSR_PERF_GLOBAL_CTRL     0x38f
#define MSR_PERF_GLOBAL_OVF_CTRL 0x390 /* up to version 3 */
#define MSR_PERF_METRICS         0x329
#define MSR_PEBS_ENABLE          0x3f1
#define MSR_RTIT_OUTPUT_BASE     0x560
#define MSR_RTIT_OUTPUT_MASK     0x561
#define MSR_RTIT_CTL             0x570
#define MSR_RTIT_STATUS          0x571
#define MSR_RTIT_ADDR0_A         0x580 /* + 2 i, _B after it */
#define MSR_PEBS_DATA_CFG        0x3f2
#define MSR_PEBS_LD_LAT          0x3f6
#define MSR_SNOOP_RSP0           0x1328 /* + i */
#define MSR_PKG_C3               0x3f8  /* time in idle states: C6, C7 follow */
#define MSR_PKG_C6               0x3f9
#define MSR_PKG_C7               0x3fa
#define MSR_CORE_C3              0x3fc
#define MSR_CORE_C6              0x3fd
#define MSR_CORE_C7              0x3fe
#define MSR_RAPL_UNIT            0x606
#define RAPL_ENERGY_UNIT         FIELD(12, 8)
#define MSR_PKG_C2               0x60d
#define MSR_PKG_ENERGY           0x611
#define MSR_DRAM_ENERGY          0x619
#define MSR_PKG_C8               0x630
#define MSR_PKG_C9               0x631
#define MSR_PKG_C10              0x632
#define MSR_PP0_ENERGY           0x639
#define MSR_PP1_ENERGY           0x641
#define MSR_PLATFORM_ENERGY      0x64d
#define MSR_CORE_C1              0x660
#define MSR_AMD_IRPERF           0xc00000e9
#define MSR_AMD_PTSC             0xc0010280
#define MSR_AMD_RAPL_UNIT        0xc0010299
#define MSR_AMD_PKG_ENERGY       0xc001029b
#define MSR_PMC_V6_COUNTER0      0x1900 /* + 4 i: version 6 */
#define MSR_PMC_V6_SELECT0       0x1901
#define MSR_PEBS_FRONTEND        0x3f7
#define MSR_DS_AREA              0x600
#define MSR_DEBUGCTL             0x1d9
#define MSR_OFFCORE_RSP0         0x1a6 /* + i */
#define MSR_LBR_SELECT           0x1c8
#define MSR_LBR_TOS              0x1c9
#define MSR_LBR_CORE_FROM0       0x40  /* + i; Core 2 */
#define MSR_LBR_CORE_TO0         0x60  /* + i */
#define MSR_LBR_FROM0            0x680 /* + i */
#define MSR_LBR_TO0              0x6c0 /* + i */
#define MSR_LBR_INFO0            0xdc0 /* + i */
#define MSR_ARCH_LBR_CTL         0x14ce
#define MSR_ARCH_LBR_DEPTH       0x14cf
#define MSR_ARCH_LBR_INFO0       0x1200 /* + i */
#define MSR_ARCH_LBR_FROM0       0x1500 /* + i */
#define MSR_ARCH_LBR_TO0         0x1600 /* + i */

#define EVTSEL_EVENT       FIELD(7, 0)
#define EVTSEL_UMASK       FIELD(15, 8)
#define EVTSEL_USR         BIT(16)
#define EVTSEL_OS          BIT(17)
#define EVTSEL_EDGE        BIT(18)
#define EVTSEL_PIN_CONTROL BIT(19)
#define EVTSEL_INT         BIT(20)
#define EVTSEL_ANY         BIT(21)
#define EVTSEL_ENABLE      BIT(22)
#define EVTSEL_INVERT      BIT(23)
#define EVTSEL_CMASK       FIELD(31, 24)
#define EVTSEL_AMD_EVENT   FIELD(35, 32)                     /* upper bits of the event on AMD */
#define EVTSEL_EQUAL       BIT(36)                           /* Intel, version 6 */
#define EVTSEL_UMASK2      FIELD(47, 40)                     /* likewise */
#define EVTSEL_MERGE       (EVTSEL_EVENT | EVTSEL_AMD_EVENT) /* AMD: extends the counter before */
#define EVTSEL_ADAPTIVE    BIT(34)

/* FIXED_CTR_CTRL has four bits per counter. */
#define FIXED_CTRL_OS       BIT(0)
#define FIXED_CTRL_USR      BIT(1)
#define FIXED_CTRL_ANY      BIT(2)
#define FIXED_CTRL_PMI      BIT(3)
#define FIXED_CTRL_SHIFT(i) (4 * (i))
#define FIXED_CTRL_ADAPTIVE BIT(32) /* further up by FIXED_CTRL_SHIFT(i) as well */

/* GLOBAL_CTRL, GLOBAL_STATUS and GLOBAL_STATUS_RESET. */
#define GLOBAL_FIXED0           32
#define GLOBAL_METRICS          BIT(48)
#define GLOBAL_STATUS_TOPA      BIT(55)
#define GLOBAL_STATUS_LBR_FRZ   BIT(58)
#define GLOBAL_STATUS_DS_BUFFER BIT(62)

#define DEBUGCTL_LBR                   BIT(0)
#define DEBUGCTL_TR                    BIT(6)
#define DEBUGCTL_BTS                   BIT(7)
#define DEBUGCTL_BTINT                 BIT(8)
#define DEBUGCTL_BTS_OFF_OS            BIT(9)
#define DEBUGCTL_BTS_OFF_USR           BIT(10)
#define DEBUGCTL_FREEZE_LBR_ON_PMI     BIT(11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI BIT(12)

#define PERF_CAP_LBR_FORMAT    FIELD(5, 0)
#define LBR_FORMAT_LINEAR      1 /* addresses alone, linear or effective ones */
#define LBR_FORMAT_EFFECTIVE   2
#define LBR_FORMAT_FLAGS       3 /* the misprediction in bit 63 of FROM */
#define LBR_FORMAT_TSX         4 /* as well bits of transactions */
#define LBR_FORMAT_INFO        5 /* in LBR_INFO, with cycles */
#define LBR_FORMAT_TIME        6 /* in bit 63 of FROM, with cycles in TO */
#define LBR_FORMAT_INFO2       7 /* in LBR_INFO */
#define PERF_CAP_PEBS_TRAP     BIT(6)
#define PERF_CAP_PEBS_FORMAT   FIELD(11, 8)
#define PERF_CAP_FULL_WIDTH    BIT(13)
#define PERF_CAP_PEBS_BASELINE BIT(14)
#define PERF_CAP_METRICS       BIT(15)

/* AMD: PPR, "Performance Monitor Counters". */
#define MSR_K7_EVTSEL0                   0xc0010000 /* + i */
#define MSR_K7_PERFCTR0                  0xc0010004 /* + i */
#define MSR_F15H_PERF_CTL0               0xc0010200 /* + 2 i */
#define MSR_F15H_PERF_CTR0               0xc0010201 /* + 2 i */
#define MSR_AMD_LBR_SELECT               0xc000010e
#define MSR_AMD_DBG_EXTN_CFG             0xc000010f
#define AMD_DBG_EXTN_LBRV2               BIT(6)
#define MSR_AMD_LBR_FROM0                0xc0010300 /* + 2 i; TO after it */
#define MSR_IBS_FETCH_CTL                0xc0011030 /* its data after it */
#define MSR_IBS_OP_CTL                   0xc0011033 /* likewise */
#define MSR_IBS_CTL                      0xc001103a
#define MSR_IBS_TARGET                   0xc001103b
#define MSR_IBS_FETCH_EXTENDED           0xc001103c
#define MSR_AMD_PERF_GLOBAL_STATUS       0xc0000300
#define MSR_AMD_PERF_GLOBAL_CTL          0xc0000301
#define MSR_AMD_PERF_GLOBAL_STATUS_CLEAR 0xc0000302

/* Control registers: SDM volume 3, "Control Registers". */
#define CR0_MP         BIT(1)
#define CR0_EM         BIT(2)
#define CR0_TS         BIT(3)
#define CR0_NE         BIT(5)
#define CR0_WP         BIT(16)
#define CR0_AM         BIT(18)
#define CR0_PG         BIT(31)
#define CR4_TSD        BIT(2)
#define CR4_PAE        BIT(5)
#define CR4_MCE        BIT(6)
#define CR4_PGE        BIT(7)
#define CR4_PCE        BIT(8)
#define CR4_OSFXSR     BIT(9)
#define CR4_OSXMMEXCPT BIT(10)
#define CR4_UMIP       BIT(11)
#define CR4_LA57       BIT(12)
#define CR4_OSXSAVE    BIT(18)
#define CR4_SMEP       BIT(20)
#define CR4_SMAP       BIT(21)

/* DR6 with no condition set. */
#define DR6_INITIAL 0xffff0ff0ul

/* RFLAGS. */
#define RFLAGS_TF   BIT(8)
#define RFLAGS_DF   BIT(10)
#define RFLAGS_IOPL FIELD(13, 12)
#define RFLAGS_NT   BIT(14)
#define RFLAGS_RF   BIT(16)
#define RFLAGS_AC   BIT(18)

#endif
