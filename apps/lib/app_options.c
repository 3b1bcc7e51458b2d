/* SPDX-License-Identifier: BSD-2-Clause */
/* The long options of `stat`, `record` and `list`. */
#include "apps/lib/app_options.h"

#include <stddef.h>

const struct option stat_long_options[] = {
    {"topdown", no_argument, NULL, OPTION_TOPDOWN},
    {"per-core", no_argument, NULL, OPTION_PER_CORE},
    {"no-big-num", no_argument, NULL, OPTION_PLAIN},
    {"metric-only", no_argument, NULL, OPTION_METRIC_ONLY},
    {"table", no_argument, NULL, OPTION_TABLE},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {"event", required_argument, NULL, 'e'},
    {"repeat", required_argument, NULL, 'r'},
    {"field-separator", required_argument, NULL, 'x'},
    {"json-output", no_argument, NULL, 'j'},
    {"json", no_argument, NULL, 'j'},
    {"detailed", no_argument, NULL, 'd'},
    {"interval-print", required_argument, NULL, 'I'},
    {"metrics", required_argument, NULL, 'M'},
    {"all-cpus", no_argument, NULL, 'a'},
    {"cpu", required_argument, NULL, 'C'},
    {"no-aggr", no_argument, NULL, 'A'},
    {"big-num", no_argument, NULL, 'B'},
    {"output", required_argument, NULL, 'o'},
    {"pid", required_argument, NULL, 'p'},
    {NULL, 0, NULL, 0},
};

const struct option record_long_options[] = {
    {"call-graph", required_argument, NULL, OPTION_CHAINS},
    {"switch-output", optional_argument, NULL, OPTION_SWITCH},
    {"phys-data", no_argument, NULL, OPTION_PHYSICAL},
    {"event", required_argument, NULL, 'e'},
    {"count", required_argument, NULL, 'c'},
    {"freq", required_argument, NULL, 'F'},
    {"branch-any", no_argument, NULL, 'b'},
    {"weight", no_argument, NULL, 'W'},
    {"data", no_argument, NULL, 'd'},
    {"mmap-pages", required_argument, NULL, 'm'},
    {"all-cpus", no_argument, NULL, 'a'},
    {"cpu", required_argument, NULL, 'C'},
    {"output", required_argument, NULL, 'o'},
    {"pid", required_argument, NULL, 'p'},
    {NULL, 0, NULL, 0},
};

const struct option list_long_options[] = {
    {"json", no_argument, NULL, OPTION_LIST_JSON},
    {NULL, 0, NULL, 0},
};
