/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that QEMU inherits, beside the fixed ones of its machine. */
#ifndef HOST_MACHINE_INHERITED_H
#define HOST_MACHINE_INHERITED_H

/* The first descriptor that the start of QEMU leaves alone: lower ones become the machine's ports
 * and files. */
#define FIRST_INHERITED 16

/* Moves an open descriptor to where QEMU inherits it, and returns its new number, for
 * /dev/fd/NUMBER. Ends the command if it cannot, or if the descriptor is negative (errno says why).
 */
int inherited(int fd);

#endif
