/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the visor. Any program may execute the marker's bytes, so they are verified. */
#ifndef CORE_BORDER_CALL_H
#define CORE_BORDER_CALL_H

#include "abi/core_page.h"
#include "emulator/sim/plugin/qemu/qemu_plugin_api.h"

/*
 * Returns the page of the visor's call at the block's start; NULL: there is no marker, or it is not
 * the visor's. `known` is the visor's page; before its first call (NULL) the page must be in the
 * memory that the code is in, and say where both are: one linear and physical address, as in the
 * visor's own tables. Context: the callback of a translation, whose block has an instruction at
 * least.
 */
struct core_page *plugin_call_page(const struct qemu_plugin_tb *tb, const struct core_page *known);

#endif
