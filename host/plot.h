/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of measured data. */
#ifndef HOST_PLOT_H
#define HOST_PLOT_H

/* Draws data in bench's format, whose text it cuts into fields, as SVG into the file `path`; ends
 * the command when that cannot be written. */
void plot_text(char *text, const char *path);
/* As plot_text(), for the data in the file `data`. */
void plot_file(const char *data, const char *path);

#endif
