/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sits at a machine whose loader keeps the firmware: the power button and Ctrl-C end what runs,
 * by keyboard or serial line; page keys show what has left the screen. */
#ifndef KERNEL_KEYS_H
#define KERNEL_KEYS_H

/* Listens to them, if nobody else does. Each interrupts when it is pressed, and at no other time.
 * Context: start, once, after the first program. */
void keys_init(void);

#endif
