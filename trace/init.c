/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up of tracing. */
#include "trace/trace.h"
#include "trace/event.h"

void trace_init(void)
{
	places_init();
	tracepoint_init();
	tracefs_init();
}
