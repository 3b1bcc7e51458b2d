/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's translated blocks: their lengths. */
#ifndef CORE_BORDER_TB_H
#define CORE_BORDER_TB_H

#include <stddef.h>

#include "emulator/sim/plugin/qemu_plugin_api.h"

/* How many instructions the block has. One that reaches from a page into the next QEMU leaves to a
 * block of its own, but tells of it here as well, as far as it has read it. Context: the callback
 * of a translation. */
size_t border_tb_insns(const struct qemu_plugin_tb *tb);

#endif
