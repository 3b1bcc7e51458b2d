/* SPDX-License-Identifier: BSD-2-Clause */
/* Denormal numbers in the guest's vector registers and memory: each is an assist of a core. */
#ifndef SIM_PLUGIN_FLOATS_H
#define SIM_PLUGIN_FLOATS_H

#include "emulator/sim/plugin/plugin_state.h"

/* During a block's translation: registers the callback of an instruction's accesses; if the
 * instruction has a floating-point source in memory, this is looked at first. */
void plugin_instrument_access(struct qemu_plugin_insn *insn, access_callback *access,
			      struct code_insn *code);
/* During a block's translation: instruments its floating-point instructions, if a core needs
 * assists and QEMU shows the registers. */
void plugin_instrument_floats(struct qemu_plugin_tb *tb, size_t nr);

#endif
