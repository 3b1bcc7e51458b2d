/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU runs the processors of one thread one after the other, each until the next timer unless its
 * turn is ended. Turns are short while lines move between processors or one waits for another; they
 * double after a while without. All of it depends on what the guest does alone, so runs repeat.
 */
#include "emulator/sim/plugin/plugin_turns.h"

#include "emulator/sim/memory/moves.h"
#include "emulator/sim/plugin/plugin_clock.h"
#include "emulator/sim/plugin/qemu/stop.h"

#define QUIET_TURNS       8  /* without sharing, after which turns double */
#define BLOCKS_AFTER_LOCK 4  /* before the turn ends */
#define MOVE_WINDOW       64 /* turns within which a line that moves again is shared */
#define LINE              64 /* bytes */

static struct {
	unsigned now;   /* instructions of a turn */
	unsigned quiet; /* turns since they were shortened or doubled */
	unsigned last;  /* whose turn it is */
	uint64_t seen;  /* moves->again */
} turns;

void plugin_turns_setup(struct shared_cache *shared)
{
	turns.now = plugin.words.turn;
	turns.last = CORE_PROCESSORS;
	plugin.moves = shared_cache_moves(shared);
	plugin.moves->window = MOVE_WINDOW;
}

static unsigned shortest(void)
{
	unsigned shortest = plugin.words.config.turn;

	return shortest && shortest < plugin.words.turn ? shortest : plugin.words.turn;
}

static void shorten(void)
{
	turns.now = shortest();
	turns.quiet = 0;
}

static void lengthen(void)
{
	if (turns.now == plugin.words.turn || ++turns.quiet < QUIET_TURNS)
		return;
	turns.quiet = 0;
	turns.now = 2 * turns.now < plugin.words.turn ? 2 * turns.now : plugin.words.turn;
}

/* The next block begins a turn, whosever it is. */
static void end_turn(unsigned vcpu)
{
	turns.last = CORE_PROCESSORS;
	plugin_end_turn(vcpu);
}

/* `waiting`: instructions of the block that begins. */
static void begin_turn(struct processor *p, unsigned vcpu, unsigned waiting)
{
	turns.last = vcpu;
	p->ran = p->hidden = p->blocks = 0;
	p->paused = p->waits == CODE_PAUSES;
	if (plugin.moves) {
		plugin.moves->turn++;
		lengthen();
		plugin_clock_turn(p, vcpu, waiting, turns.now);
	}
	p->waits = CODE_GOES_ON;
}

/* QEMU looks at its timers where it is asked to before a processor's turn: always, or what another
 * thread of QEMU's does with a timer that is just due would change who runs next. */
static void look_at_turn(struct processor *p, unsigned vcpu, unsigned waiting)
{
	if (vcpu + 1 < plugin.nr_processors)
		plugin_end_turn(vcpu + 1);
	if (turns.last != vcpu || p->waits != CODE_GOES_ON)
		begin_turn(p, vcpu, waiting);
}

void plugin_turn_hidden(struct processor *p, unsigned vcpu, unsigned instructions,
			enum code_wait waits)
{
	look_at_turn(p, vcpu, instructions);
	p->hidden += instructions;
	if (waits == CODE_HALTS)
		p->waits = waits;
	if (p->hidden < plugin.words.turn)
		return;
	end_turn(vcpu);
}

/* Lines have moved again since the last look. */
static bool is_sharing(void)
{
	bool moved = plugin.moves->again != turns.seen;

	turns.seen = plugin.moves->again;
	return moved;
}

void plugin_turn_block(struct processor *p, unsigned vcpu, const struct code_block *block)
{
	look_at_turn(p, vcpu, block->counted);
	p->ran += block->nr;
	p->waits = block->waits;
	core_polls(p->core, block->waits == CODE_PAUSES);
	if (is_sharing() || (p->waits == CODE_PAUSES && !p->paused))
		shorten();
	p->loops = block->target == block->start;
	if (p->ran >= turns.now || (p->blocks ? !--p->blocks : p->clock.ahead))
		end_turn(vcpu);
}

/* A plain store to the line of the last locked access releases a lock: like that access, it waits
 * for the processors that poll the line by exchanges. */
void plugin_turn_stored(struct processor *p, uint64_t vaddr)
{
	if (!plugin.moves || vaddr / LINE != p->locked_line)
		return;
	p->locked_line = 0;
	core_contends(p->core, vaddr);
}

/* A loop of locked accesses ends its turn with each; other code looks first whether it has to wait,
 * as for a lock that another processor holds. */
void plugin_turn_locked(struct processor *p, unsigned vcpu, uint64_t vaddr)
{
	if (!plugin.moves)
		return;
	p->locked_line = vaddr / LINE;
	if (!is_sharing()) {
		core_contends(p->core, vaddr);
		return;
	}
	shorten();
	if (p->loops)
		end_turn(vcpu);
	else if (!p->blocks)
		p->blocks = BLOCKS_AFTER_LOCK;
}
