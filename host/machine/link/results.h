/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of the machine: output, files, exit status. */
#ifndef HOST_MACHINE_RESULTS_H
#define HOST_MACHINE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exit_reason { EXIT_EXITED, EXIT_SIGNAL, EXIT_NOT_STARTED, EXIT_PANIC };

struct results {
	const char *record_path; /* host path for /out/perf.data; NULL: out/, as any other file */
	const char *stat_path;   /* for /out/stat.txt */
	const char *plot_path;   /* for /out/plot.txt */
	bool ended;              /* the last frame has come */
	int status;
	uint32_t reason;  /* enum exit_reason */
	char text[256];   /* why, for reasons 2 and 3 */
	bool output_seen; /* the program has printed something */
	FILE *file;       /* that pieces are going to */
	char file_name[4096];
};

/* Takes one frame with a verified checksum; ends the command when a file cannot be written. */
void results_frame(struct results *results, char type, unsigned flags, const char *name,
		   size_t name_length, const unsigned char *payload, size_t length);

/* Opens a file for new contents, one at a time. Returns NULL and errno on an error. In a directory
 * that the machine can write, links are not followed: they may be the machine's. Elsewhere the old
 * contents stay until results_close(), unless the file is a link or a device. */
FILE *results_open(const char *path);
/* Closes a file of results_open() or bring_file(), which then exists as a whole; false and errno:
 * it could not be written. */
bool results_close(FILE *file);

#endif
