/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter LBR_SELECT, whose bits exclude branches, and the flag in FROM: Intel's older formats
 * and AMD's are alike, except the call stack mode. SDM volume 3, "Filtering of Last Branch
 * Records". */
#ifndef PMU_LBR_SELECT_H
#define PMU_LBR_SELECT_H

#include "arch/x86/cpu/msr.h"
#include "pmu/hw/lbr.h"

#define SELECT_RING0      BIT(0)
#define SELECT_RING3      BIT(1)
#define SELECT_JCC        BIT(2)
#define SELECT_CALL       BIT(3)
#define SELECT_IND_CALL   BIT(4)
#define SELECT_RET        BIT(5)
#define SELECT_IND_JMP    BIT(6)
#define SELECT_JMP        BIT(7)
#define SELECT_FAR        BIT(8)
#define SELECT_CALL_STACK BIT(9)
#define SELECT_KINDS      FIELD(8, 2)
#define SELECT_INVERTED   FIELD(8, 0)
#define SELECT_CALLS      (SELECT_CALL | SELECT_IND_CALL)
#define SELECT_JUMPS      (SELECT_JMP | SELECT_IND_JMP)

/* The index of a bit of branch_sample_type. */
#define ASK(name) [PERF_SAMPLE_BRANCH_##name##_SHIFT]

/* Branches that each filter must let through to lose nothing. */
#define SELECT_FILTERS                                                                           \
	ASK(USER) = SELECT_RING3, ASK(KERNEL) = SELECT_RING0, ASK(ANY) = SELECT_KINDS,           \
	ASK(ANY_CALL) = SELECT_CALLS | SELECT_FAR, ASK(ANY_RETURN) = SELECT_RET | SELECT_FAR,    \
	ASK(IND_CALL) = SELECT_IND_CALL, ASK(COND) = SELECT_JCC, ASK(IND_JUMP) = SELECT_IND_JMP, \
	ASK(CALL) = SELECT_CALL

#define FROM_MISPREDICTED 63 /* the number of FROM's bit */

#endif
