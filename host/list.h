/* SPDX-License-Identifier: BSD-2-Clause */
/* `barepmu list --json`. */
#ifndef HOST_LIST_H
#define HOST_LIST_H

#include "host/options.h"

/* True with --json. */
bool list_is_json(const struct options *options);

/* Prints a line of JSON for each emulated PMU, each core and each word of --core. */
void list_choices(void);

#endif
