/* SPDX-License-Identifier: BSD-2-Clause */
/* An LZMA decoder (I. Pavlov, "LZMA specification", 2015). Each read and each copy is checked: the
 * stream may be damaged. */
#include "host/profile/names/lzma.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/text.h"

#define HEADER       13
#define TOP          (1u << 24)
#define MODEL_BITS   11
#define MOVE_BITS    5
#define HALF         (1u << (MODEL_BITS - 1))
#define STATES       12
#define POSITIONS    16 /* states of a position, at most */
#define LENGTHS      4  /* classes of lengths for distances */
#define MATCH_MIN    2
#define SLOTS        64
#define ALIGN_BITS   4
#define SLOT_DIRECT  14 /* from this slot on distances have direct bits */
#define SPECIAL_MAX  115
#define LITERAL_SIZE 0x300

typedef uint16_t chance;

struct lengths {
	chance choice, choice2, low[POSITIONS][8], middle[POSITIONS][8], high[256];
};

struct decoder {
	const unsigned char *in, *end;
	uint32_t range, code;
	unsigned context, positions, literals; /* lc, pb, lp */
	chance is_match[STATES][POSITIONS], is_repeat[STATES], is_repeat0[STATES];
	chance is_repeat0_long[STATES][POSITIONS], is_repeat1[STATES], is_repeat2[STATES];
	chance slots[LENGTHS][SLOTS], special[SPECIAL_MAX], align[1 << ALIGN_BITS];
	struct lengths match, repeat;
	chance *literal;
	uint32_t repeats[4];
	unsigned state;
	unsigned char *out;
	size_t done, size;
	bool bad;
};

/* ---- the range decoder ---- */

static void normalise(struct decoder *d)
{
	if (d->range >= TOP)
		return;
	if (d->in == d->end) {
		d->bad = true;
		return;
	}
	d->range <<= 8;
	d->code = d->code << 8 | *d->in++;
}

static unsigned bit(struct decoder *d, chance *model)
{
	uint32_t bound = (d->range >> MODEL_BITS) * *model;
	unsigned value = d->code >= bound;

	if (value) {
		*model = (chance)(*model - (*model >> MOVE_BITS));
		d->code -= bound;
		d->range -= bound;
	} else {
		*model = (chance)(*model + (((1u << MODEL_BITS) - *model) >> MOVE_BITS));
		d->range = bound;
	}
	normalise(d);
	return value;
}

static uint32_t direct_bits(struct decoder *d, unsigned nr)
{
	uint32_t value = 0;

	while (nr--) {
		d->range >>= 1;
		value = value << 1 | (d->code >= d->range);
		if (value & 1)
			d->code -= d->range;
		normalise(d);
	}
	return value;
}

static unsigned tree(struct decoder *d, chance *models, unsigned bits)
{
	unsigned node = 1;

	for (unsigned i = 0; i < bits; i++)
		node = node << 1 | bit(d, &models[node]);
	return node - (1u << bits);
}

static unsigned reverse_tree(struct decoder *d, chance *models, unsigned bits)
{
	unsigned node = 1, value = 0;

	for (unsigned i = 0; i < bits; i++) {
		unsigned b = bit(d, &models[node]);

		node = node << 1 | b;
		value |= b << i;
	}
	return value;
}

/* ---- symbols ---- */

static unsigned length(struct decoder *d, struct lengths *l, unsigned position)
{
	if (!bit(d, &l->choice))
		return tree(d, l->low[position], 3);
	if (!bit(d, &l->choice2))
		return 8 + tree(d, l->middle[position], 3);
	return 16 + tree(d, l->high, 8);
}

static uint32_t distance(struct decoder *d, unsigned length)
{
	unsigned class = length < LENGTHS ? length : LENGTHS - 1,
		 slot = tree(d, d->slots[class], 6), bits = (slot >> 1) - 1;
	uint32_t value;

	if (slot < 4)
		return slot;
	value = (2 | (slot & 1)) << bits;
	if (slot < SLOT_DIRECT)
		return value + reverse_tree(d, d->special + value - slot, bits);
	value += direct_bits(d, bits - ALIGN_BITS) << ALIGN_BITS;
	return value + reverse_tree(d, d->align, ALIGN_BITS);
}

static unsigned before(const struct decoder *d, uint32_t distance)
{
	return distance < d->done ? d->out[d->done - distance - 1] : 0;
}

static void lzma_put(struct decoder *d, unsigned byte)
{
	if (d->done == d->size)
		d->bad = true;
	else
		d->out[d->done++] = (unsigned char)byte;
}

static void literal(struct decoder *d)
{
	unsigned low = (unsigned)d->done & ((1u << d->literals) - 1),
		 place = (low << d->context) + (before(d, 0) >> (8 - d->context)), symbol = 1;
	chance *models = d->literal + LITERAL_SIZE * place;

	if (d->state >= 7) {
		unsigned match = before(d, d->repeats[0]), offset = 0x100;

		while (symbol < 0x100 && !d->bad) {
			unsigned expected = match >> 7 & 1,
				 got = bit(d, &models[offset + (expected << 8) + symbol]);

			match <<= 1;
			symbol = symbol << 1 | got;
			if (expected != got)
				break;
		}
	}
	while (symbol < 0x100 && !d->bad)
		symbol = symbol << 1 | bit(d, &models[symbol]);
	lzma_put(d, symbol);
	d->state = d->state < 4 ? 0 : d->state < 10 ? d->state - 3 : d->state - 6;
}

static void copy(struct decoder *d, unsigned nr)
{
	if (d->repeats[0] >= d->done) {
		d->bad = true;
		return;
	}
	while (nr-- && !d->bad)
		lzma_put(d, before(d, d->repeats[0]));
}

/* Takes one of the last distances to the front. */
static void take_repeat(struct decoder *d, unsigned n)
{
	uint32_t distance = d->repeats[n];

	memmove(d->repeats + 1, d->repeats, n * sizeof(d->repeats[0]));
	d->repeats[0] = distance;
}

static void repeat(struct decoder *d, unsigned position)
{
	unsigned state = d->state;

	if (bit(d, &d->is_repeat0[state])) {
		take_repeat(d, !bit(d, &d->is_repeat1[state])   ? 1
			       : !bit(d, &d->is_repeat2[state]) ? 2
								: 3);
	} else if (!bit(d, &d->is_repeat0_long[state][position])) {
		d->state = state < 7 ? 9 : 11;
		copy(d, 1);
		return;
	}
	d->state = state < 7 ? 8 : 11;
	copy(d, MATCH_MIN + length(d, &d->repeat, position));
}

/* Returns false at the mark of the end. */
static bool match(struct decoder *d, unsigned position)
{
	unsigned nr = length(d, &d->match, position);

	take_repeat(d, 3);
	d->repeats[0] = distance(d, nr);
	d->state = d->state < 7 ? 7 : 10;
	if (d->repeats[0] == UINT32_MAX)
		return false;
	copy(d, MATCH_MIN + nr);
	return true;
}

static void decode(struct decoder *d)
{
	while (d->done < d->size && !d->bad) {
		unsigned position = (unsigned)d->done & ((1u << d->positions) - 1);

		if (!bit(d, &d->is_match[d->state][position]))
			literal(d);
		else if (bit(d, &d->is_repeat[d->state]))
			repeat(d, position);
		else if (!match(d, position))
			break;
	}
}

/* ---- start ---- */

static void even_chances(chance *models, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*models); i++)
		models[i] = HALF;
}

static bool begin(struct decoder *d, const unsigned char *bytes)
{
	unsigned properties = bytes[0];
	size_t models;

	if (properties >= 9 * 5 * 5)
		return false;
	d->context = properties % 9;
	d->literals = properties / 9 % 5;
	d->positions = properties / 45;
	even_chances(&d->is_match[0][0],
		     offsetof(struct decoder, literal) - offsetof(struct decoder, is_match));
	models = (size_t)LITERAL_SIZE << (d->context + d->literals);
	d->literal = allocate(models * sizeof(chance));
	even_chances(d->literal, models * sizeof(chance));
	d->range = UINT32_MAX;
	for (unsigned i = 1; i < 5; i++)
		d->code = d->code << 8 | bytes[HEADER + i];
	return true;
}

bool lzma_decompress(const unsigned char *bytes, size_t size, size_t max, struct buffer *out)
{
	struct decoder *d;
	uint64_t whole = 0;
	bool good;

	if (size < HEADER + 5)
		return false;
	memcpy(&whole, bytes + 5, sizeof(whole));
	if (!whole || whole > max)
		return false;
	d = allocate(sizeof(*d));
	d->in = bytes + HEADER + 5;
	d->end = bytes + size;
	d->size = whole;
	d->out = buffer_reserve(out, whole);
	if (begin(d, bytes))
		decode(d);
	good = !d->bad && d->done == d->size;
	out->size = good ? whole : 0;
	free(d->literal);
	free(d);
	return good;
}
