/* SPDX-License-Identifier: BSD-2-Clause */
/* The table through which the kernel calls up; pmu/ fills it at start. */
#include "kernel/hooks.h"

struct perf_hooks perf_hooks;
