/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for translated blocks, which goes when QEMU forgets its translations. */
#ifndef CORE_BORDER_BLOCKS_H
#define CORE_BORDER_BLOCKS_H

#include "emulator/sim/cpu/code.h"
#include "emulator/sim/decode/touch.h"

/* An empty block with room for nr instructions of so many bytes, to be copied to `bytes`; ends QEMU
 * when there is no memory. Any thread. */
struct code_block *border_block(size_t nr, size_t code, uint8_t **bytes);
/* Room for what instructions of the newest block touch, which goes with it. Any thread. */
struct touch *border_touch(void);
/* All translations are gone. Their blocks stay until the next time: one may just be running. */
void border_blocks_flushed(void);

/* Bytes of our address space. */
struct host_range {
	const char *start, *end;
};

static inline bool border_range_has(const struct host_range *range, const char *at, uint64_t bytes)
{
	return at >= range->start && at < range->end && (uint64_t)(range->end - at) >= bytes;
}

/* The mapping of our process that has the address, as /proc/self/maps says; else an empty one. */
struct host_range border_mapping(const char *host);

/* Where the guest's memory begins in our address space; its mapping's end is the memory's. */
void border_set_ram(const char *ram);
const char *border_ram(void);
/* Whether the host address lies in the memory that begins there. */
bool border_in_ram(const char *host);

#endif
