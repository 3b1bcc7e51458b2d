/* SPDX-License-Identifier: BSD-2-Clause */
/* The class of a recorded branch, by its instruction, and the filters of branch_sample_type that no
 * hardware has. Linux's classes. */
#include <linux/errno.h>
#include "kernel/base/symbols.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "pmu/record/branch.h"

#define INSTRUCTION_MAX 15
#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))

/* ---- what is asked for ---- */

static const struct {
	uint64_t requested; /* PERF_SAMPLE_BRANCH_* */
	uint32_t kinds;
	bool after_stack; /* may be asked together with CALL_STACK */
} wishes[] = {
    {PERF_SAMPLE_BRANCH_USER, BRANCH_USER, true},
    {PERF_SAMPLE_BRANCH_KERNEL, BRANCH_KERNEL, true},
    {PERF_SAMPLE_BRANCH_ANY, BRANCH_ANY, false},
    {PERF_SAMPLE_BRANCH_ANY_CALL, BRANCH_ANY_CALL, false},
    {PERF_SAMPLE_BRANCH_ANY_RETURN, BRANCH_RET | BRANCH_IRET | BRANCH_SYSRET, false},
    {PERF_SAMPLE_BRANCH_IND_CALL, BRANCH_IND_CALL, false},
    {PERF_SAMPLE_BRANCH_ABORT_TX, BRANCH_ABORT, false},
    {PERF_SAMPLE_BRANCH_IN_TX, BRANCH_IN_TX, false},
    {PERF_SAMPLE_BRANCH_NO_TX, BRANCH_NO_TX, false},
    {PERF_SAMPLE_BRANCH_COND, BRANCH_JCC, false},
    {PERF_SAMPLE_BRANCH_CALL_STACK, BRANCH_CALL | BRANCH_IND_CALL | BRANCH_RET, true},
    {PERF_SAMPLE_BRANCH_IND_JUMP, BRANCH_IND_JMP, true},
    {PERF_SAMPLE_BRANCH_CALL, BRANCH_CALL | BRANCH_ZERO_CALL, true},
    {PERF_SAMPLE_BRANCH_TYPE_SAVE, BRANCH_TYPE_SAVE, true},
};

int branch_filter(uint64_t sample_type, bool call_stacks, uint32_t *filter)
{
	bool stack = sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	*filter = 0;
	if (stack && !call_stacks)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < COUNT(wishes); i++) {
		if (!(sample_type & wishes[i].requested))
			continue;
		if (stack && !wishes[i].after_stack)
			return -EINVAL;
		*filter |= wishes[i].kinds;
	}
	return 0;
}

/* ---- what an instruction is ---- */

struct opcode {
	uint8_t first, last;
	uint32_t kind;
};

static const struct opcode one_byte[] = {
    {0x70, 0x7f, BRANCH_JCC}, {0x9a, 0x9a, BRANCH_CALL}, {0xc2, 0xc3, BRANCH_RET},
    {0xca, 0xcb, BRANCH_RET}, {0xcc, 0xce, BRANCH_INT},  {0xcf, 0xcf, BRANCH_IRET},
    {0xe0, 0xe3, BRANCH_JCC}, {0xe9, 0xeb, BRANCH_JMP},
};

/* After 0F. */
static const struct opcode two_bytes[] = {
    {0x05, 0x05, BRANCH_SYSCALL}, {0x07, 0x07, BRANCH_SYSRET}, {0x34, 0x34, BRANCH_SYSCALL},
    {0x35, 0x35, BRANCH_SYSRET},  {0x80, 0x8f, BRANCH_JCC},
};

static uint32_t find_opcode(const struct opcode *table, size_t nr, uint8_t opcode)
{
	for (size_t i = 0; i < nr; i++)
		if (opcode >= table[i].first && opcode <= table[i].last)
			return table[i].kind;
	return 0;
}

/* Classifies opcode FF by the register field of ModRM. */
static uint32_t indirect(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
	case 3:
		return BRANCH_IND_CALL;
	case 4:
	case 5:
		return BRANCH_IND_JMP;
	default:
		return 0;
	}
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x40 ... 0x4f: /* REX */
	case 0x64 ... 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

uint32_t branch_decode(const uint8_t *code, size_t bytes)
{
	size_t left = bytes;

	for (; left && is_prefix(*code); code++)
		left--;
	if (!left)
		return 0;
	switch (*code) {
	case 0x0f:
		return left > 1 ? find_opcode(two_bytes, COUNT(two_bytes), code[1]) : 0;
	case 0xff:
		return left > 1 ? indirect(code[1]) : 0;
	case 0xe8:
		return left > 4 && (code[1] | code[2] | code[3] | code[4]) ? BRANCH_CALL
									   : BRANCH_ZERO_CALL;
	default:
		return find_opcode(one_byte, COUNT(one_byte), *code);
	}
}

/* Reads the code at the address of a record, which ring 3 may have chosen. */
static size_t read_code(uint8_t code[INSTRUCTION_MAX], uint64_t from)
{
	if (branch_ring(from) == BRANCH_USER)
		return current_task()->mm ? peek_user(code, from, INSTRUCTION_MAX) : 0;
	return symbols_code(code, from, INSTRUCTION_MAX);
}

uint32_t branch_kind_of(uint64_t from, uint64_t to)
{
	uint8_t code[INSTRUCTION_MAX];
	uint32_t kind;
	size_t bytes;

	if (!from || !to)
		return 0;
	bytes = read_code(code, from);
	if (!bytes)
		return 0;
	kind = branch_decode(code, bytes);
	/* Any instruction may be interrupted; from kernel to kernel we cannot detect it. */
	if (branch_ring(from) == BRANCH_USER && branch_ring(to) == BRANCH_KERNEL &&
	    kind != BRANCH_SYSCALL && kind != BRANCH_INT)
		kind = BRANCH_IRQ;
	return kind ? kind | branch_ring(to) : 0;
}

unsigned branch_type_of(uint32_t kind)
{
	/* Branch types by the bit number of the kind. */
	static const uint8_t types[] = {
#define TYPE(kind, type) [__builtin_ctz(BRANCH_##kind)] = PERF_BR_##type
	    TYPE(CALL, CALL),         TYPE(RET, RET),        TYPE(SYSCALL, SYSCALL),
	    TYPE(SYSRET, SYSRET),     TYPE(INT, UNKNOWN),    TYPE(IRET, ERET),
	    TYPE(JCC, COND),          TYPE(JMP, UNCOND),     TYPE(IRQ, IRQ),
	    TYPE(IND_CALL, IND_CALL), TYPE(ZERO_CALL, CALL), TYPE(IND_JMP, IND),
	    TYPE(ABORT, UNKNOWN),
#undef TYPE
	};

	kind &= BRANCH_ANY;
	return kind ? types[__builtin_ctz(kind)] : PERF_BR_UNKNOWN;
}
