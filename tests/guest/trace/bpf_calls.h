/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of bpf(2) that the programs share which test it. */
#ifndef TESTS_GUEST_BPF_CALLS_H
#define TESTS_GUEST_BPF_CALLS_H

#include "tests/guest/perf.h"
#include "tests/guest/trace/bpf_insns.h"
#include "tests/guest/trace/bpf_sys.h"

#endif
