/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a profile. Each function returns false and errno if its file cannot be written whole;
 * what was written before is readable. */
#ifndef HOST_PROFILE_OUTPUT_H
#define HOST_PROFILE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "host/profile/events.h"
#include "host/profile/profile.h"

struct output_event {
	const struct boot_event *event;
	uint64_t period;
};

/* The command that made the profile. */
struct output_origin {
	const struct output_event *events;
	unsigned nr_events;
	int argc;
	char **argv;
	bool waits; /* also write samples of loops that wait */
};

/* perf_file.c: perf.data, whose mappings name the units' files. */
bool write_perf_file(const struct profile *profile, const char *path,
		     const struct output_origin *origin);
/* elf_file.c: an ELF file of each unit that ran, with its symbols and the code that ran, in a
 * directory that is made. */
bool write_unit_files(struct profile *profile, const char *directory);

#endif
