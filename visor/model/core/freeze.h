/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMI freezes when DEBUGCTL asks for it, by generation. Intel SDM vol. 3, "Freezing LBR and
 * Performance Counters on PMI"; AMD APM vol. 2, "Performance Monitoring Counters". */
#ifndef VISOR_MODEL_FREEZE_H
#define VISOR_MODEL_FREEZE_H

struct model;

/* Intel up to version 3: the enables are cleared. */
void freeze_by_enables(struct model *model);
/* Intel from version 4, AMD from version 2: bits of the status are set. */
void freeze_by_status(struct model *model);

#endif
