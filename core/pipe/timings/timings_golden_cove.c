/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction timings of Alder Lake's cores, Golden Cove and Gracemont, where they differ from
 * Skylake's. Figures from uops.info (measurements of ADL-P and ADL-E).
 */
#include "core/pipe/timings/timings.h"

const struct timings timings_golden_cove = {
    &timings_skylake,
    {
	[CLASS_LEA_SLOW] = TIMING(2, 0, 0, U(LEA, 1)),
	[CLASS_BMI] = TIMING(1, 0, 0, U(MUL, 1)),
	[CLASS_DIV8] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_DIV16] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_DIV32] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_DIV64] = TIMING(15, 4, 10, U(DIV, 1), U(ALU, 3)),
	[CLASS_IDIV8] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_IDIV16] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_IDIV32] = TIMING(12, 4, 6, U(DIV, 1), U(ALU, 3)),
	[CLASS_IDIV64] = TIMING(15, 4, 10, U(DIV, 1), U(ALU, 3)),
	[CLASS_TO_VECTOR] = TIMING(3, 0, 0, U(TO_VECTOR, 1)),
	[CLASS_FROM_VECTOR] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_SHUFFLE_LANES] = TIMING(3, 0, 0, U(TO_VECTOR, 1)),
	[CLASS_BLENDV] = TIMING(1, 0, 0, U(VLOGIC, 1)),
	[CLASS_FADD] = TIMING(3, 0, 0, U(FADD, 1)),
	[CLASS_FDIV_D] = TIMING(14, 0, 4, U(FDIV, 1)),
	[CLASS_FDIV_D256] = TIMING(14, 0, 8, U(FDIV, 1)),
	[CLASS_FSQRT_D] = TIMING(18, 0, 6, U(FDIV, 1)),
	[CLASS_MOVMSK] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_COMIS] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_CVT_FROM_INT] = TIMING(7, 0, 0, U(FCVT, 1), U(TO_VECTOR, 1)),
	[CLASS_CVT_TO_INT] = TIMING(7, 0, 0, U(FROM_VECTOR, 1), U(FCVT, 1)),
	[CLASS_AES] = TIMING(3, 0, 0, U(CRYPT, 1)),
	[CLASS_CLMUL] = TIMING(3, 0, 0, U(CLMUL, 1)),
	[CLASS_PAUSE] = TIMING(140, 4, 0, U(ALU, 1)),
    },
};

const struct timings timings_gracemont = {
    &timings_skylake,
    {
	[CLASS_LEA_SLOW] = TIMING(1, 0, 0, U(LEA, 1)),
	[CLASS_ADC] = TIMING(2, 0, 0, U(SHIFT, 1)),
	[CLASS_CMOV] = TIMING(1, 0, 0, U(ALU, 1)),
	[CLASS_SHIFT] = TIMING(1, 0, 0, U(SHIFT, 1)),
	[CLASS_SHIFT_CL] = TIMING(2, 2, 0, U(SHIFT, 1), U(ALU, 1)),
	[CLASS_ROTATE_CL] = TIMING(2, 2, 0, U(SHIFT, 1), U(ALU, 1)),
	[CLASS_DIV8] = TIMING(10, 0, 6, U(DIV, 1)),
	[CLASS_DIV16] = TIMING(12, 2, 8, U(DIV, 1), U(ALU, 1)),
	[CLASS_DIV32] = TIMING(12, 2, 8, U(DIV, 1), U(ALU, 1)),
	[CLASS_DIV64] = TIMING(18, 2, 14, U(DIV, 1), U(ALU, 1)),
	[CLASS_IDIV8] = TIMING(10, 0, 6, U(DIV, 1)),
	[CLASS_IDIV16] = TIMING(12, 2, 8, U(DIV, 1), U(ALU, 1)),
	[CLASS_IDIV32] = TIMING(12, 2, 8, U(DIV, 1), U(ALU, 1)),
	[CLASS_IDIV64] = TIMING(18, 2, 14, U(DIV, 1), U(ALU, 1)),
	[CLASS_TO_VECTOR] = TIMING(4, 0, 0, U(TO_VECTOR, 1)),
	[CLASS_FROM_VECTOR] = TIMING(4, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_FADD] = TIMING(3, 0, 0, U(FADD, 1)),
	[CLASS_FCMP] = TIMING(1, 0, 0, U(FADD, 1)),
	[CLASS_FMUL] = TIMING(4, 0, 0, U(FMUL, 1)),
	[CLASS_FMA] = TIMING(6, 0, 0, U(FMUL, 1)),
	[CLASS_FDIV_S] = TIMING(12, 0, 6, U(FDIV, 1)),
	[CLASS_FDIV_D] = TIMING(15, 0, 10, U(FDIV, 1)),
	[CLASS_FSQRT_S] = TIMING(15, 0, 8, U(FDIV, 1)),
	[CLASS_FSQRT_D] = TIMING(20, 0, 15, U(FDIV, 1)),
	[CLASS_VMUL] = TIMING(4, 0, 0, U(VMUL, 1)),
	[CLASS_PMULLD] = TIMING(5, 0, 0, U(VMUL, 2)),
	[CLASS_PSADBW] = TIMING(3, 0, 0, U(VMUL, 1)),
    },
};
