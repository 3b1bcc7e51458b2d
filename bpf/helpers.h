/* SPDX-License-Identifier: BSD-2-Clause */
/* The helper functions, with Linux's names: help_NAME(). Context of all: any. */
#ifndef BPF_HELPERS_H
#define BPF_HELPERS_H

#include "bpf/bpf.h"

/* H: for programs of all types; P: of programs at samples only; R: of all except those at raw
 * tracepoints. With the number of registers, from R1 on, that they read. */
/* clang-format off */
#define HELPERS(H, P, R) \
	H(map_lookup_elem, 2) H(map_update_elem, 4) H(map_delete_elem, 2) H(ringbuf_output, 4) \
	H(ringbuf_reserve, 3) H(ringbuf_submit, 2) H(ringbuf_discard, 2) H(ringbuf_query, 2) \
	H(ktime_get_ns, 0) H(jiffies64, 0) H(get_smp_processor_id, 0) H(get_current_pid_tgid, 0) \
	H(get_current_uid_gid, 0) H(get_current_comm, 2) H(get_current_task, 0) H(get_prandom_u32, 0) \
	R(get_attach_cookie, 1) H(loop, 4) H(for_each_map_elem, 4) H(perf_event_output, 5) \
	H(perf_event_read, 2) H(perf_event_read_value, 4) H(get_stackid, 3) H(get_stack, 4) \
	H(probe_read, 3) H(probe_read_user, 3) H(probe_read_kernel, 3) H(probe_read_str, 3) \
	H(probe_read_user_str, 3) H(probe_read_kernel_str, 3) H(trace_printk, 5) H(snprintf, 5) \
	H(trace_vprintk, 4) H(strncmp, 3) H(map_lookup_percpu_elem, 3) H(get_current_cgroup_id, 0) \
	H(current_task_under_cgroup, 2) \
	H(get_current_task_btf, 0) H(get_numa_node_id, 0) H(get_ns_current_pid_tgid, 4) \
	H(send_signal, 1) H(send_signal_thread, 1) P(perf_prog_read_value, 3) P(read_branch_records, 4) \
	H(get_func_ip, 1)
/* clang-format on */

#define DECLARE(name, arguments) uint64_t help_##name(struct run *run, const uint64_t a[5]);
HELPERS(DECLARE, DECLARE, DECLARE)
#undef DECLARE

#endif
