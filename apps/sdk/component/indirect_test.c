/* Checks the predictor without the simulator: two targets, one for each path. */
#include <stdio.h>

#include "component.c"

int main(void)
{
	const struct sim_component *c = sim_component_of_file();
	const struct sim_host host = {.version = SIM_VERSION, .level = SIM_NO_LEVEL};
	uint64_t values[SIM_PARAMETERS_MAX] = {0}, counts[SIM_STATISTICS_MAX] = {0};
	unsigned wrong = 0;
	void *self;

	for (unsigned i = 0; c->parameters && c->parameters[i].name; i++)
		values[i] = c->parameters[i].usual;
	self = c->create(&host, values, counts);
	if (!self)
		return 1;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t path = i % 2 ? 0x111 : 0x222, target = i % 2 ? 0x402000 : 0x403000;
		uint64_t predicted = c->indirect->predict(self, 0x401000, path, 0);

		c->indirect->update(self, 0x401000, path, predicted, target);
		wrong += predicted != target;
	}
	c->destroy(self);
	printf("%u of 1000 targets mispredicted\n", wrong);
	return wrong > 10;
}
