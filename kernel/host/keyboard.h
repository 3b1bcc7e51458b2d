/* SPDX-License-Identifier: BSD-2-Clause */
/* The keyboard at an 8042 controller: the few keys that a machine without a host command needs. */
#ifndef KERNEL_KEYBOARD_H
#define KERNEL_KEYBOARD_H

#include <stdbool.h>

enum key { KEY_NONE, KEY_INTERRUPT, KEY_PAGE_UP, KEY_PAGE_DOWN };

/* Enables its interrupt (ISA interrupt 1). False: no controller answers. Context: start. */
bool keyboard_open(void);
/* Returns the next key press, or KEY_NONE. Context: interrupts masked. */
enum key keyboard_take(void);
/* Restores the controller for the firmware. Context: any, once, at the end. */
void keyboard_close(void);

#endif
