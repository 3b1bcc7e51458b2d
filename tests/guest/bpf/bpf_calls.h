/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of bpf(2) that the programs share which test it. */
#ifndef TESTS_GUEST_BPF_CALLS_H
#define TESTS_GUEST_BPF_CALLS_H

#include "tests/guest/perf.h"
#include "tests/guest/bpf/bpf_insns.h"
#include "tests/guest/bpf/bpf_sys.h"
#include "tests/guest/trace/tracing.h"

/* Runs the program once, at a call of this process's. */
static inline void run_once(long prog)
{
	struct perf_event_attr attr =
	    perf_attr(PERF_TYPE_TRACEPOINT, id_of("syscalls/sys_enter_getppid"));
	int event = perf_open(&attr, -1, 0, -1, 0);

	ok(prog >= 0 && !ioctl(event, PERF_EVENT_IOC_SET_BPF, prog),
	   "the program is loaded and attached");
	syscall(SYS_getppid);
	close(event);
	close((int)prog);
}

#endif
