/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch trace store: records of taken branches in the debug store. Source: Intel SDM vol. 3,
 * "Branch Trace Store (BTS)", "DS Save Area". It exists with FEATURE_PEBS. */
#ifndef VISOR_MODEL_BTS_H
#define VISOR_MODEL_BTS_H

#include "abi/core_page.h"
#include "emulator/visor/model/base/types.h"

/* Returns the rings in which branches begin that are stored now, as enum model_ring; 0: it is off.
 */
unsigned model_store_rings(const struct model *model);
/* Returns how many more records fit before the buffer's threshold, or its end; at most `max`. */
unsigned model_store_room(const struct model *model, const struct model_pebs_source *source,
			  unsigned max);
/* Appends records, oldest first. Makes a PMI pending at the threshold if that is enabled; otherwise
 * the buffer is a ring. Records that do not fit, or whose memory is not mapped, are dropped. */
void model_store_branches(struct model *model, const struct core_stored *branches, unsigned nr,
			  const struct model_pebs_source *source);

#endif
