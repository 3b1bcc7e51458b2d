/* Checks the predictor without the simulator: what a loop's branch must cost. */
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
	for (unsigned i = 0; i < 1000; i++) { /* 100 runs of a loop of 10 rounds */
		bool taken = i % 10 != 9, predicted = c->direction->predict(self, 0x401000);

		c->direction->update(self, 0x401000, predicted, taken, 0x400ff0);
		wrong += predicted != taken;
	}
	c->destroy(self);
	printf("%u of 1000 branches of a loop mispredicted\n", wrong);
	return wrong > 110; /* once a run, and the first ones */
}
