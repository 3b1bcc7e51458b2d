/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine of registers whose program is a table, by a switch: an indirect jump an instruction. */
#include "tests/accuracy/programs/program.h"

enum op { SET, ADD, MULTIPLY, XOR, SHIFT, LOAD, STORE, LESS, JUMP_IF, END };

struct insn {
	uint8_t op, to, a, b;
	int32_t number;
};

/* for (r1 = 0; r1 < r2; r1++) { if (r3 < r4) r3 = memory[r3] * 5 ^ r1; memory[r1] = r3 >> 1; } */
static const struct insn code[] = {
    {SET, 1, 0, 0, 0},       {SET, 5, 0, 0, 1},      {SET, 4, 0, 0, 1 << 30}, {SET, 6, 0, 0, 5},
    {LESS, 7, 3, 4, 0},      {JUMP_IF, 0, 7, 0, 2},  {SHIFT, 3, 3, 0, 3},     {SET, 7, 0, 0, 1},
    {LOAD, 8, 3, 0, 0},      {MULTIPLY, 3, 8, 6, 0}, {XOR, 3, 3, 1, 0},       {SHIFT, 9, 3, 0, 1},
    {STORE, 0, 1, 9, 0},     {ADD, 3, 3, 9, 0},      {ADD, 1, 1, 5, 0},       {LESS, 7, 1, 2, 0},
    {JUMP_IF, 0, 7, 0, -13}, {END, 0, 0, 0, 0},
};

static uint64_t run(uint64_t rounds)
{
	static uint32_t memory[4096];
	uint64_t r[16] = {[2] = rounds, [3] = 12345};

	for (const struct insn *i = code;; i++)
		switch (i->op) {
		case SET:
			r[i->to] = (uint64_t)i->number;
			break;
		case ADD:
			r[i->to] = r[i->a] + r[i->b];
			break;
		case MULTIPLY:
			r[i->to] = (uint32_t)(r[i->a] * r[i->b]);
			break;
		case XOR:
			r[i->to] = r[i->a] ^ r[i->b];
			break;
		case SHIFT:
			r[i->to] = r[i->a] >> i->number;
			break;
		case LOAD:
			r[i->to] = memory[r[i->a] % 4096] + r[i->a];
			break;
		case STORE:
			memory[r[i->a] % 4096] = (uint32_t)r[i->b];
			break;
		case LESS:
			r[i->to] = r[i->a] < r[i->b];
			break;
		case JUMP_IF:
			i += r[i->a] ? i->number : 0;
			break;
		default:
			return r[3];
		}
}

int main(int argc, char **argv)
{
	return program_end(run(program_size(argc, argv, 600000)));
}
