/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports interpreters whose files the machine does not see. */
#ifndef HOST_IMAGE_ELSEWHERE_H
#define HOST_IMAGE_ELSEWHERE_H

#include "host/options.h"

/* Reports, once for each directory, that the program at `path` belongs to an installation that the
 * machine does not see: an interpreter with its library, a virtual environment, a package of nix.
 */
void elsewhere_check(const struct options *options, const char *path);

/* Reports that the interpreter of a script, `line` without "#!", is another one in the machine,
 * where env(1) finds less. */
void elsewhere_check_script(const struct options *options, const char *line);

/* Reports that PATH's first `name` is not the program that runs. */
void elsewhere_passed_over(const char *passed, const char *taken);

/* Returns the directory that --share should name for a file: /nix, or the one above the file's. The
 * caller frees it. */
char *elsewhere_root(const char *path);

#endif
