/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host command tells the plugin: words of the form NAME=VALUE. */
#ifndef CORE_BORDER_WORDS_H
#define CORE_BORDER_WORDS_H

#include <stdbool.h>

#include "emulator/sim/config/config.h"

struct border_words {
	struct core_config config;    /* every processor's core, */
	struct core_config efficient; /* but for the later half of them, with `hybrid` */
	bool has_core, hybrid;
	bool threads;     /* QEMU runs each processor in a thread of its own */
	bool core_time;   /* the guest's clocks follow the cores' cycles */
	unsigned turn;    /* instructions of a processor's turn; 0: it has none */
	const char *qemu; /* QEMU's version, "7.2"; NULL: not told */
};

/* Reads argc words into `words`, which are empty. Returns false when one is wrong, which it says,
 * or when there is nothing to do: neither a core nor turns. Before QEMU's processors start. */
bool border_words_parse(struct border_words *words, int argc, char **argv);

#endif
