/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of kernel/base/hooks.h: empty until pmu/ fills them. */
#include "kernel/base/hooks.h"

struct perf_hooks perf_hooks;
