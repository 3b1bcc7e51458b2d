/* SPDX-License-Identifier: BSD-2-Clause */
/* The per-processor state of bpf/. */
#ifndef BPF_CPU_H
#define BPF_CPU_H

#include "arch/x86/cpu/percpu.h"
#include "bpf/bpf.h"
#include "kernel/time/timer.h"

/* A program's signal, sent after the program. */
struct bpf_signal {
	struct irq_work work;
	uint32_t pending;  /* atomic: 1 until it is sent */
	struct task *task; /* not referenced: it may be gone by then */
	int signo;
	bool whole_process;
};

struct bpf_cpu {
	struct run run;
	struct bpf_signal signal;
};

static inline struct bpf_cpu *bpf_this_cpu(void)
{
	return this_cpu_read(bpf);
}

/* Allocates the per-processor state, which is kept: 0 or -ENOMEM. Context: task. */
int bpf_cpus_init(void);

#endif
