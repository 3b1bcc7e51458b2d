/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes pieces of hardware traces, and remembers where, as readers find them by an index. */
#include "apps/lib/perfdata/perfdata_aux.h"

#include <stdlib.h>

/* Without memory for it the index lacks the piece, and readers find it in the data. */
static void add_to_index(struct perfdata_writer *writer, uint64_t offset, uint64_t size)
{
	struct perfdata_section *grown = writer->aux_index;

	if (!(writer->nr_aux & (writer->nr_aux - 1))) {
		grown = realloc(grown, (writer->nr_aux ? 2 * writer->nr_aux : 1) * sizeof(*grown));
		if (!grown)
			return;
		writer->aux_index = grown;
	}
	grown[writer->nr_aux++] = (struct perfdata_section){offset, size};
}

void perfdata_append_aux(struct perfdata_writer *writer, struct perfdata_aux_piece *piece,
			 const unsigned char *const parts[2], uint64_t first)
{
	static const unsigned char zeros[PERFDATA_AUX_ALIGN];
	uint64_t size = piece->size, padding = -size % PERFDATA_AUX_ALIGN;

	if (!writer->pipe)
		add_to_index(writer, (uint64_t)ftell(writer->file), sizeof(*piece));
	piece->header = (struct perf_event_header){PERFDATA_RECORD_AUXTRACE, 0, sizeof(*piece)};
	piece->size = size + padding;
	perfdata_put(writer, piece, sizeof(*piece));
	perfdata_put(writer, parts[0], first);
	if (size > first)
		perfdata_put(writer, parts[1], size - first);
	if (padding)
		perfdata_put(writer, zeros, padding);
	writer->aux_bytes += size;
}
