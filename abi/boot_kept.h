/* SPDX-License-Identifier: BSD-2-Clause */
/* Data that the kernel leaves in memory for a loader that keeps the firmware: frames
 * (docs/protocols.md) and the log. Physical addresses. */
#ifndef ABI_BOOT_KEPT_H
#define ABI_BOOT_KEPT_H

#include <stdint.h>

#define BOOT_KEPT_MAGIC 0x5450454b554d5042ul /* "BPMUKEPT" */

/* A block of the stream of frames. */
struct boot_kept_block {
	uint64_t next; /* 0: the last */
	uint64_t bytes;
	uint8_t data[];
};

/* The loader gets its address in RDX at boot_info.back_entry. */
struct boot_kept {
	uint64_t magic;
	uint64_t frames;        /* the first block */
	uint64_t lost;          /* frames for which there was no memory */
	uint64_t log, log_room; /* a ring of `log_room` bytes */
	uint64_t log_written;   /* bytes ever written to it */
	uint64_t stop;          /* 1: the power button was pressed */
	uint64_t shown_written; /* bytes that the console has shown */
	char shown[2560];       /* the last of them, a ring */
};

/* A frame's header, little-endian; the name and the payload follow. */
struct boot_frame {
	char magic[4]; /* "BPMU" */
	uint8_t type, flags;
	uint16_t name_bytes;
	uint32_t payload_bytes;
	uint32_t sequence;
	uint32_t crc;
};

_Static_assert(sizeof(struct boot_frame) == 20, "docs/protocols.md: Frames on COM2");

#endif
