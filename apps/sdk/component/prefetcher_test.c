/* Checks the prefetcher without the simulator: what it fetches after a run of misses. */
#include <stdio.h>

#include "component.c"

static uint64_t fetched[16];
static unsigned nr;

static bool prefetch(const struct sim_host *host, uint64_t address)
{
	(void)host;
	fetched[nr++ % 16] = address;
	return true;
}

static bool no(const struct sim_host *host)
{
	(void)host;
	return false;
}

static bool holds_none(const struct sim_host *host, uint64_t address)
{
	(void)host;
	(void)address;
	return false;
}

int main(void)
{
	const struct sim_component *c = sim_component_of_file();
	const struct sim_host host = {.version = SIM_VERSION,
				      .level = SIM_L2,
				      .sets = 1024,
				      .ways = 4,
				      .prefetch = prefetch,
				      .prefetch_below = prefetch,
				      .holds = holds_none,
				      .busy = no};
	uint64_t values[SIM_PARAMETERS_MAX] = {0}, counts[SIM_STATISTICS_MAX] = {0};
	unsigned useful = 0;
	void *self;

	for (unsigned i = 0; c->parameters && c->parameters[i].name; i++)
		values[i] = c->parameters[i].usual;
	self = c->create(&host, values, counts);
	if (!self)
		return 1;
	for (uint64_t line = 0; line < 8; line++)
		c->prefetcher->access(self, &(struct sim_access){.pc = 0x401000,
								 .vaddr = 0x10000 + line * 64,
								 .address = 0x10000 + line * 64});
	for (unsigned i = 0; i < nr && i < 16; i++)
		useful += fetched[i] == 0x10000 + 8 * 64;
	c->destroy(self);
	printf("%u prefetches, %u of the next line\n", nr, useful);
	return !useful;
}
