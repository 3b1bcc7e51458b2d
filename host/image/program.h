/* SPDX-License-Identifier: BSD-2-Clause */
/* PROGRAM of the command line: its file, and its path in the image. */
#ifndef HOST_IMAGE_PROGRAM_H
#define HOST_IMAGE_PROGRAM_H

#include "host/options.h"

struct program {
	char *host;  /* the file, an absolute path without links; NULL: there is no program */
	char *place; /* its path in the image: the same, unless --add puts it elsewhere */
	char *name;  /* the path that starts it: `place`, or a link to it */
	bool added;  /* by --add */
};

/* Ends the command with 126 or 127 when the image cannot run the program. */
struct program find_program(const struct options *options);
/* Returns the last part of the program's name, by which a stick's job starts it from /bin. NULL:
 * the job needs the whole path, because an application has that name, or because the name is a
 * link. */
const char *program_job_name(const struct program *program);
/* Returns the path in the image of a relative name of --add: in the program's directory. NULL: the
 * name leads out of it. The caller frees it. */
char *added_place(const struct options *options, const char *name);
/* Returns the interpreter that a script's first line names, which the caller frees; NULL: not a
 * script. */
char *script_interpreter(const struct buffer *file);

#endif
