/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that only the vendor's documents name. */
#ifndef HOST_VENDOR_H
#define HOST_VENDOR_H

#include "host/options.h"

/* Replaces such events by their codes (from libpfm4, where it is installed); ends the command for
 * an unknown event before a machine is started. */
void resolve_events(struct options *options);
/* Prints the vendor's events for the PMU that match a word of the command line, if there is one;
 * `json`: as lines of JSON, and all of them without a word. */
void list_vendor_events(const struct options *options, bool json);

#endif
