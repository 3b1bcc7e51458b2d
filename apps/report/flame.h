/* SPDX-License-Identifier: BSD-2-Clause */
/* Flame graphs: the call tree as an SVG image that can be searched and zoomed, in one file. */
#ifndef APPS_REPORT_FLAME_H
#define APPS_REPORT_FLAME_H

#include <stdbool.h>
#include <stdio.h>

#include "apps/report/tree.h"

#define FLAME_TOP 80 /* pixels, above the first row */
#define FLAME_ROW 18 /* pixels */

#define FLAME_COLOUR_BYTES 48

/* A bar of a picture that can be searched and zoomed. */
struct flame_bar {
	const char *name; /* which is searched */
	const char *label, *tip, *colour;
	double begin, share; /* of the width, 0 to 1 */
	double y;            /* pixels */
};

/* Begins a picture of `height` pixels; flame_bar() draws into it until flame_end(). */
void flame_begin(FILE *out, unsigned height, const char *title, const char *note);
void flame_bar(FILE *out, const struct flame_bar *bar);
void flame_end(FILE *out);
/* Chooses a colour by name: warm for ring 3, cold for the kernel. */
void flame_colour(char text[FLAME_COLOUR_BYTES], const char *name, bool kernel);

/* Text of XML. */
void flame_text(FILE *out, const char *text);
/* Writes the image, headed by a title and a note below it; with `compare` red has grown and blue
 * has shrunk since the other profile. */
void flame_write(FILE *out, const struct node *root, const char *title, const char *note,
		 bool compare);

#endif
