/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of COM2's stream (docs/protocols.md, "Frames on COM2"). */
#ifndef HOST_MACHINE_FRAMES_H
#define HOST_MACHINE_FRAMES_H

#include "host/machine/link/results.h"

struct frames {
	unsigned char bytes[20 + 65535 + 65536];
	size_t have;
	uint32_t sequence; /* of the next frame */
	bool started;      /* one frame has come: from now on nothing but frames */
	bool damaged;
};

/* Takes bytes as they arrive and passes on whole frames. */
void frames_feed(struct frames *frames, struct results *results, const unsigned char *bytes,
		 size_t size);

#endif
