/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up of tracing. */
#include "trace/trace.h"
#include "trace/btf.h"
#include "trace/base/event.h"
#include "trace/probe/probe.h"

void trace_init(void)
{
	places_init();
	tracepoint_init();
	probe_pmus_init();
	tracefs_init();
	kernel_btf_init();
}
