/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates addresses to names: the file that was mapped there in the process, and its
 * function. */
#ifndef APPS_REPORT_PLACES_PLACES_H
#define APPS_REPORT_PLACES_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/lib/perfdata/perfdata.h"

struct places;

/* Names that live as long as the program. */
struct place {
	const char *command, *file, *function; /* of code without a symbol "[file]" */
	bool known;                            /* the function has a name */
	uint64_t offset;                       /* of the code in the file */
	/* The file's full path, and the linked addresses of the code and of its function; NULL:
	 * unknown. */
	const char *path;
	uint64_t address, start, end;
};

/* The mapping of an address. */
struct place_map {
	const char *path;
	uint64_t start, offset; /* `offset` bytes of the file are before `start` */
	unsigned execs;         /* how often the process has replaced its program */
};

/* `profile`: the perf.data file, beside which names of generated code are; its path must stay.
 * Functions of a kernel without a file are report_helpers.kernel's if the build ids are equal. */
struct places *places_new(const struct perfdata_reader *profile);
/* Processes a record (MMAP, MMAP2, COMM, FORK); the calls must be in the order of time. */
void places_learn(struct places *places, const struct perf_event_header *record);
/* Finds the mapping of an address of ring 3. False: there is none. */
bool places_map(struct places *places, uint32_t pid, uint64_t ip, struct place_map *found);
/* Returns the names of an address; unknown parts are "[unknown]". */
struct place places_find(struct places *places, uint32_t pid, uint64_t ip, bool kernel);

#endif
