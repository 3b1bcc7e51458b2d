/* SPDX-License-Identifier: BSD-2-Clause */
/* Mean and spread of a figure over runs. */
#include "apps/stat/stat.h"

void series_add(struct series *series, double value)
{
	double delta = value - series->mean;

	series->n++;
	series->mean += delta / series->n;
	series->m2 += delta * (value - series->mean);
}

/* Newton's method, which avoids the mathematics library for one square root. */
static double square_root(double x)
{
	double root = x > 1 ? x : 1;

	if (x <= 0)
		return 0;
	for (int i = 0; i < 100 && root * root > x * (1 + 1e-15); i++)
		root = (root + x / root) / 2;
	return root;
}

double series_spread(const struct series *series)
{
	if (series->n < 2)
		return 0;
	return square_root(series->m2 / (series->n - 1) / series->n);
}

double series_spread_percent(const struct series *series)
{
	return series->mean ? 100 * series_spread(series) / series->mean : 0;
}
