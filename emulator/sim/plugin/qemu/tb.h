/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's translated blocks: their lengths. */
#ifndef SIM_QEMU_TB_H
#define SIM_QEMU_TB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/sim/plugin/qemu/qemu_plugin_api.h"

/* Returns the number of instructions of the block. QEMU puts an instruction across two pages into a
 * block of its own, but also reports it here, as far as it has been read. Context: the callback of
 * a translation. */
size_t plugin_tb_insns(const struct qemu_plugin_tb *tb);

/* Whether an instruction of these bytes may access more than 8 bytes at once, as SSE and AVX do. */
bool plugin_may_be_wide(const uint8_t *bytes, size_t length);

#endif
