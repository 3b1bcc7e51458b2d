/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture of accesses to memory. */
#ifndef APPS_LATENCY_H
#define APPS_LATENCY_H

#include <stdio.h>

#include "apps/report/annotate.h"

/* Draws those of the spots, by data's address, that have a latency; without any nothing. */
void latency_write(FILE *out, const struct spot *spots, size_t nr);

#endif
