/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up of tracing. */
#include "trace/base/event.h"
#include "trace/btf.h"
#include "trace/functions.h"
#include "trace/places.h"
#include "trace/probe/probe.h"
#include "trace/trace.h"
#include "trace/tracefs.h"

void trace_init(void)
{
	trace_above = (struct trace_above){
	    .set_place = place_set, .set_function = function_set, .probe_by_id = probe_by_id};
	places_init();
	tracepoint_init();
	probe_pmus_init();
	tracefs_init();
	kernel_btf_init();
}
