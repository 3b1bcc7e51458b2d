/* SPDX-License-Identifier: BSD-2-Clause */
/* Start of bpf(2). */
#ifndef API_BPF_INIT_H
#define API_BPF_INIT_H

/* Connects BPF programs to perf events. Context: start. */
void bpf_init(void);

#endif
