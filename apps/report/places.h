/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates addresses to names: the file that was mapped there in the process, and its
 * function. */
#ifndef APPS_REPORT_PLACES_H
#define APPS_REPORT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/linux/perf_event.h"

struct places;

/* Names that live as long as the program. */
struct place {
	const char *command, *file, *function;
	/* The file's full path, and the linked addresses of the code and of its function; NULL:
	 * unknown. */
	const char *path;
	uint64_t address, start, end;
};

struct places *places_new(void);
/* Processes a record (MMAP, MMAP2, COMM, FORK); the calls must be in the order of time. */
void places_learn(struct places *places, const struct perf_event_header *record);
/* Returns the names of an address; unknown parts are "[unknown]" or the address itself. */
struct place places_find(struct places *places, uint32_t pid, uint64_t ip, bool kernel);

#endif
