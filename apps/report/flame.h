/* SPDX-License-Identifier: BSD-2-Clause */
/* Flame graphs: the call tree as an SVG image that can be searched and zoomed, in one file. */
#ifndef APPS_REPORT_FLAME_H
#define APPS_REPORT_FLAME_H

#include <stdio.h>

#include "apps/report/tree.h"

/* Text of XML. */
void flame_text(FILE *out, const char *text);
/* Writes the image, headed by a title and a note below it; with `compare` red has grown and blue
 * has shrunk since the other profile. */
void flame_write(FILE *out, const struct node *root, const char *title, const char *note,
		 bool compare);

#endif
