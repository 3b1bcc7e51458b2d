/* SPDX-License-Identifier: BSD-2-Clause */
/* The bundle: a cpio archive (newc) with the guest's kernel and initrd. */
#ifndef VISOR_BUNDLE_H
#define VISOR_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

struct blob {
	uint8_t *data; /* NULL: there is none */
	uint64_t bytes;
};

/* Finds the member `name`; data is NULL if there is none. Stops the machine with one line if the
 * archive is corrupt. */
struct blob bundle_member(struct blob archive, const char *name);

#endif
