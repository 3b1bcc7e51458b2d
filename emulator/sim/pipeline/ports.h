/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports of a block's micro-operations. Private to the blocks. */
#ifndef CORE_PIPE_PORTS_H
#define CORE_PIPE_PORTS_H

#include "emulator/sim/pipeline/block.h"

/* Fills in port, queue and choices of the block's micro-operations, and the use of ports of its
 * segments. */
void assign_ports(struct block *block);

#endif
