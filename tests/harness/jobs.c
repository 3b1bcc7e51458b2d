/* SPDX-License-Identifier: BSD-2-Clause */
/* Job files of a stick with any bytes: all that is parsed stays in its place, and ends. */
#include <stdlib.h>
#include "boot/uefi/jobs.h"
#include "tests/harness/bytes.h"

static struct jobs jobs;

static void check_job(const struct job *job)
{
	if (!memchr(job->name, 0, sizeof(job->name)) ||
	    !memchr(job->timeout, 0, sizeof(job->timeout)) || job->run_bytes > sizeof(job->run))
		abort();
	if (job->run_bytes && job->run[job->run_bytes - 1])
		abort(); /* a string without its end */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + !size); /* the sanitizer sees reads beyond it */

	memcpy(copy, data, size);
	jobs_parse(&jobs, copy, size);
	free(copy);
	if (jobs.nr > MOST_JOBS || jobs.nr_mistakes > JOBS_MISTAKES_MAX)
		abort();
	for (unsigned i = 0; i < jobs.nr; i++)
		check_job(&jobs.job[i]);
	for (unsigned i = 0; i < jobs.nr_mistakes; i++)
		if (!jobs.mistake[i].line || !*jobs.mistake[i].what)
			abort();
	return 0;
}
