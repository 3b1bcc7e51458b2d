/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture of memory accesses. */
#ifndef APPS_LATENCY_H
#define APPS_LATENCY_H

#include <stdio.h>

#include "apps/report/annotate.h"

/* Draws the spots that have a latency, by data address; draws nothing without any. */
void latency_write(FILE *out, const struct spot *spots, size_t nr);

#endif
