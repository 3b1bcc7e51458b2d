/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line as parsed: what every part of the host command reads. */
#ifndef HOST_OPTIONS_H
#define HOST_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "apps/lib/bench_options.h"
#include "host/experiment/request.h"
#include "host/lib/buffer.h"
#include "host/lib/words.h"
#include "host/profile/request.h"
#include "host/trace/request.h"

#define MAX_PROCESSORS   512 /* of the kernel */
#define VISOR_PROCESSORS 16  /* of the emulated PMU: a timer of the HPET each */
#define DEFAULT_TIMEOUT  300 /* host seconds; boot has none */
#define MAX_TIMEOUT      1000000

enum firmware { FIRMWARE_PVH, FIRMWARE_OVMF };

/* A file for the image that the host does not have. */
struct extra {
	const char *path; /* in the image */
	struct buffer content;
	struct extra *next;
};

#define DEFAULT_OUTPUT "perf.data" /* of record */

struct options {
	const char *command; /* run, stat, record, list, image, linux, boot */
	const char *pmu;     /* personality, host or none */
	const char *core;    /* the simulated core, as typed; NULL: the personality's */
	const char *time;    /* the clock, core or instructions; NULL: core */
	enum firmware firmware;
	bool exact;
	int processors;
	bool parallel; /* each processor has a thread of the host's */
	int memory;    /* MiB */
	int timeout;   /* host seconds; of boot 0: none */
	int verbosity; /* -1: errors only, 0: warnings, 1: -v, 2: -vv */
	struct words add, env;
	struct words share;      /* absolute paths of host directories */
	struct words share_both; /* the ones whose changes come back */
	bool no_share;           /* none but these */
	const char *cwd;
	bool own_environment; /* the program inherits nothing */
	bool cwd_chosen;      /* by --cwd: the machine refuses a missing directory */
	const char *abi;      /* the version of Linux whose interface is offered. NULL: 6.1 */
	const char *append;
	struct words pass;  /* options for the application of the same name in the image */
	const char *output; /* -o, a host path; NULL: none */
	const char *kernel, *initrd, *efi;    /* of boot */
	struct profile_request profile;       /* of boot */
	struct experiment_request experiment; /* of run */
	struct trace_request trace;           /* of trace */
	char **program;                       /* PROGRAM ARG... as typed; *program NULL: none */
	char **filter;                        /* of list: words; *filter NULL: none */
	struct extra *extra;                  /* generated files */
	struct bench_options bench;
	struct words assembly; /* each --asm */
	const char *end;       /* of image: what a stick does after its jobs; NULL: it waits */
	bool force;            /* of image: overwrites a disk or a file without asking */
	bool bios;             /* of image: also for machines without UEFI */
	const char *sector;    /* of image: "512" or "4096"; NULL: the disk's, or 512 */
	bool self_test;        /* of image: the program is the self-test */
	const char *upload;    /* of image: where results are also sent; NULL: nowhere */
	/* stat: stored counts to compare with, in percent, and the file for the comparison;
	 * NULL: none. */
	const char *baseline, *tolerance, *comparison;
	bool output_is_ours; /* `output` is a temporary file */
};

struct command;

/* The long options of boot, of image, and the options of stat that the image does not get. */
extern const struct option boot_long_options[], stat_host_options[], image_long_options[];

/* Parses the arguments of this command, argv[1]; ends the command on a bad one, and with status 0
 * after help. */
void parse_options(struct options *options, const struct command *command, int argc, char **argv);

#endif
