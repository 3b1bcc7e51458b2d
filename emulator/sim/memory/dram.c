/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory's channels, banks and rows. A row stays open until another one of its bank is needed.
 * Consecutive lines are on consecutive channels, within a row as long as that lasts; then on
 * consecutive banks, which the row's number permutes (Zhang, Zhu and Zhang, A permutation-based
 * page interleaving scheme, 2000). Transfers are served in order of their calls.
 */
#include "emulator/sim/memory/dram.h"

#include <stdlib.h>

enum {
	TRANSFERS = 256, /* transfers of a channel that are known */
	WAIT_MAX = 2000, /* cycles; a bank that is busy for longer belongs to another time */
};

struct bank {
	int64_t ready; /* the cycle from which on it takes the next command */
	uint64_t row;  /* plus 1; 0: none is open */
};

struct channel {
	int64_t
	    slots[TRANSFERS]; /* as of a processor's bandwidth: which time each one took, plus 1 */
	struct bank *banks;
};

struct dram {
	const struct dram_config *config;
	struct channel channels[];
};

struct dram *dram_new(const struct dram_config *config)
{
	struct dram *dram = calloc(1, sizeof(*dram) + config->channels * sizeof(struct channel));

	if (!dram)
		return NULL;
	dram->config = config;
	for (unsigned i = 0; i < config->channels; i++) {
		dram->channels[i].banks = calloc(config->banks, sizeof(struct bank));
		if (!dram->channels[i].banks) {
			dram_free(dram);
			return NULL;
		}
	}
	return dram;
}

void dram_free(struct dram *dram)
{
	for (unsigned i = 0; dram && i < dram->config->channels; i++)
		free(dram->channels[i].banks);
	free(dram);
}

/* Takes the channel for one line at `now` or later. Returns the wait. */
static uint32_t take_channel(struct channel *channel, uint32_t burst, int64_t now)
{
	int64_t first, slot;

	if (!burst || now < 0)
		return 0;
	first = now / burst + 1;
	for (slot = first; slot < first + TRANSFERS; slot++)
		if (channel->slots[slot % TRANSFERS] != slot)
			break;
	if (slot < first + TRANSFERS)
		channel->slots[slot % TRANSFERS] = slot;
	return slot == first ? 0 : (uint32_t)((slot - 1) * burst - now);
}

/* Opens the row. Returns the cycles that a conflict would take longer. */
static uint32_t open_row(struct bank *bank, const struct dram_config *c, uint64_t row,
			 struct dram_counts *counts)
{
	uint64_t open = bank->row;

	bank->row = row + 1;
	if (open == row + 1) {
		counts->hits++;
		return c->activate + c->precharge;
	}
	counts->closed += !open;
	counts->conflicts += open != 0;
	return open ? 0 : c->precharge;
}

int32_t dram_transfer(struct dram *dram, struct dram_counts *counts, uint64_t line, int64_t now,
		      bool write)
{
	const struct dram_config *c = dram->config;
	struct channel *channel = &dram->channels[line % c->channels];
	uint64_t column = line / c->channels, piece = column / (c->row / CORE_LINE_SIZE),
		 row = piece / c->banks;
	struct bank *bank = &channel->banks[(piece ^ row) % c->banks];
	uint32_t saved = open_row(bank, c, row, counts), wait;
	int64_t busy = bank->ready - now;

	wait = busy > 0 && busy < WAIT_MAX ? (uint32_t)busy : 0;
	bank->ready = now + wait + c->activate + c->precharge - saved + c->burst;
	wait += take_channel(channel, c->burst, now + wait);
	counts->reads += !write;
	counts->writes += write;
	counts->waited += write ? 0 : wait;
	return (int32_t)wait - (int32_t)saved;
}
