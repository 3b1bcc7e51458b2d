/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of terminals. */
#ifndef ABI_ASM_TERMIOS_H
#define ABI_ASM_TERMIOS_H

#include <asm/ioctls.h>
#include <asm/termbits.h>

struct winsize {
	unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
