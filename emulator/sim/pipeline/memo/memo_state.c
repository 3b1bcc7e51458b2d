/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs a pipeline's state. Times are cycles relative to the present one. All past times are equal,
 * except times of which later code takes differences: they are kept back to FLOOR cycles ago.
 */
#include "emulator/sim/pipeline/memo/memo_state.h"

#include "emulator/sim/pipeline/memo/memo.h"

#include <string.h>

_Static_assert(TIME_RETIRED + 2 == TIME_STORED && TIME_BRANCH == TIME_RETIRED + 1, "FLOORED");

#define FLOOR   512 /* more than a segment has slots or stores */
#define WORDS   TIME_STORED
#define FLOORED TIME_RETIRED /* the words from here on are from FLOOR on */
#define FIRST   2            /* offset of the words: now and the bubble are before them */
#define FILLS   (FIRST + WORDS + ALL_PORTS + 5) /* the fill buffers': port_last, drained, missing */

static void memo_state_put(struct packed *packed, uint64_t value)
{
	packed->too_far |= value > UINT16_MAX;
	packed->words[packed->nr++] = value;
}

static void put_time(struct packed *packed, uint64_t time, uint64_t base, unsigned below)
{
	memo_state_put(packed, time + below > base ? time + below - base : 0);
}

static void put_times(struct packed *packed, const uint64_t *times, unsigned nr, uint64_t base)
{
	uint16_t *words = packed->words + packed->nr;
	uint64_t any = 0;

	for (unsigned i = 0; i < nr; i++) {
		uint64_t left = times[i] > base ? times[i] - base : 0;

		words[i] = left;
		any |= left;
	}
	packed->too_far |= any > UINT16_MAX;
	packed->nr += nr;
}

/* Puts the number of the entries that follow, of `words` words each. Returns it; 0 without room
 * for them. */
static unsigned put_count(struct packed *packed, unsigned nr, unsigned words)
{
	bool fits = packed->nr + 1 + nr * words < PACKED_MAX;

	packed->too_far |= !fits;
	memo_state_put(packed, nr);
	return fits ? nr : 0;
}

static void put_window(struct packed *packed, const struct pipeline *pipeline)
{
	unsigned first = pipeline->first, nr;

	while (first != pipeline->end &&
	       pipeline->window[first % WINDOW].retired <= pipeline->cycles)
		first++;
	nr = put_count(packed, pipeline->end - first, 3);
	for (unsigned i = 0; i < nr; i++) {
		const struct in_flight *entry = &pipeline->window[(first + i) % WINDOW];

		put_time(packed, entry->retired, pipeline->cycles, 0);
		memo_state_put(packed, entry->slots);
		memo_state_put(packed, entry->loads);
	}
}

static void put_stores(struct packed *packed, const struct pipeline *pipeline)
{
	unsigned first = pipeline->first_store, nr;

	while (first != pipeline->end_store &&
	       pipeline->storing[first % STORE_WINDOW].drained <= pipeline->cycles)
		first++;
	nr = put_count(packed, pipeline->end_store - first, 2);
	for (unsigned i = 0; i < nr; i++) {
		const struct draining *entry = &pipeline->storing[(first + i) % STORE_WINDOW];

		put_time(packed, entry->drained, pipeline->cycles, 0);
		memo_state_put(packed, entry->stores);
	}
}

/* The buffers are interchangeable: the latest first. */
static void put_fills(struct packed *packed, const struct pipeline *pipeline)
{
	unsigned nr = pipeline->config->memory.fill_buffers, at = packed->nr, i;

	memo_state_put(packed, 0);
	for (unsigned buffer = 0; buffer < nr && buffer < FILL_BUFFERS_MAX; buffer++) {
		uint16_t *words = packed->words;

		if (pipeline->times.fill[buffer] <= pipeline->cycles)
			continue;
		put_time(packed, pipeline->times.fill[buffer], pipeline->cycles, 0);
		words[at]++;
		for (i = packed->nr - 1; i > at + 1 && words[i] > words[i - 1]; i--) {
			uint16_t earlier = words[i - 1];

			words[i - 1] = words[i];
			words[i] = earlier;
		}
	}
}

bool state_pack(const struct pipeline *pipeline, struct packed *packed)
{
	const struct times *times = &pipeline->times;
	uint64_t base = pipeline->cycles;
	bool waits = pipeline->resume * CYCLE_TICKS > pipeline->now;

	packed->nr = 0;
	packed->too_far = false;
	memo_state_put(packed, waits ? 0 : pipeline->now - base * CYCLE_TICKS);
	memo_state_put(packed, waits ? 0 : pipeline->bubble);
	put_times(packed, times->word, FLOORED, base);
	put_time(packed, times->word[TIME_RETIRED], base, FLOOR);
	put_time(packed, times->word[TIME_BRANCH], base, FLOOR);
	put_times(packed, times->port, ALL_PORTS, base * PORT_PARTS);
	put_time(packed, times->port_last, base, 0);
	put_time(packed, times->drained, base * DRAIN_PARTS, FLOOR * DRAIN_PARTS);
	put_times(packed, pipeline->missing, 3, base);
	put_fills(packed, pipeline);
	put_window(packed, pipeline);
	put_stores(packed, pipeline);
	return !packed->too_far;
}

static uint64_t time_of(uint16_t word, uint64_t base, unsigned below)
{
	return base + word > below ? base + word - below : 0;
}

uint64_t state_word(const struct pipeline *pipeline, unsigned word)
{
	if (!pipeline->at)
		return pipeline->times.word[word];
	return time_of(pipeline->at->words[FIRST + word], pipeline->cycles,
		       word >= FLOORED ? FLOOR : 0);
}

static const uint16_t *get_window(struct pipeline *pipeline, const uint16_t *words)
{
	pipeline->first = pipeline->slots = pipeline->loads = 0;
	pipeline->end = *words++;
	for (unsigned i = 0; i < pipeline->end; i++, words += 3) {
		pipeline->window[i] =
		    (struct in_flight){pipeline->cycles + words[0], words[1], words[2]};
		pipeline->slots += words[1];
		pipeline->loads += words[2];
	}
	return words;
}

static void get_stores(struct pipeline *pipeline, const uint16_t *words)
{
	pipeline->first_store = pipeline->stores = 0;
	pipeline->end_store = *words++;
	for (unsigned i = 0; i < pipeline->end_store; i++, words += 2) {
		pipeline->storing[i] = (struct draining){pipeline->cycles + words[0], words[1]};
		pipeline->stores += words[1];
	}
}

/* Returns the address after them. */
static const uint16_t *get_fills(const struct pipeline *pipeline, const uint16_t *words,
				 uint64_t fill[FILL_BUFFERS_MAX])
{
	unsigned nr = *words++;

	memset(fill, 0, pipeline->config->memory.fill_buffers * sizeof(*fill));
	for (unsigned i = 0; i < nr; i++)
		fill[i] = pipeline->cycles + *words++;
	return words;
}

unsigned state_filled(const struct pipeline *pipeline)
{
	return pipeline->at ? pipeline->at->words[FILLS] : pipeline->config->memory.fill_buffers;
}

void state_fills(const struct pipeline *pipeline, uint64_t fill[FILL_BUFFERS_MAX])
{
	if (pipeline->at)
		get_fills(pipeline, pipeline->at->words + FILLS, fill);
	else
		memcpy(fill, pipeline->times.fill,
		       pipeline->config->memory.fill_buffers * sizeof(*fill));
}

void state_unpack(struct pipeline *pipeline, const uint16_t *words)
{
	struct times *times = &pipeline->times;
	uint64_t base = pipeline->cycles;

	pipeline->resume = 0;
	pipeline->now = base * CYCLE_TICKS + *words++;
	pipeline->bubble = *words++;
	for (unsigned i = 0; i < FLOORED; i++)
		times->word[i] = base + *words++;
	for (unsigned i = FLOORED; i < WORDS; i++)
		times->word[i] = time_of(*words++, base, FLOOR);
	for (unsigned i = 0; i < ALL_PORTS; i++)
		times->port[i] = base * PORT_PARTS + *words++;
	times->port_last = base + *words++;
	times->drained = time_of(*words++, base * DRAIN_PARTS, FLOOR * DRAIN_PARTS);
	for (unsigned i = 0; i < 3; i++)
		pipeline->missing[i] = base + *words++;
	words = get_fills(pipeline, words, times->fill);
	words = get_window(pipeline, words);
	get_stores(pipeline, words);
}

uint64_t packed_hash(struct packed *packed)
{
	uint64_t hash = packed->nr, four;

	while (packed->nr % 4 && packed->nr < PACKED_MAX)
		packed->words[packed->nr++] = 0;
	for (unsigned i = 0; i + 4 <= packed->nr; i += 4) {
		memcpy(&four, packed->words + i, sizeof(four));
		hash = key_with(hash, four);
	}
	return hash;
}
