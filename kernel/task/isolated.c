/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors that new programs stay off: isolcpus= of the command line. */
#include "arch/x86/trap/remote.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/log.h"
#include "kernel/task/sched.h"

static uint64_t isolated; /* constant after start */

uint64_t sched_isolated(void)
{
	return isolated;
}

void sched_isolate(void)
{
	isolated = cmdline_cpus("isolcpus") & cpus_online();
	if (isolated == cpus_online()) {
		log_warn("isolcpus= names every processor: ignored");
		isolated = 0;
	}
}
