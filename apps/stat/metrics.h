/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of metrics. */
#ifndef APPS_STAT_METRICS_H
#define APPS_STAT_METRICS_H

#include "apps/stat/stat.h"

/* An event's weight above and below the fraction line. */
struct metric_term {
	const char *event;
	double top, bottom;
};

struct metric_row {
	const char *name;
	const char *group;  /* a name for several; or empty */
	const char *needs;  /* a PMU that has this event; empty: any */
	const char *format; /* of the value */
	const char *unit;
	double factor; /* of the fraction */
	struct metric_term terms[6];
};

extern const struct metric_row metric_rows[]; /* ended by a NULL name */

#endif
