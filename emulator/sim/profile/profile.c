/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows processors block by block: counts, samples, slices of time. */
#include "emulator/sim/profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/core_quantities.h"
#include "emulator/sim/profile/chain.h"
#include "emulator/sim/profile/frames.h"
#include "emulator/sim/profile/profile_state.h"
#include "emulator/sim/profile/stream.h"

#define WAIT_REACH 256  /* instructions between the waits of one loop */
#define SLICES_MAX 8192 /* then only marks begin new ones */
#define ALIGNED    0x1fffff

#define SLICE_LENGTH 20000000 /* instructions, at most */
#define BOOT_SECTOR  0x7c00

struct profile profile = {
    .new_image = PROFILE_NONE, .post = UINT64_MAX, .here = &profile.processors[0]};

bool profile_wants_core(void)
{
	return profile.machine.cycles;
}

unsigned profile_processor(void)
{
	return (unsigned)(profile.here - profile.processors);
}

void profile_switch(unsigned processor)
{
	if (processor >= PROFILE_PROCESSORS || processor == profile_processor())
		return;
	profile.here = &profile.processors[processor];
	chain_switch(processor);
}

uint64_t profile_instructions(void)
{
	return profile.instructions;
}

struct profile_when profile_now(void)
{
	if (!profile.ending)
		profile.ns = profile.machine.clock();
	return (struct profile_when){profile.instructions, profile.cycles, profile.ns};
}

bool profile_start(const struct profile_machine *machine)
{
	struct profile_head head = {.magic = PROFILE_MAGIC,
				    .version = PROFILE_VERSION,
				    .timed = machine->cycles != NULL,
				    .nr_events = profile_options.nr_events};

	profile.machine = *machine;
	if (!stream_open(profile_options.path)) {
		fprintf(stderr, "profile: cannot write '%s': %s\n", profile_options.path,
			strerror(errno));
		return false;
	}
	for (unsigned i = 0; i < profile_options.nr_events; i++)
		head.periods[i] = profile_options.events[i].period;
	profile.next = head.periods[0] ? head.periods[0] : UINT64_MAX;
	stream_put(PROFILE_HEAD, &head, sizeof(head), NULL, 0);
	profile.started = true;
	return true;
}

/* ---- slices ---- */

void profile_slice(enum profile_reason reason, uint64_t value)
{
	struct profile_slice slice = {.when = profile_now(), .reason = reason, .value = value};
	const struct profile_row *rows;
	uint64_t counts[PROFILE_COUNTS];

	if (profile.slices > SLICES_MAX && reason != SLICE_MARK && reason != SLICE_GUEST &&
	    reason != SLICE_RING3 && reason != SLICE_TIME && reason != SLICE_END)
		return;
	profile.slices++;
	profile.next_slice = profile.instructions + SLICE_LENGTH;
	if (profile.machine.counts) {
		profile.machine.counts(counts);
		for (unsigned i = 0; i < PROFILE_COUNTS; i++)
			slice.counts[i] = counts[i] - profile.counts[i];
		memcpy(profile.counts, counts, sizeof(counts));
	}
	slice.nr = (uint32_t)spots_slice(&rows);
	stream_put(PROFILE_SLICE, &slice, sizeof(slice), rows, slice.nr * sizeof(*rows));
	/* A machine that is ended by force leaves whole slices. */
	stream_flush();
}

void profile_new_image(uint32_t id)
{
	profile.new_image = id;
}

void profile_reach(unsigned stop)
{
	profile_slice(SLICE_MARK, stop);
	if (!profile_options.stops[stop].last)
		return;
	profile_end();
	profile.machine.stop();
}

void profile_mark(enum profile_reason reason, uint64_t value)
{
	if (profile.over)
		return;
	if (reason == SLICE_MARK)
		profile_reach((unsigned)value);
	else
		profile_slice(reason, value);
}

int profile_mark_at(uint64_t address)
{
	for (unsigned i = 0; i < profile_options.nr_stops; i++) {
		const struct profile_stop *stop = &profile_options.stops[i];

		if (stop->kind == STOP_ADDRESS && stop->address == address)
			return (int)i;
		if (stop->kind == STOP_UPPER && profile.upper &&
		    stop->address + profile.slide == address)
			return (int)i;
	}
	return -1;
}

/* The first code in the upper half is within 2 MiB, its alignment, of the kernel's start. */
static void note_upper(uint64_t start)
{
	profile.upper = true;
	if (profile_options.kernel)
		profile.slide =
		    (start & ~(uint64_t)ALIGNED) - (profile_options.kernel & ~(uint64_t)ALIGNED);
}

struct spot *profile_translate(const struct spot_code *code)
{
	if (profile.over)
		return NULL;
	if (code->start >> 63 && !profile.upper)
		note_upper(code->start);
	return spots_find(code);
}

static void enter_ring3(uint64_t start)
{
	profile.ring3 = true;
	profile_slice(SLICE_RING3, start);
	for (unsigned i = 0; i < profile_options.nr_stops; i++)
		if (profile_options.stops[i].kind == STOP_RING3)
			profile_reach(i);
}

/* Slices that the block itself begins. */
static void begin_slices(const struct spot *spot)
{
	static bool upper, sector;

	if (profile.new_image != PROFILE_NONE && spot->image == profile.new_image) {
		profile.image = spot->image;
		profile.new_image = PROFILE_NONE;
		profile_slice(SLICE_IMAGE, spot->image);
	}
	if (spot->start >> 63 && !upper) {
		upper = true;
		profile_slice(SLICE_UPPER, spot->start);
	}
	if (spot->start == BOOT_SECTOR && !sector) {
		sector = true;
		profile_slice(SLICE_SECTOR, spot->start);
	}
}

/* A block runs for the first time. */
static void begin_block(struct spot *spot)
{
	spot->ran = true;
	if (spot->image == PROFILE_NONE)
		return;
	if (spot->called && spot->image != profile.image &&
	    profile.image_slices[spot->image] != profile.slices)
		profile_slice(SLICE_AGAIN, spot->image);
	profile.image_slices[spot->image] = profile.slices;
}

/* ---- samples ---- */

/* Callers of the sampled block, which has just run: by the registers after it. A function that was
 * called and has left the frame pointer as it was has no frame of its own. */
static unsigned read_frames(uint64_t *sites, unsigned max)
{
	const struct profile_processor *here = profile.here;
	struct profile_registers now;
	struct frames_start start;

	if (!profile.machine.registers(&now))
		return 0;
	start = (struct frames_start){.stack = now.stack,
				      .frame = now.frame,
				      .stack_base = now.stack_base,
				      .code_base = now.code_base,
				      .bits = now.bits,
				      .returned =
					  here->running && here->running->ending == ENDING_RETURN,
				      .entered = here->called && here->registers.frame == now.frame,
				      .entry = here->registers.stack};
	return frames_read(&start, profile.machine.read, sites, max);
}

static unsigned read_callers(uint64_t *sites, unsigned max)
{
	switch (profile_options.chains) {
	case CHAINS_CALLS:
		return chain_read(sites, max);
	case CHAINS_FRAMES:
		return read_frames(sites, max);
	default:
		return 0;
	}
}

void profile_sample(unsigned event, uint64_t ip, uint64_t periods)
{
	uint64_t chain[PROFILE_CHAIN];
	struct profile_sample sample = {
	    .when = profile_now(),
	    .ip = ip,
	    .cr3 = profile.here->known ? profile.here->registers.cr3 : 0,
	    .periods = periods,
	    .event = event,
	    .block = profile.here->running ? profile.here->running->id : PROFILE_NONE};

	if (profile.over)
		return;
	sample.processor = profile_processor();
	if (profile.here->waiting)
		sample.flags |= SAMPLE_WAITS;
	if (profile.here->known && profile.here->registers.ring == 3)
		sample.flags |= SAMPLE_RING3;
	if (profile.here->known && profile.here->registers.smm)
		sample.flags |= SAMPLE_SMM;
	sample.nr = read_callers(chain, PROFILE_CHAIN);
	profile.samples++;
	stream_put(PROFILE_SAMPLE, &sample, sizeof(sample), chain, sample.nr * sizeof(*chain));
}

/* Returns the address of the nth instruction of a block. */
static uint64_t address_of(const struct spot *spot, uint64_t n)
{
	uint64_t address = spot->start;

	for (uint64_t i = 0; i < n && i + 1 < spot->nr; i++)
		address += spot->lengths[i];
	return address;
}

/* Without a core only instructions are sampled, at the very one. */
static void sample_instructions(const struct spot *ran)
{
	uint64_t period = profile_options.events[0].period;

	while (profile.instructions >= profile.next) {
		uint64_t before = profile.instructions - ran->nr;

		profile_sample(0, address_of(ran, profile.next - before - 1), 1);
		profile.next += period;
	}
}

/* ---- blocks ---- */

static enum chain_step step_of(const struct spot *before, const struct spot *spot)
{
	bool loops = spot->start >= before->start && spot->start < before->end;

	switch (before->ending) {
	case ENDING_CALL:
		return spot->start == before->target ? CHAIN_CALL : CHAIN_INTERRUPT;
	case ENDING_CALL_INDIRECT:
		return CHAIN_CALL;
	case ENDING_RETURN:
	case ENDING_FAR:
		return CHAIN_RETURN;
	case ENDING_JUMP_INDIRECT:
		return CHAIN_ON;
	case ENDING_JUMP:
		return spot->start == before->target ? CHAIN_ON : CHAIN_INTERRUPT;
	case ENDING_CONDITIONAL:
		return spot->start == before->end || spot->start == before->target
			   ? CHAIN_ON
			   : CHAIN_INTERRUPT;
	default:
		return spot->start == before->end || loops ? CHAIN_ON : CHAIN_INTERRUPT;
	}
}

/* Calls, returns and interrupts change the registers that a profile has. */
static void follow(const struct spot *before, struct spot *spot, enum chain_step step)
{
	spot->called |= step == CHAIN_CALL;
	if (step == CHAIN_ON || !profile.here->known)
		return;
	profile.here->called = step == CHAIN_CALL;
	if (profile_options.chains != CHAINS_CALLS)
		return;
	chain_follow(step, profile.here->registers.stack,
		     profile.here->registers.ring == 3 ? profile.here->registers.cr3 : 0,
		     step == CHAIN_CALL ? before->end - 1 : before->last);
}

/* Two waits close to each other are a loop that waits. */
static void note_wait(const struct spot *spot)
{
	if (spot->waits) {
		profile.here->waiting = profile.instructions - profile.here->last_wait < WAIT_REACH;
		profile.here->last_wait = profile.instructions;
	} else if (profile.here->waiting &&
		   profile.instructions - profile.here->last_wait >= WAIT_REACH) {
		profile.here->waiting = false;
	}
}

static void finish(struct spot *ran)
{
	uint64_t cycles = profile.machine.cycles ? profile.machine.cycles() : 0;

	spots_ran(ran, profile.here->waiting, cycles - profile.here->cycles);
	profile.cycles += cycles - profile.here->cycles;
	profile.here->cycles = cycles;
	profile.instructions += ran->nr;
	if (!profile.machine.cycles && profile.instructions >= profile.next)
		sample_instructions(ran);
}

/* Reads the registers, and by them the port and the data of the block before. */
static void look_at_registers(struct spot *before)
{
	struct profile_registers registers;

	profile.here->known = profile.machine.registers(&registers);
	if (!profile.here->known)
		return;
	if (before && before->port == PORT_IN)
		before->waits = profile_reads_timer(before, &registers);
	else if (before && before->port)
		profile_port(before, &registers);
	profile.here->registers = registers;
}

/* A block that has not run yet. */
static __attribute__((noinline)) void begin_first(struct spot *spot)
{
	begin_slices(spot);
	begin_block(spot);
}

void profile_block(struct spot *spot)
{
	struct spot *before = profile.here->running;
	enum chain_step step = CHAIN_INTERRUPT;

	if (profile.over)
		return;
	if (before) {
		finish(before);
		step = spot ? step_of(before, spot) : CHAIN_RETURN;
	}
	if (step != CHAIN_ON || before->port)
		look_at_registers(before);
	profile.here->running = spot;
	if (!spot || profile.over)
		return;
	if (before)
		follow(before, spot, step);
	note_wait(spot);
	if (!spot->ran)
		begin_first(spot);
	if (!profile.ring3 && profile.here->known && profile.here->registers.ring == 3)
		enter_ring3(spot->start);
	if (profile.instructions >= profile.next_slice)
		profile_slice(SLICE_TIME, 0);
}

void profile_end(void)
{
	struct profile_end end;

	if (!profile.started || profile.over)
		return;
	profile.ending = true;
	for (unsigned i = 0; i < PROFILE_PROCESSORS; i++) {
		profile.here = &profile.processors[i];
		if (profile.here->running)
			finish(profile.here->running);
	}
	profile_flush_lines();
	profile_slice(SLICE_END, 0);
	spots_put_called();
	end = (struct profile_end){profile_now(), profile.samples, spots_dropped()};
	stream_put(PROFILE_END, &end, sizeof(end), NULL, 0);
	stream_flush();
	profile.over = true;
}
