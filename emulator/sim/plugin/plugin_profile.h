/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile of everything that boots (emulator/sim/profile/), connected to QEMU. Without the
 * option `profile` nothing is done. */
#ifndef CORE_BORDER_PROFILE_H
#define CORE_BORDER_PROFILE_H

#include "emulator/sim/plugin/plugin_state.h"
#include "emulator/sim/plugin/qemu/qemu_plugin_api.h"

/* Starts the profile that the options request. Returns false after a message if it cannot be. At
 * load. */
bool plugin_profile_setup(void);
/* A block is being translated: before and after the simulation's callbacks are registered. */
void plugin_profile_before(const struct qemu_plugin_tb *tb);
void plugin_profile_after(struct qemu_plugin_tb *tb, size_t nr);
/* A watch of the core has run out. Returns true if it was the profile's: the guest continues. */
bool plugin_profile_overflow(struct processor *p);

#endif
