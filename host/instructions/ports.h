/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of `bench instructions --ports`. */
#ifndef HOST_INSTRUCTIONS_PORTS_H
#define HOST_INSTRUCTIONS_PORTS_H

/* Returns "p0=EVENT,p1=EVENT" for the PMU; ends the command when it counts no ports. */
const char *ports_events(const char *pmu);

#endif
