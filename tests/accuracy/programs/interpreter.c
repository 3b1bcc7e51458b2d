/* SPDX-License-Identifier: BSD-2-Clause */
/* Interprets a small program in its own instructions: an indirect jump for each. */
#include "tests/accuracy/programs/program.h"

enum { PUSH, ADD, MULTIPLY, SWAP, DECREMENT, JUMP_NONZERO, HALT };

static uint64_t run(const uint8_t *code, uint64_t rounds)
{
	uint64_t stack[16] = {rounds}, *top = stack + 1;

	*top = 1;
	for (const uint8_t *at = code;;)
		switch (*at++) {
		case PUSH:
			*++top = *at++;
			break;
		case ADD:
			top--;
			*top += top[1];
			break;
		case MULTIPLY:
			top--;
			*top *= top[1];
			break;
		case SWAP: {
			uint64_t first = *top;

			*top = top[-1];
			top[-1] = first;
			break;
		}
		case DECREMENT:
			--*top;
			break;
		case JUMP_NONZERO:
			at = *top ? code + *at : at + 1;
			break;
		default:
			return top[-1];
		}
}

int main(int argc, char **argv)
{
	/* times 3, plus 7, as often as the counter below says */
	static const uint8_t loop[] = {PUSH, 3,         MULTIPLY,     PUSH,         7,    ADD,
				       SWAP, DECREMENT, JUMP_NONZERO, 11,           HALT, SWAP,
				       PUSH, 0,         ADD,          JUMP_NONZERO, 0,    HALT};

	return program_end(run(loop, program_size(argc, argv, 60000)));
}
