/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors that new programs stay off: isolcpus= of the command line. */
#include "arch/x86/trap/remote.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/log.h"
#include "kernel/task/sched.h"

static struct cpu_mask isolated; /* constant after start */

struct cpu_mask sched_usual(void)
{
	struct cpu_mask usual;

	for (unsigned i = 0; i < MAX_CPUS / 64; i++)
		usual.words[i] = ~isolated.words[i];
	return usual;
}

void sched_isolate(void)
{
	struct cpu_mask usual;

	cmdline_cpus("isolcpus", &isolated);
	usual = sched_usual();
	if (cpu_mask_next(&usual, 0) >= nr_cpus) {
		log_warn("isolcpus= names every processor: ignored");
		isolated = (struct cpu_mask){0};
	}
}
