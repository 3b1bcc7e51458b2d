/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops the guest soon, which no plugin may: by functions inside QEMU. */
#ifndef CORE_BORDER_STOP_H
#define CORE_BORDER_STOP_H

#include <stdbool.h>

/* Looks the functions up. `version` is QEMU's, "7.2": only versions are used that were tried. */
void border_stop_setup(const char *version);
/* Whether functions inside of it were tried. */
bool border_was_tried(const char *version);
bool border_can_stop(void);
/* Sends the processor that calls from its own callback an NMI, which it takes at the end of the
 * block that runs. Returns whether it will. */
bool border_stop(unsigned vcpu);
/* The processor lets the others run after the block that it runs; one whose turn is not yet lets
 * QEMU look at its timers before. From a callback of the thread that runs all of them. */
void border_end_turn(unsigned vcpu);

/* Whether border_retranslate() works. */
bool border_can_retranslate(void);
/* All code is translated anew from the end of the block that runs; in a callback. */
void border_retranslate(unsigned vcpu);

#endif
