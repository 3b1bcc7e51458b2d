/* Checks the policy without the simulator: the way that was used long ago leaves. */
#include <stdio.h>

#include "component.c"

int main(void)
{
	const struct sim_component *c = sim_component_of_file();
	const struct sim_host host = {
	    .version = SIM_VERSION, .level = SIM_L2, .sets = 64, .ways = 8};
	uint64_t values[SIM_PARAMETERS_MAX] = {0}, counts[SIM_STATISTICS_MAX] = {0};
	const struct sim_access access = {.pc = 0x401000, .address = 0x1000, .type = SIM_LOAD};
	uint32_t way;
	void *self;

	for (unsigned i = 0; c->parameters && c->parameters[i].name; i++)
		values[i] = c->parameters[i].usual;
	self = c->create(&host, values, counts);
	if (!self)
		return 1;
	for (way = 0; way < host.ways; way++)
		c->replacement->fill(self, 3, way, &access);
	for (way = 0; way < host.ways; way++)
		if (way != 5)
			c->replacement->hit(self, 3, way, &access);
	way = c->replacement->victim(self, 3, &access);
	c->destroy(self);
	printf("way %u leaves\n", way);
	return way != 5;
}
