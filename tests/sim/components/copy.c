/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of built-in components, from their own source: a shared object must count as they do. COPY
 * says which. */
#include "abi/sim.h"

#define COPY_TAGE     1
#define COPY_PLRU     2
#define COPY_STREAMER 3
#define COPY_PATH     4

#if COPY == COPY_TAGE
#include "emulator/sim/branch/direction.c"
SIM_COMPONENT(component_tage)
#elif COPY == COPY_PLRU
#include "emulator/sim/component/policies.c"
SIM_COMPONENT(component_plru)
#elif COPY == COPY_STREAMER
#include "emulator/sim/memory/prefetchers.c"
SIM_COMPONENT(component_streamer)
#else
#include "emulator/sim/branch/path.c"
SIM_COMPONENT(component_path)
#endif
