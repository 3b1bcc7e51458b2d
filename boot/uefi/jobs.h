/* SPDX-License-Identifier: BSD-2-Clause */
/* The stick's job file: a subset of TOML (docs/stick.md), converted to run files for the kernel.
 * Plain C, tested on the host as well. */
#ifndef BOOT_UEFI_JOBS_H
#define BOOT_UEFI_JOBS_H

#include <stddef.h>
#include <stdint.h>
#include "abi/boot_info.h"
#include "abi/upload.h"

#define MOST_JOBS         16
#define JOB_NAME_BYTES    48
#define JOBS_MISTAKES_MAX 8
#define JOB_TIMEOUT_BYTES 8
#define JOB_PATH_BYTES    256
#define JOB_PERIOD        100000 /* cycles between two samples */
#define JOB_PERIOD_MIN    1000

enum jobs_end { JOBS_WAIT, JOBS_REBOOT, JOBS_POWEROFF };

struct job {
	char name[JOB_NAME_BYTES];
	char timeout[JOB_TIMEOUT_BYTES]; /* seconds, as digits; "": no limit */
	char firmware[JOB_PATH_BYTES];   /* an EFI program of the volume instead; "": none */
	uint32_t period;                 /* its cycles between two samples */
	uint32_t run_bytes;              /* of such a program: its arguments alone */
	char run[BOOT_RUN_SIZE];         /* docs/protocols.md: the run file */
};

/* A message in English about a line, counted from 1 on. */
struct jobs_mistake {
	unsigned line;
	const char *what;
};

struct jobs {
	enum jobs_end end;    /* the action after the last job */
	struct upload upload; /* server that also receives the results */
	uint32_t nr_mistakes; /* at most the first JOBS_MISTAKES_MAX */
	struct jobs_mistake mistake[JOBS_MISTAKES_MAX];
	uint32_t nr;
	struct job job[MOST_JOBS];
};

/* Parses the file. A job with a mistake is left out; the other jobs are kept. */
void jobs_parse(struct jobs *jobs, const char *text, size_t bytes);

#endif
