/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's translated blocks: the visor's marker in one, and its length. */
#ifndef CORE_BORDER_TB_H
#define CORE_BORDER_TB_H

#include <stddef.h>

#include "abi/core_page.h"
#include "emulator/sim/plugin/qemu_plugin_api.h"

/* The page that a marker at the block's start belongs to. NULL: there is none. Context: the
 * callback of a translation, whose block has an instruction at least. */
struct core_page *border_tb_page(const struct qemu_plugin_tb *tb);
/* How many instructions the block has. One that reaches from a page into the next QEMU leaves to a
 * block of its own, but tells of it here as well, as far as it has read it. Context: the callback
 * of a translation. */
size_t border_tb_insns(const struct qemu_plugin_tb *tb);

#endif
