/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of tasks' actions. Context of all, unless one says more: task or interrupt. */
#ifndef PMU_RECORD_SIDEBAND_H
#define PMU_RECORD_SIDEBAND_H

#include "pmu/base/event.h"

struct vma;

void records_fork(struct task *child);
void records_exit(struct task *task, struct context *ctx);
/* Writes NAMESPACES records for a new task, or for the current one after unshare(2). */
void records_namespaces(struct task *task);
void records_comm(struct task *task, bool exec);
void records_mmap(const struct vma *vma);
/* Writes SWITCH records; `other` is the next task, or the previous one. */
void records_switch(struct task *task, struct task *other, bool in);
/* Context: any. */
void records_throttle(struct perf_event *event, bool begins);
/* Writes LOST_SAMPLES: `number` samples of the event are lost. Context: any. */
void records_lost_samples(struct perf_event *event, uint64_t number);
/* A program of that number and tag was loaded, or is gone: KSYMBOL and BPF_EVENT. */
void records_bpf(uint32_t id, const uint8_t tag[8], const char *name, uint64_t address,
		 uint32_t bytes, bool loaded);
/* Writes TEXT_POKE after a change of kernel code of at most TEXT_POKE_MAX bytes. Context: task. */
#define TEXT_POKE_MAX 32
void records_text_poke(uint64_t address, const uint8_t *before, uint16_t nr_before,
		       const uint8_t *after, uint16_t nr_after);
/* Writes the READ record of an inherited event whose task exits. */
void records_read(struct perf_event *event, struct task *task);

/* Writes CGROUP for a new control group. */
void records_cgroup(const struct cgroup *group);

/* Calls `write` for each event of this processor and of the current task that `wants` a record.
 * Context: task or interrupt. */
typedef bool wants_fn(const struct perf_event *event, const void *what);
typedef void write_fn(struct perf_event *event, const void *what);
void records_all(wants_fn *wants, write_fn *write, const void *what);

#endif
