/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's options from the host command, in the form NAME=VALUE. */
#ifndef CORE_BORDER_WORDS_H
#define CORE_BORDER_WORDS_H

#include <stdbool.h>

#include "emulator/sim/config/config.h"

struct plugin_words {
	struct core_config config;    /* every processor's core, */
	struct core_config efficient; /* except the second half of them, with `hybrid` */
	bool has_core, hybrid;
	bool threads;     /* QEMU runs each processor in a thread of its own */
	bool core_time;   /* the guest's clocks follow the cores' cycles */
	bool held;        /* the simulation waits until the visor wakes it */
	unsigned turn;    /* instructions of a processor's turn; 0: it has none */
	const char *qemu; /* QEMU's version, "7.2"; NULL: unknown */
};

/* Parses argc options into `words`, which must be empty. Returns false after a message for an
 * invalid one, or if there is nothing to do: neither a core nor turns. Before QEMU's processors
 * start. */
bool plugin_words_parse(struct plugin_words *words, int argc, char **argv);

#endif
