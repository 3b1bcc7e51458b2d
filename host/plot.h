/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of measured data. */
#ifndef HOST_PLOT_H
#define HOST_PLOT_H

#include <stdio.h>

/* Draws the data that bench left in the file `data` as SVG; ends the command when it cannot be
 * read. */
void plot_write(const char *data, FILE *out);

#endif
