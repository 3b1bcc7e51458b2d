/* SPDX-License-Identifier: BSD-2-Clause */
/* The long options of `stat`, `record` and `list`. */
#include "apps/lib/app_options.h"

#include <stddef.h>

const struct option stat_long_options[] = {
    {"topdown", no_argument, NULL, OPTION_TOPDOWN},
    {"per-core", no_argument, NULL, OPTION_PER_CORE},
    {"no-big-num", no_argument, NULL, OPTION_PLAIN},
    {"table", no_argument, NULL, OPTION_TABLE},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {NULL, 0, NULL, 0},
};

const struct option record_long_options[] = {
    {"call-graph", required_argument, NULL, OPTION_CHAINS},
    {"switch-output", optional_argument, NULL, OPTION_SWITCH},
    {"phys-data", no_argument, NULL, OPTION_PHYSICAL},
    {NULL, 0, NULL, 0},
};

const struct option list_long_options[] = {
    {"json", no_argument, NULL, OPTION_LIST_JSON},
    {NULL, 0, NULL, 0},
};
