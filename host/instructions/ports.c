/* SPDX-License-Identifier: BSD-2-Clause */
/* Which event counts the operations of which port. Sources: Intel's perfmon files, events
 * UOPS_EXECUTED.PORT*, UOPS_DISPATCHED_PORT.PORT_* and UOPS_DISPATCHED.PORT_*, as libpfm4 has
 * them. */
#include "host/instructions/ports.h"

#include <stddef.h>
#include <string.h>

#include "emulator/visor/model/personalities.h"
#include "host/lib/report.h"

#define SINCE_ICE_LAKE "p0=r01b2,p1=r02b2,p2+3+10=r04b2,p4+9=r10b2,p5+11=r20b2,p6=r40b2,p7+8=r80b2"

static const struct {
	const char *pmu, *events;
} ports[] = {
    {"nehalem", "p0=r01b1,p1=r02b1,p2=r2004b1,p3=r2008b1,p4=r2010b1,p5=r20b1"},
    {"skylake", "p0=r01a1,p1=r02a1,p2=r04a1,p3=r08a1,p4=r10a1,p5=r20a1,p6=r40a1,p7=r80a1"},
    {"sapphire-rapids", SINCE_ICE_LAKE},
    {"granite-rapids", SINCE_ICE_LAKE},
};

const char *ports_events(const char *pmu)
{
	const struct personality *own = personality_find(pmu); /* by its present name */

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (own && !strcmp(ports[i].pmu, personality_name(own)))
			return ports[i].events;
	die(STATUS_OURS,
	    "--ports: the PMU %s has no events of ports; --pmu nehalem, skylake, "
	    "sapphire-rapids and granite-rapids have",
	    pmu);
}
