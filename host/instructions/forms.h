/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms of instructions, and the code that measures them. */
#ifndef HOST_INSTRUCTIONS_FORMS_H
#define HOST_INSTRUCTIONS_FORMS_H

/* All forms of `--list all`, ended by NULL. */
extern const char *const instruction_forms[];

/* A row of the suite: code for the latency from one operand to the result, and for the throughput.
 */
struct instruction_code {
	char *name;       /* "IMUL (R64, R64)"; if there are several sources, with " 2>1" */
	char *latency;    /* nasm's text of one instance, or of `instances` */
	char *throughput; /* twelve instances that do not depend on each other */
	int instances;    /* in `latency` */
};

/* Makes the rows of a form. Returns their number, at most `max`; ends the command for a form that
 * is none. */
int instruction_codes(const char *form, struct instruction_code *codes, int max);

#endif
