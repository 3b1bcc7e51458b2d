/* SPDX-License-Identifier: BSD-2-Clause */
/* Summarises a segment: the delay of each result after the segment's start and its inputs. */
#include <string.h>

#include "emulator/sim/pipeline/memo/segment.h"

/* Cycles after each input; the last one is the segment's start. */
struct path {
	int16_t after[SUMMARY_INPUTS + 1];
};

#define BEGIN SUMMARY_INPUTS

struct summing {
	struct segment *segment;
	struct path words[TIME_WORDS];
	bool written[TIME_WORDS];
	uint8_t input_of[TIME_WORDS]; /* its number + 1 */
	bool impossible;
};

/* Drops results that a later micro-operation of the segment overwrites before they are read. */
static void drop_unread(struct segment *segment)
{
	bool read[TIME_WORDS];

	for (unsigned word = 0; word < TIME_WORDS; word++)
		read[word] = word < REG_ZERO;
	for (unsigned i = segment->uop_count; i-- > 0;) {
		struct uop *uop = &segment->uops[i];
		unsigned kept = 0;

		for (unsigned r = 0; r < UOP_RESULTS; r++) {
			uint8_t word = uop->result[r];

			uop->result[r] = REG_SINK;
			if (word != REG_SINK && read[word])
				uop->result[kept++] = word;
		}
		for (unsigned r = 0; r < kept; r++)
			read[uop->result[r]] = false;
		for (unsigned s = 0; s < UOP_SOURCES; s++)
			read[uop->source[s]] = true;
	}
}

static void take_maximum(struct path *path, const struct path *other)
{
	for (unsigned i = 0; i <= BEGIN; i++)
		if (other->after[i] > path->after[i])
			path->after[i] = other->after[i];
}

static void clear(struct path *path)
{
	for (unsigned i = 0; i <= BEGIN; i++)
		path->after[i] = SUMMARY_NEVER;
}

static void add_latency(struct path *path, unsigned latency)
{
	for (unsigned i = 0; i <= BEGIN; i++)
		if (path->after[i] != SUMMARY_NEVER)
			path->after[i] += latency;
}

/* Returns the word's path; it is an input if nothing in the segment has written it. */
static const struct path *read_word(struct summing *summing, uint8_t word)
{
	struct summary *summary = &summing->segment->summary;
	struct path *path = &summing->words[word];

	if (summing->written[word] || summing->input_of[word])
		return path;
	clear(path);
	if (summary->inputs == SUMMARY_INPUTS) {
		summing->impossible = true;
		return path;
	}
	summary->input[summary->inputs] = word;
	path->after[summary->inputs] = 0;
	summing->input_of[word] = ++summary->inputs;
	return path;
}

static void write_word(struct summing *summing, uint8_t word, const struct path *path)
{
	summing->words[word] = *path;
	summing->written[word] = true;
}

static void sum_uop(struct summing *summing, const struct uop *uop)
{
	struct path path;

	clear(&path);
	path.after[BEGIN] = uop->cycle;
	for (unsigned i = 0; i < UOP_SOURCES; i++)
		if (uop->source[i] != REG_ZERO && uop->source[i] != TIME_FENCE)
			take_maximum(&path, read_word(summing, uop->source[i]));
	if (uop->port != NO_PORT && path.after[BEGIN] < uop->cycle + uop->queue)
		path.after[BEGIN] = uop->cycle + uop->queue;
	if (uop->unit != NO_PORT && path.after[BEGIN] < uop->cycle + uop->unit_queue)
		path.after[BEGIN] = uop->cycle + uop->unit_queue;
	add_latency(&path, uop->latency);
	for (unsigned i = 0; i < UOP_RESULTS && uop->result[i] != REG_SINK; i++)
		write_word(summing, uop->result[i], &path);
	if (uop->branch)
		write_word(summing, TIME_BRANCH, &path);
	if (uop->kind == UOP_STORE_DATA)
		write_word(summing, TIME_STORED + summing->segment->memory[uop->memory].number,
			   &path);
	take_maximum(&summing->words[TIME_RETIRED], &path);
	summing->impossible |= uop->fence || uop->kind == UOP_SERIALISE;
}

/* Writes the paths of the live words to the table. */
static void write_summary(const struct summing *summing)
{
	struct summary *summary = &summing->segment->summary;
	unsigned outputs = 0;

	for (unsigned word = 0; word < REG_ZERO; word++) {
		if (!summing->written[word])
			continue;
		if (outputs == SUMMARY_OUTPUTS)
			return;
		summary->output[outputs] = word;
		summary->base[outputs / 8][outputs % 8] = summing->words[word].after[BEGIN];
		for (unsigned i = 0; i < summary->inputs; i++)
			summary->delta[i][outputs / 8][outputs % 8] = summing->words[word].after[i];
		outputs++;
	}
	summary->outputs = outputs;
}

void summarise(struct segment *segment)
{
	struct summing summing = {.segment = segment};

	drop_unread(segment);
	summing.written[TIME_RETIRED] = true;
	clear(&summing.words[TIME_RETIRED]);
	for (unsigned i = 0; i < segment->uop_count && !summing.impossible; i++)
		sum_uop(&summing, &segment->uops[i]);
	if (!summing.impossible)
		write_summary(&summing);
}
