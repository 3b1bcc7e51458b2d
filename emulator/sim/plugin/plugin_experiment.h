/* SPDX-License-Identifier: BSD-2-Clause */
/* Experiments: which part of the program is simulated and measured, its statistics, its trace. */
#ifndef SIM_PLUGIN_EXPERIMENT_H
#define SIM_PLUGIN_EXPERIMENT_H

#include <stdbool.h>

#include "emulator/sim/plugin/qemu/qemu_plugin_api.h"

struct code_block;

/* Makes ready what the options ask for, once the cores are there. Returns false after a message. At
 * load. */
bool plugin_experiment_setup(void);

/* As plugin_on_any_block(), which it calls while the region is simulated. */
void plugin_on_experiment_block(unsigned vcpu, void *user);

/* Registers the marks of the program in QEMU's block of nr instructions, and prepares its part of
 * a trace. During a translation. */
void plugin_experiment_translate(struct qemu_plugin_tb *tb, size_t nr);

/* True if accesses go to plugin_on_traced_access() first. */
bool plugin_experiment_traces(void);

/* Notes an access of the trace, then does as plugin_on_queried_access(). */
void plugin_on_traced_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user);

#endif
