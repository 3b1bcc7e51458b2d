/* SPDX-License-Identifier: BSD-2-Clause */
/* Components with one fault each: BAD says which. */
#include <stdlib.h>

#include "sim.h"

#define BAD_VERSION  1
#define BAD_MISSING  2
#define BAD_WAY      3
#define BAD_PREFETCH 4
#define BAD_CRASH    5
#define BAD_CREATE   6
#define BAD_NONE     7 /* no component at all */

static void *make(const struct sim_host *host, const uint64_t *parameters, uint64_t *statistics)
{
	(void)parameters;
	(void)statistics;
	return BAD == BAD_CREATE ? NULL : (void *)host;
}

static void unmake(void *self)
{
	(void)self;
}

#if BAD == BAD_PREFETCH
static void wild(void *self, const struct sim_access *access)
{
	const struct sim_host *host = self;

	host->prefetch(host, access->address + 0x123456000);
}

static const struct sim_prefetcher prefetcher = {.access = wild};
#elif BAD == BAD_CRASH
static bool crash(void *self, uint64_t pc, bool taken, uint64_t target)
{
	(void)self;
	(void)target;
	return *(volatile bool *)(pc & 8) ^ taken;
}

static const struct sim_direction direction = {.step = crash};
#else
static uint32_t too_far(void *self, uint32_t set, const struct sim_access *access)
{
	const struct sim_host *host = self;

	(void)set;
	(void)access;
	return host->ways;
}

static void ignore(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	(void)self;
	(void)set;
	(void)way;
	(void)access;
}

static const struct sim_replacement replacement = {
    .victim = BAD == BAD_MISSING ? NULL : too_far, .fill = ignore, .hit = ignore};
#endif

static const struct sim_component component = {
    .version = BAD == BAD_VERSION ? SIM_VERSION + 1 : SIM_VERSION,
    .name = "bad",
    .shows = "has a fault",
    .create = make,
    .destroy = unmake,
#if BAD == BAD_PREFETCH
    .kind = SIM_PREFETCHER,
    .prefetcher = &prefetcher,
#elif BAD == BAD_CRASH
    .kind = SIM_DIRECTION,
    .direction = &direction,
#else
    .kind = SIM_REPLACEMENT,
    .replacement = &replacement,
#endif
};

#if BAD != BAD_NONE
SIM_COMPONENT(component)
#else
const struct sim_component *not_exported_as_it_should = &component;
#endif
