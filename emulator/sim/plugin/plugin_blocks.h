/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for translated blocks, with the lifetime of QEMU's translations. */
#ifndef CORE_BORDER_BLOCKS_H
#define CORE_BORDER_BLOCKS_H

#include "emulator/sim/cpu/code.h"
#include "emulator/sim/decode/touch.h"

/* Returns an empty block with room for nr instructions of `code` bytes in all, which the caller
 * copies to `bytes`; ends QEMU if there is no memory. Any thread. */
struct code_block *plugin_block(size_t nr, size_t code, uint8_t **bytes);
/* Returns room for the touched addresses of the newest block's instructions, with its lifetime. Any
 * thread. */
void *plugin_keep(const void *what, size_t bytes);
/* All translations were flushed. Their blocks stay until the next flush: one may just be
 * running. */
void plugin_blocks_flushed(void);

/* A range of our address space. */
struct host_range {
	const char *start, *end;
};

static inline bool plugin_range_has(const struct host_range *range, const char *at, uint64_t bytes)
{
	return at >= range->start && at < range->end && (uint64_t)(range->end - at) >= bytes;
}

/* Returns our process's mapping that contains the address, from /proc/self/maps; else an empty
 * one. */
struct host_range plugin_mapping(const char *host);

/* Where the guest's memory begins in our address space; its mapping's end is the memory's. */
void plugin_set_ram(const char *ram);
const char *plugin_ram(void);
const char *plugin_ram_end(void);
/* True if the host address is in the memory block that begins there. */
bool plugin_in_ram(const char *host);

#endif
