/* SPDX-License-Identifier: BSD-2-Clause */
/* isolcpus= of the kernel's command line: tasks stay off those processors unless they are placed
 * there. */
#include "tests/guest/cpus.h"
#include <stdatomic.h>
#include "tests/guest/tap.h"

#define THREADS 8
#define LOOKS   300

static int cpus[CPUS_MAX], nr;
static atomic_int strays;

static int online(void)
{
	char text[64] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "r");
	int last = 0;

	if (file && fgets(text, sizeof(text), file) && strchr(text, '-'))
		last = atoi(strchr(text, '-') + 1);
	if (file)
		fclose(file);
	return last + 1;
}

static int is_usable(int cpu)
{
	for (int i = 0; i < nr; i++)
		if (cpus[i] == cpu)
			return 1;
	return 0;
}

static void *wander(void *unused)
{
	for (int i = 0; i < LOOKS; i++) {
		atomic_fetch_add(&strays, !is_usable(current_cpu()));
		sched_yield();
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int placed = 0, all = online();

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr == all)
		return tap_skip_all("no processor is isolated");
	printf("# %d of %d processors may be used\n", nr, all);
	for (int i = 0; i < THREADS; i++)
		start(&threads[i], wander, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(!atomic_load(&strays), "threads stay off the isolated processors");
	for (int cpu = 0; cpu < all; cpu++)
		placed += !place(0, cpu) && current_cpu() == cpu;
	ok(placed == all, "a task that is placed on one runs there");
	return tap_end();
}
