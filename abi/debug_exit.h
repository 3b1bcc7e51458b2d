/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's isa-debug-exit: a value N written to the port ends QEMU with status 2N + 1. */
#ifndef ABI_DEBUG_EXIT_H
#define ABI_DEBUG_EXIT_H

#define DEBUG_EXIT_PORT  0xf4
#define DEBUG_EXIT_DONE  0   /* the program ended; the host command knows its status */
#define DEBUG_EXIT_PANIC 1   /* the kernel gave up */
#define DEBUG_EXIT_VISOR 125 /* the visor gave up */

#endif
