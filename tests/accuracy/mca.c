/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts of LLVM 19's scheduling models, as `llvm-mca -instruction-tables` prints them. With them
 * the two simulators have the same figures, and differ by how they schedule.
 */
#include "tests/accuracy/mca.h"

#include <stddef.h>
#include <string.h>

#include "emulator/sim/pipeline/timings/timings.h"

struct mca_model {
	const char *core;
	uint8_t width;          /* slots a cycle */
	bool moves;             /* register moves take no unit */
	bool no_zeroing;        /* zeroing idioms do, and wait for their register */
	bool split_stores;      /* a store is two slots */
	uint8_t load;           /* cycles; 0: as ours */
	uint8_t vector_load;    /* cycles more */
	uint8_t stores_a_cycle; /* 0: as ours */
	uint16_t ports[UNITS];  /* 0: as ours */
	const struct timings *timings;
};

static const struct timings skylake = {
    &timings_skylake,
    {
	[CLASS_LEA_RIP] = TIMING(1, 0, 0, U(LEA, 1)),
	[CLASS_LEA_SLOW] = TIMING(1, 0, 0, U(LEA, 1)),
	[CLASS_LEA_ALL] = TIMING(1, 0, 0, U(LEA, 1)),
	[CLASS_MUL64] = TIMING(4, 2, 0, U(MUL, 1), U(SHUFFLE, 1)),
	[CLASS_DIV32] = TIMING(76, 10, 10, U(DIV, 1), U(ALU, 9)),
	[CLASS_TO_VECTOR] = TIMING(1, 0, 0, U(TO_VECTOR, 1)),
    },
};

static const struct timings znver2 = {
    &timings_zen2,
    {
	[CLASS_LEA_SCALED] = TIMING(1, 0, 0, U(ALU, 1)),
	[CLASS_LEA_SLOW] = TIMING(1, 0, 0, U(ALU, 1)),
	[CLASS_BITSCAN] = TIMING(3, 6, 0, U(ALU, 6)),
	[CLASS_IMUL] = TIMING(4, 2, 0, U(MUL, 1)),
	[CLASS_IMUL_64] = TIMING(4, 2, 0, U(MUL, 1)),
	[CLASS_MUL32] = TIMING(4, 2, 0, U(MUL, 1)),
	[CLASS_MUL64] = TIMING(4, 2, 0, U(MUL, 1)),
	[CLASS_MULX] = TIMING(4, 2, 0, U(MUL, 1)),
	[CLASS_DIV32] = TIMING(25, 2, 25, U(DIV, 1)),
	[CLASS_DIV64] = TIMING(41, 2, 41, U(DIV, 1)),
	[CLASS_PDEP] = TIMING(100, 1, 0, U(ALU, 1)),
	[CLASS_SHUFFLE_LANES] = TIMING(100, 1, 0, U(SHUFFLE, 1)),
	[CLASS_CLMUL] = TIMING(100, 1, 0, U(CLMUL, 1)),
	[CLASS_BLEND] = TIMING(1, 0, 0, U(CRYPT, 1)),
	[CLASS_FROM_VECTOR] = TIMING(2, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_MOVMSK] = TIMING(1, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_VMUL] = TIMING(4, 0, 0, U(VMUL, 1)),
	[CLASS_FDIV_S] = TIMING(10, 0, 5, U(FDIV, 1)),
	[CLASS_FDIV_D] = TIMING(13, 0, 6, U(FDIV, 1)),
	[CLASS_FDIV_S256] = TIMING(10, 0, 5, U(FDIV, 1)),
	[CLASS_FDIV_D256] = TIMING(13, 0, 6, U(FDIV, 1)),
	[CLASS_FSQRT_D] = TIMING(20, 0, 10, U(FDIV, 1)),
	[CLASS_CVT] = TIMING(3, 0, 0, U(FCVT, 1)),
	[CLASS_CVT_WIDTH] = TIMING(3, 0, 0, U(FCVT, 1)),
	[CLASS_CVT_FROM_INT] = TIMING(3, 0, 0, U(FCVT, 1)),
	[CLASS_CVT_TO_INT] = TIMING(4, 0, 0, U(FCVT, 1)),
	[CLASS_COMIS] = TIMING(3, 2, 0, U(FADD, 1)),
    },
};

static const struct timings znver4 = {
    &timings_zen4,
    {
	[CLASS_MOVE_IMM] = TIMING(1, 0, 0, U(SHIFT, 1)),
	[CLASS_ADC] = TIMING(1, 1, 0, U(SHIFT, 2)),
	[CLASS_SETCC] = TIMING(1, 1, 0, U(SHIFT, 2)),
	[CLASS_SETCC_BE] = TIMING(1, 1, 0, U(SHIFT, 2)),
	[CLASS_LEA_SCALED] = TIMING(2, 2, 0, U(ALU, 1)),
	[CLASS_LEA_SLOW] = TIMING(2, 2, 0, U(ALU, 1)),
	[CLASS_BITSCAN] = TIMING(1, 6, 0, U(SHIFT, 2)),
	[CLASS_FCMP] = TIMING(2, 0, 0, U(FADD, 1)),
	[CLASS_BMI] = TIMING(1, 0, 0, U(ALU, 1)),
	[CLASS_HADD] = TIMING(4, 1, 0, U(FADD, 2)),
	[CLASS_TZCNT] = TIMING(2, 2, 0, U(SHIFT, 1)),
	[CLASS_MUL64] = TIMING(3, 2, 3, U(MUL, 1)),
	[CLASS_DIV32] = TIMING(13, 2, 13, U(DIV, 1)),
	[CLASS_DIV64] = TIMING(17, 2, 17, U(DIV, 1)),
	[CLASS_TO_VECTOR] = TIMING(1, 0, 0, U(TO_VECTOR, 1)),
	[CLASS_FROM_VECTOR] = TIMING(1, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_MOVMSK] = TIMING(1, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_CVT_FROM_INT] = TIMING(5, 2, 0, U(TO_VECTOR, 1)),
	[CLASS_CVT_TO_INT] = TIMING(1, 0, 0, U(FCVT, 1)),
	[CLASS_COMIS] = TIMING(4, 2, 0, U(FROM_VECTOR, 1)),
    },
};

static const struct timings alderlake = {
    &timings_golden_cove,
    {
	[CLASS_MOVE] = TIMING(1, NO_SLOT, 0, U(NONE, 1)),
	[CLASS_MOVE_32] = TIMING(0, 0, 0, U(ALU, 1)),
	[CLASS_MOVZX8] = TIMING(0, 0, 0, U(ALU, 1)),
	[CLASS_LOGIC] = TIMING(2, 0, 0, U(ALU, 1)),
	[CLASS_ADD_SMALL] = TIMING(1, NO_SLOT, 0, U(NONE, 1)),
	[CLASS_LEA] = TIMING(1, 0, 0, U(MUL, 1)),
	[CLASS_LEA_SCALED] = TIMING(1, 0, 0, U(MUL, 1)),
	[CLASS_LEA_SLOW] = TIMING(1, 0, 0, U(MUL, 1)),
	[CLASS_LEA_ALL] = TIMING(1, 0, 0, U(MUL, 1)),
	[CLASS_SETCC] = TIMING(2, 2, 0, U(SHIFT, 2)),
	[CLASS_SETCC_BE] = TIMING(2, 2, 0, U(SHIFT, 2)),
	[CLASS_CMOV_BE] = TIMING(1, 0, 0, U(SHIFT, 1)),
	[CLASS_SHIFT_CL] = TIMING(2, 2, 0, U(SHIFT, 2)),
	[CLASS_SHIFTX] = TIMING(3, 0, 0, U(SHIFT, 1)),
	[CLASS_ROTATE] = TIMING(1, 2, 0, U(SHIFT, 2)),
	[CLASS_ROTATE_CL] = TIMING(2, 2, 0, U(SHIFT, 2)),
	[CLASS_BMI] = TIMING(2, 0, 0, U(VLOGIC, 1)),
	[CLASS_BLS] = TIMING(2, 0, 0, U(VLOGIC, 1)),
	[CLASS_BEXTR] = TIMING(6, 2, 0, U(MUL, 1), U(SHIFT, 1)),
	[CLASS_BSWAP64] = TIMING(2, 2, 0, U(MUL, 1), U(SHIFT, 1)),
	[CLASS_MUL32] = TIMING(4, 3, 0, U(MUL, 1), U(ALU, 2)),
	[CLASS_MUL64] = TIMING(4, 2, 0, U(MUL, 1), U(SHUFFLE, 1)),
	[CLASS_DIV32] = TIMING(15, 4, 3, U(DIV, 1), U(ALU, 3)),
	[CLASS_DIV64] = TIMING(18, 3, 3, U(DIV, 1), U(ALU, 2)),
	[CLASS_IDIV32] = TIMING(15, 4, 3, U(DIV, 1), U(ALU, 3)),
	[CLASS_IDIV64] = TIMING(18, 3, 3, U(DIV, 1), U(ALU, 2)),
	[CLASS_JMP] = TIMING(0, NO_SLOT, 0, U(NONE, 0)),
	[CLASS_RET] = TIMING(1, 2, 0, U(JUMP, 1)),
	[CLASS_ZEROUPPER] = TIMING(0, NO_SLOT, 0, U(NONE, 0)),
	[CLASS_TO_VECTOR] = TIMING(3, 0, 0, U(TO_VECTOR, 1)),
	[CLASS_FROM_VECTOR] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_MOVMSK] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_COMIS] = TIMING(3, 0, 0, U(FROM_VECTOR, 1)),
	[CLASS_CVT_FROM_INT] = TIMING(7, 0, 0, U(FCVT, 1), U(TO_VECTOR, 1)),
	[CLASS_CVT_TO_INT] = TIMING(7, 0, 0, U(FROM_VECTOR, 1), U(FCVT, 1)),
	[CLASS_BLENDV] = TIMING(3, 3, 0, U(VLOGIC, 3)),
	[CLASS_HADD] = TIMING(6, 0, 0, U(FADD, 1), U(SHUFFLE, 2)),
	[CLASS_FDIV_S] = TIMING(11, 0, 0, U(FDIV, 1)),
	[CLASS_FDIV_D] = TIMING(14, 0, 0, U(FDIV, 1)),
	[CLASS_FDIV_S256] = TIMING(11, 0, 0, U(FDIV, 1)),
	[CLASS_FDIV_D256] = TIMING(14, 0, 0, U(FDIV, 1)),
	[CLASS_FSQRT_S] = TIMING(12, 0, 0, U(FDIV, 1)),
	[CLASS_FSQRT_D] = TIMING(18, 0, 0, U(FDIV, 1)),
	[CLASS_AES] = TIMING(5, 0, 0, U(CRYPT, 1)),
    },
};

static const struct mca_model models[] = {
    {.core = "skylake", .width = 6, .timings = &skylake},
    {.core = "zen2",
     .width = 4,
     .vector_load = 4,
     .stores_a_cycle = 3,
     .ports = {[UNIT_LOAD] = 0x70, [UNIT_STORE_ADDRESS] = 0x70, [UNIT_STORE_DATA] = 0x3800},
     .timings = &znver2},
    {.core = "golden-cove",
     .width = 6,
     .no_zeroing = true,
     .split_stores = true,
     .timings = &alderlake},
    {.core = "zen4",
     .width = 6,
     .moves = true,
     .load = 5,
     .vector_load = 3,
     .stores_a_cycle = 1,
     .ports = {[UNIT_LEA] = 0x70, [UNIT_STORE_DATA] = 0x70, [UNIT_STORE_VECTOR] = 0x70},
     .timings = &znver4},
};

static const struct mca_model *model_of(const struct core_config *config)
{
	static const struct mca_model others = {.width = 6};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (!strcmp(models[i].core, config->name))
			return &models[i];
	return &others;
}

void mca_leave_out(struct core_config *config)
{
	const struct mca_model *model = model_of(config);
	struct pipe_config *pipe = &config->pipe;

	config->memory.l1d.latency += pipe->long_latency;
	pipe->vector_latency -= pipe->long_latency;
	pipe->long_latency = 0;
	pipe->width = model->width;
	pipe->uop_cache_width = 16;
	pipe->fusion = FUSE_NONE;
	pipe->micro_fusion = pipe->memory_fusion = false;
	pipe->one_line = false;
	pipe->eliminate_moves &= model->moves;
	pipe->eliminate_vector_moves &= model->moves;
}

void mca_figures(struct core_config *config)
{
	const struct mca_model *model = model_of(config);

	if (model->load) {
		config->memory.l1d.latency = model->load;
		config->pipe.complex_latency = 0;
	}
	if (model->vector_load)
		config->pipe.vector_latency = model->vector_load;
	if (model->stores_a_cycle)
		config->pipe.stores_a_cycle = model->stores_a_cycle;
	for (unsigned unit = 0; unit < UNITS; unit++)
		if (model->ports[unit])
			config->pipe.ports[unit] = model->ports[unit];
	if (model->timings)
		config->pipe.timings = model->timings;
	config->pipe.zero_idioms &= !model->no_zeroing;
	config->pipe.zeros_wait = model->no_zeroing;
	config->pipe.eliminate_additions = false;
	config->pipe.split_stores = model->split_stores;
	config->pipe.add_chain = 0;
}
