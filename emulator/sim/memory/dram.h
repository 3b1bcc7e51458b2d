/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory's channels, banks and rows. Portable; one for the processors that share a last level. */
#ifndef CORE_MEM_DRAM_H
#define CORE_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

struct dram;

/* Transfers of lines since the start. Each one finds its row open (a hit), its bank without an open
 * row, or another row open (a conflict). */
struct dram_counts {
	uint64_t reads, writes;
	uint64_t hits, closed, conflicts;
	uint64_t waited; /* cycles of reads for busy banks and channels */
};

/* Returns NULL if there is no memory. config must live as long. */
struct dram *dram_new(const struct dram_config *config);
/* Frees it. NULL: does nothing. */
void dram_free(struct dram *dram);

/*
 * Transfers a line in the cycle `now`; calls need not be in order of time. Returns by how many
 * cycles it differs from a transfer that closes one row and opens another, without a wait.
 */
int32_t dram_transfer(struct dram *dram, struct dram_counts *counts, uint64_t line, int64_t now,
		      bool write);

#endif
