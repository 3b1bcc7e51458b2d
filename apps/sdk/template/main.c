/* Counts what one step of a loop costs. `make run` runs it in the barepmu image; it runs on Linux
 * as well. */
#include "barepmu.h"

#define ROUNDS 1000

static volatile uint64_t sink;

static void step(uint64_t i)
{
	sink = sink * 3 + i;
}

int main(void)
{
	struct barepmu pmu;

	if (barepmu_open(&pmu, "cycles,instructions"))
		return barepmu_error(&pmu);
	for (int warm_up = 1; warm_up >= 0; warm_up--) {
		barepmu_reset(&pmu);
		barepmu_begin(&pmu);
		for (uint64_t i = 0; i < ROUNDS; i++)
			step(i);
		barepmu_end(&pmu);
	}
	barepmu_print(&pmu, "step", ROUNDS);
	barepmu_close(&pmu);
	return 0;
}
