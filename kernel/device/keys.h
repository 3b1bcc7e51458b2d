/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys on a machine whose loader keeps the firmware: the power button and Ctrl-C (keyboard or
 * serial line) end the program; page keys show scrolled-out lines. */
#ifndef KERNEL_KEYS_H
#define KERNEL_KEYS_H

/* Listens to the keys unless a program reads the terminal. Each press raises one interrupt; there
 * are no others. Context: start, once, after the first program. */
void keys_init(void);

#endif
