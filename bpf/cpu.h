/* SPDX-License-Identifier: BSD-2-Clause */
/* What bpf/ keeps for each processor. */
#ifndef BPF_CPU_H
#define BPF_CPU_H

#include "arch/x86/cpu/percpu.h"
#include "bpf/bpf.h"

struct bpf_cpu {
	uint32_t running; /* programs: 1, or more while others are turned away. NMI and task */
	struct run run;
};

/* By number; made with the first program and kept. */
extern struct bpf_cpu *bpf_cpus[MAX_CPUS];

static inline struct bpf_cpu *bpf_this_cpu(void)
{
	return bpf_cpus[this_cpu_read(id)];
}

/* Makes them: 0 or -ENOMEM. Context: task. */
int bpf_cpus_init(void);

#endif
