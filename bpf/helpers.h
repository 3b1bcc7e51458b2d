/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that programs can call, by Linux's names: help_NAME(). Context of all: any. */
#ifndef BPF_HELPERS_H
#define BPF_HELPERS_H

#include "bpf/bpf.h"

/* H(NAME): for programs of all types; P(NAME): of those at samples only; N(NAME): of all others. */
/* clang-format off */
#define HELPERS(H, P, N) \
	H(map_lookup_elem) H(map_update_elem) H(map_delete_elem) \
	H(ringbuf_output) H(ringbuf_reserve) H(ringbuf_submit) \
	H(ringbuf_discard) H(ringbuf_query) H(ktime_get_ns) \
	H(jiffies64) H(get_smp_processor_id) H(get_current_pid_tgid) \
	H(get_current_uid_gid) H(get_current_comm) H(get_current_task) \
	H(get_prandom_u32) H(get_attach_cookie) H(loop) H(for_each_map_elem) \
	H(perf_event_output) H(perf_event_read) H(perf_event_read_value) \
	H(get_stackid) H(get_stack) H(probe_read) \
	H(probe_read_user) H(probe_read_kernel) H(probe_read_str) \
	H(probe_read_user_str) H(probe_read_kernel_str) H(trace_printk) \
	H(snprintf) H(trace_vprintk) H(strncmp) H(map_lookup_percpu_elem) \
	H(get_current_cgroup_id) H(get_current_task_btf) H(get_numa_node_id) \
	H(get_ns_current_pid_tgid) H(send_signal) H(send_signal_thread) P(perf_prog_read_value) P(read_branch_records) \
	N(get_func_ip)
/* clang-format on */

#define DECLARE(name) uint64_t help_##name(struct run *run, const uint64_t a[5]);
HELPERS(DECLARE, DECLARE, DECLARE)
#undef DECLARE

#endif
