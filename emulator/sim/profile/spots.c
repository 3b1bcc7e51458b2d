/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of executed blocks, by address, code and image. */
#include "emulator/sim/profile/spots.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/profile/stream.h"

#define SPOTS_MAX (1u << 20)
#define BUCKETS   (1u << 17)

static struct spot *buckets[BUCKETS], **all, *dirty;
static uint32_t nr_spots, room;
static size_t nr_dirty;
static uint64_t nr_dropped;

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const struct spot_code *code)
{
	uint64_t hash = 0xcbf29ce484222325 ^ code->start ^ (uint64_t)code->image << 40;

	for (unsigned i = 0; i < code->size; i++)
		hash = (hash ^ code->bytes[i]) * 0x100000001b3;
	return hash;
}

static bool append(struct spot *spot)
{
	if (nr_spots == room) {
		uint32_t wider = room ? 2 * room : 4096;
		struct spot **grown = realloc(all, wider * sizeof(*all));

		if (!grown)
			return false;
		all = grown;
		room = wider;
	}
	spot->id = nr_spots;
	all[nr_spots++] = spot;
	return true;
}

static void put_record(const struct spot *spot, const struct spot_code *code)
{
	struct profile_block block = {.start = code->start,
				      .target = code->target,
				      .id = spot->id,
				      .image = code->image,
				      .bytes = (uint16_t)code->size,
				      .instructions = (uint16_t)code->nr,
				      .bits = (uint8_t)code->bits,
				      .ending = code->ending};
	uint8_t rest[PROFILE_CODE + PROFILE_CODE];

	memcpy(rest, code->bytes, code->size);
	memcpy(rest + code->size, code->lengths, code->nr);
	stream_put(PROFILE_BLOCK, &block, sizeof(block), rest, code->size + code->nr);
}

/* SDM volume 2: E4H to E7H and ECH to EFH are IN and OUT, 6CH to 6FH INS and OUTS. */
static void find_port(struct spot *spot, const uint8_t *insn, unsigned length)
{
	unsigned at = 0;
	uint8_t opcode;

	while (at < length && (insn[at] == 0x66 || insn[at] == 0x67 || (insn[at] & 0xfe) == 0xf2))
		at++;
	if (at == length)
		return;
	opcode = insn[at];
	spot->access = opcode & 1 ? 4 : 1;
	if ((opcode & 0xfe) == 0x6e)
		spot->port = PORT_OUT_STRING;
	else if ((opcode & 0xf6) == 0xe6)
		spot->port = PORT_OUT;
	else if ((opcode & 0xf6) == 0xe4)
		spot->port = PORT_IN;
	if ((opcode & 0xfc) == 0xe4 && at + 1 < length)
		spot->immediate = insn[at + 1];
}

static struct spot *make(const struct spot_code *code, uint64_t hash)
{
	struct spot *spot = calloc(1, sizeof(*spot) + code->nr);
	unsigned last = code->lengths[code->nr - 1];

	if (!spot)
		return NULL;
	spot->lengths = memcpy(spot + 1, code->lengths, code->nr);
	spot->start = code->start;
	spot->end = code->start + code->size;
	spot->last = spot->end - last;
	spot->target = code->target;
	spot->nr = code->nr;
	spot->image = code->image;
	spot->ending = code->ending;
	spot->waits = code->waits;
	spot->hash = hash;
	if (code->ending == ENDING_PLAIN)
		find_port(spot, code->bytes + code->size - last, last);
	return spot;
}

struct spot *spots_find(const struct spot_code *code)
{
	uint64_t hash = hash_of(code);
	struct spot **bucket = &buckets[(hash ^ hash >> 32) % BUCKETS], *spot;

	for (spot = *bucket; spot; spot = spot->next)
		if (spot->hash == hash && spot->start == code->start && spot->nr == code->nr &&
		    spot->image == code->image)
			return spot;
	spot = nr_spots < SPOTS_MAX && code->size <= PROFILE_CODE ? make(code, hash) : NULL;
	if (!spot || !append(spot)) {
		free(spot);
		nr_dropped++;
		return NULL;
	}
	spot->next = *bucket;
	*bucket = spot;
	put_record(spot, code);
	return spot;
}

void spots_ran(struct spot *spot, bool waiting, uint64_t cycles)
{
	if (!spot->runs[0] && !spot->runs[1]) {
		spot->dirty = dirty;
		dirty = spot;
		nr_dirty++;
	}
	spot->runs[waiting]++;
	spot->cycles[waiting] += cycles;
}

size_t spots_slice(const struct profile_row **rows)
{
	static struct profile_row *kept;
	static size_t kept_room;
	size_t n = 0;

	if (nr_dirty > kept_room) {
		free(kept);
		kept = calloc(nr_dirty, sizeof(*kept));
		kept_room = kept ? nr_dirty : 0;
	}
	for (struct spot *spot = dirty; spot; spot = spot->dirty) {
		if (n < kept_room)
			kept[n++] =
			    (struct profile_row){.block = spot->id,
						 .runs = {spot->runs[0], spot->runs[1]},
						 .cycles = {spot->cycles[0], spot->cycles[1]}};
		memset(spot->runs, 0, sizeof(spot->runs));
		memset(spot->cycles, 0, sizeof(spot->cycles));
	}
	dirty = NULL;
	nr_dirty = 0;
	*rows = kept;
	return n;
}

void spots_put_called(void)
{
	uint32_t *ids = calloc(nr_spots + 2, sizeof(*ids));
	uint32_t n = 0;

	for (uint32_t i = 0; ids && i < nr_spots; i++)
		if (all[i]->called)
			ids[2 + n++] = i;
	if (ids) {
		ids[0] = n;
		stream_put(PROFILE_CALLED, ids, (2 + (size_t)n) * sizeof(*ids), NULL, 0);
	}
	free(ids);
}

uint64_t spots_dropped(void)
{
	return nr_dropped;
}
