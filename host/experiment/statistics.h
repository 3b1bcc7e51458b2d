/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the simulated core: files as the plugin writes them, ratios, files for users. */
#ifndef HOST_EXPERIMENT_STATISTICS_H
#define HOST_EXPERIMENT_STATISTICS_H

#include <jansson.h>
#include <stdio.h>

struct options;

/* Ends the command unless the name ends with .json, .csv or .txt, and the file can be written. */
void statistics_check(const char *path);

/* Reads what the plugin left in the descriptor, adds ratios and names, and writes the file. Ends
 * the command on an error. */
void statistics_finish(const struct options *options, int fd, const char *path);

/* Adds "ratios" to statistics: IPC, misses per 1,000 instructions, accuracy of prefetches, of all
 * processors and both rings. */
void statistics_add_ratios(json_t *statistics);

/* Writes statistics as the name's ending says: JSON, columns, or lines for people. */
void statistics_write(const json_t *statistics, const char *path);

/* Reads a JSON file of statistics; ends the command if it is none. */
json_t *statistics_read(const char *path);

/* Returns a ratio by name, NAN: there is none. */
double statistics_ratio(const json_t *statistics, const char *name);

#endif
