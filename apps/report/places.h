/* SPDX-License-Identifier: BSD-2-Clause */
/* From addresses to names: which file was mapped where in which process, and its functions. */
#ifndef APPS_REPORT_PLACES_H
#define APPS_REPORT_PLACES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct places;

/* Names that live as long as the program. */
struct place {
	const char *command, *file, *function;
	/* The file's whole name, and addresses as linked: of the code and of its function; NULL:
	 * not known. */
	const char *path;
	uint64_t address, start, end;
};

struct places *places_new(void);
/* Takes what a record (MMAP, MMAP2, COMM, FORK) says; call it in the order of time. */
void places_learn(struct places *places, const struct perf_event_header *record);
/* Unknown parts are "[unknown]" or the address itself. */
struct place places_find(struct places *places, uint32_t pid, uint64_t ip, bool kernel);

#endif
