/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of kernel/hooks.h: empty until pmu/ fills them. */
#include "kernel/hooks.h"

struct perf_hooks perf_hooks;
