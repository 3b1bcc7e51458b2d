/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction timings of Alder Lake's cores, Golden Cove and Gracemont, where they differ from
 * Skylake's. Figures from uops.info (measurements of ADL-P and ADL-E).
 */
#include "core/pipe/pipe_config.h"

#define U(unit, n)             \
	{                      \
		UNIT_##unit, n \
	}

const struct timings timings_golden_cove = {
    &timings_skylake,
    {
	[CLASS_LEA_SLOW] = {2, 0, {U(LEA, 1)}},
	[CLASS_BMI] = {1, 0, {U(MUL, 1)}},
	[CLASS_DIV8] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_DIV16] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_DIV32] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_DIV64] = {15, 4, {U(DIV, 1), U(ALU, 3)}, 10},
	[CLASS_IDIV8] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_IDIV16] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_IDIV32] = {12, 4, {U(DIV, 1), U(ALU, 3)}, 6},
	[CLASS_IDIV64] = {15, 4, {U(DIV, 1), U(ALU, 3)}, 10},
	[CLASS_TO_VECTOR] = {3, 0, {U(TO_VECTOR, 1)}},
	[CLASS_FROM_VECTOR] = {3, 0, {U(FROM_VECTOR, 1)}},
	[CLASS_SHUFFLE_LANES] = {3, 0, {U(TO_VECTOR, 1)}},
	[CLASS_BLENDV] = {1, 0, {U(VLOGIC, 1)}},
	[CLASS_FADD] = {3, 0, {U(FADD, 1)}},
	[CLASS_FDIV_D] = {14, 0, {U(FDIV, 1)}, 4},
	[CLASS_FDIV_D256] = {14, 0, {U(FDIV, 1)}, 8},
	[CLASS_FSQRT_D] = {18, 0, {U(FDIV, 1)}, 6},
	[CLASS_AES] = {3, 0, {U(CRYPT, 1)}},
	[CLASS_CLMUL] = {3, 0, {U(CLMUL, 1)}},
	[CLASS_PAUSE] = {140, 4, {U(ALU, 1)}},
    },
};

const struct timings timings_gracemont = {
    &timings_skylake,
    {
	[CLASS_LEA_SLOW] = {1, 0, {U(LEA, 1)}},
	[CLASS_ADC] = {2, 0, {U(SHIFT, 1)}},
	[CLASS_CMOV] = {1, 0, {U(ALU, 1)}},
	[CLASS_SHIFT] = {1, 0, {U(SHIFT, 1)}},
	[CLASS_SHIFT_CL] = {2, 2, {U(SHIFT, 1), U(ALU, 1)}},
	[CLASS_ROTATE_CL] = {2, 2, {U(SHIFT, 1), U(ALU, 1)}},
	[CLASS_DIV8] = {10, 0, {U(DIV, 1)}, 6},
	[CLASS_DIV16] = {12, 2, {U(DIV, 1), U(ALU, 1)}, 8},
	[CLASS_DIV32] = {12, 2, {U(DIV, 1), U(ALU, 1)}, 8},
	[CLASS_DIV64] = {18, 2, {U(DIV, 1), U(ALU, 1)}, 14},
	[CLASS_IDIV8] = {10, 0, {U(DIV, 1)}, 6},
	[CLASS_IDIV16] = {12, 2, {U(DIV, 1), U(ALU, 1)}, 8},
	[CLASS_IDIV32] = {12, 2, {U(DIV, 1), U(ALU, 1)}, 8},
	[CLASS_IDIV64] = {18, 2, {U(DIV, 1), U(ALU, 1)}, 14},
	[CLASS_TO_VECTOR] = {4, 0, {U(TO_VECTOR, 1)}},
	[CLASS_FROM_VECTOR] = {4, 0, {U(FROM_VECTOR, 1)}},
	[CLASS_FADD] = {3, 0, {U(FADD, 1)}},
	[CLASS_FCMP] = {1, 0, {U(FADD, 1)}},
	[CLASS_FMUL] = {4, 0, {U(FMUL, 1)}},
	[CLASS_FMA] = {6, 0, {U(FMUL, 1)}},
	[CLASS_FDIV_S] = {12, 0, {U(FDIV, 1)}, 6},
	[CLASS_FDIV_D] = {15, 0, {U(FDIV, 1)}, 10},
	[CLASS_FSQRT_S] = {15, 0, {U(FDIV, 1)}, 8},
	[CLASS_FSQRT_D] = {20, 0, {U(FDIV, 1)}, 15},
	[CLASS_VMUL] = {4, 0, {U(VMUL, 1)}},
	[CLASS_PMULLD] = {5, 0, {U(VMUL, 2)}},
	[CLASS_PSADBW] = {3, 0, {U(VMUL, 1)}},
    },
};
