/* SPDX-License-Identifier: BSD-2-Clause */
/* The build id of a program or library, from a note of its ELF file. */
#ifndef PMU_BUILD_ID_H
#define PMU_BUILD_ID_H

#include <stdint.h>

#define BUILD_ID_MAX 20

struct inode;

struct build_id {
	uint32_t bytes; /* 0: there is none */
	uint8_t id[BUILD_ID_MAX] __attribute__((aligned(4)));
};

/* Reads the build id if its headers and notes are in the file's first page, as on Linux; the rest
 * of the id is zeroed. Context: task. */
void build_id_read(struct inode *inode, struct build_id *id);

#endif
