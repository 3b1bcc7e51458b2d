/* SPDX-License-Identifier: BSD-2-Clause */
/* The hottest functions' code, with the share of each instruction. */
#ifndef APPS_REPORT_ANNOTATE_H
#define APPS_REPORT_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "apps/report/places/places.h"

/* A sample, or several at one address. */
struct spot {
	uint64_t address, period, weight; /* weight: cycles of an access; 0: not known */
	struct place place;
};

/* Writes a section of the page: source lines and instructions, by objdump, of the functions with
 * the most events. `whole`: all events. */
void annotate_write(FILE *out, const struct spot *spots, size_t nr, uint64_t whole);

/* As annotate_write(), as text, for the hottest function, or for those called `function`. False:
 * there is none. */
bool annotate_print(FILE *out, const struct spot *spots, size_t nr, uint64_t whole,
		    const char *function);

#endif
