/* SPDX-License-Identifier: BSD-2-Clause */
/* A table by line, in which the latest line of a place stays. */
#include "emulator/sim/memory/moves.h"

#include <stddef.h>

#define WAIT_MAX 8000  /* cycles: an access has 8191 at most */
#define LATE_MAX 16000 /* beyond it the clocks are too far apart to compare */

static unsigned place_of(uint64_t line)
{
	return (unsigned)((line ^ line >> 8) % MOVES_LINES);
}

void moves_note(struct moves *moves, uint64_t line)
{
	unsigned place = place_of(line);

	if (moves->lines[place].line == line) {
		moves->again += moves->turn - moves->lines[place].turn <= moves->window;
	} else {
		moves->lines[place].line = line;
		moves->lines[place].ready = 0;
		moves->lines[place].owner = NULL;
	}
	moves->lines[place].turn = moves->turn;
}

uint32_t moves_wait(struct moves *moves, const struct move *move)
{
	unsigned place = place_of(move->line);
	int64_t ready = moves->lines[place].ready;

	if (!moves->clocked || moves->lines[place].line != move->line ||
	    moves->lines[place].owner == move->taker)
		return move->latency;
	if (ready < move->now || ready - move->now > LATE_MAX)
		ready = move->now;
	ready += move->latency;
	if (move->takes) {
		moves->lines[place].ready = ready;
		moves->lines[place].owner = move->taker;
	}
	return ready - move->now < WAIT_MAX ? (uint32_t)(ready - move->now) : WAIT_MAX;
}
