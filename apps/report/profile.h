/* SPDX-License-Identifier: BSD-2-Clause */
/* The flat profile: how many events fell into each function. */
#ifndef APPS_REPORT_PROFILE_H
#define APPS_REPORT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/* Samples at one place: command, file, function. */
struct line {
	const char *command, *file, *function;
	char ring; /* 'k' or '.' as perf has it */
	uint64_t period, samples;
};

struct profile {
	struct line *lines;
	size_t nr, room;
	uint64_t period, samples, lost;
};

#endif
