/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes of a register that the personality has. */
#ifndef VISOR_MODEL_ACCESS_H
#define VISOR_MODEL_ACCESS_H

#include "emulator/visor/model/base/registers.h"

uint64_t access_read(const struct model *model, enum reg reg, unsigned index);
/* `value` must not have reserved bits set. */
void access_write(struct model *model, enum reg reg, unsigned index, uint64_t value);

#endif
