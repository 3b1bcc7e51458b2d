/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops the guest soon, through functions inside QEMU, since the plugin API cannot. */
#ifndef SIM_QEMU_STOP_H
#define SIM_QEMU_STOP_H

#include <stdbool.h>

/* Looks the functions up. At load. */
void plugin_stop_setup(void);
/* Whether plugin_stop() works. */
bool plugin_can_stop(void);
/* Sends the processor that runs the callback an NMI, which it takes at the end of the running
 * block. Returns whether it will. */
bool plugin_stop(unsigned vcpu);
/* Lets the other processors run after the present block; for a processor whose turn has not come,
 * makes QEMU check its timers before. From a callback of the thread that runs all of them. */
void plugin_end_turn(unsigned vcpu);

/* Whether plugin_end_turn() works. */
bool plugin_can_end_turn(void);

/* Whether plugin_retranslate() works. */
bool plugin_can_retranslate(void);
/* Discards all translations at the end of the running block; in a callback. */
void plugin_retranslate(unsigned vcpu);

#endif
