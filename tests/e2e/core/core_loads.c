/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples slow loads of chases whose levels are known, and prints of each "NAME: SAMPLES KNOWN
 * SHORTEST LONGEST LEVEL...", for tests/e2e/core/core_loads.t: how many samples, how many of them
 * name an address of the chase's and its instruction, their weights in cycles, and how many found
 * their data in L1D, a fill buffer, L2, L3, memory.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core_chase.h"

enum { PERIOD = 97, STEPS = 9700, RING_PAGES = 16 };

/* Sapphire Rapids: mem-loads-aux leads the group of MEM_TRANS_RETIRED.LOAD_LATENCY. */
enum { AUX = 0x8203, LOAD_LATENCY = 0x1cd };

struct sample {
	struct perf_event_header header;
	uint64_t ip, address, weight, source;
};

static int open_event(uint64_t config, unsigned threshold, int leader)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_RAW,
				       .size = sizeof(attr),
				       .config = config,
				       .config1 = threshold,
				       .disabled = leader < 0,
				       .exclude_kernel = 1};
	int fd;

	if (threshold) {
		attr.sample_period = PERIOD;
		attr.precise_ip = 2;
		attr.sample_type =
		    PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
	check(fd, "perf_event_open");
	return fd;
}

static void take(void *result, const void *sample, const char *buffer, unsigned bytes)
{
	const struct sample *s = sample;
	struct loads *r = result;
	static const uint8_t numbers[LEVELS] = {PERF_MEM_LVLNUM_L1, PERF_MEM_LVLNUM_LFB,
						PERF_MEM_LVLNUM_L2, PERF_MEM_LVLNUM_L3,
						PERF_MEM_LVLNUM_RAM};
	union perf_mem_data_src source = {.val = s->source};

	loads_add(r, s->weight,
		  s->ip == (uintptr_t)chase_load && s->address - (uintptr_t)buffer < bytes);
	for (unsigned i = 0; i < LEVELS; i++)
		r->levels[i] += source.mem_lvl_num == numbers[i];
}

static void measure(const struct chase *c)
{
	int leader = open_event(AUX, 0, -1);
	struct sampler sampler = {.fd = open_event(LOAD_LATENCY, c->threshold, leader),
				  .leader = leader,
				  .pages = RING_PAGES,
				  .bytes = sizeof(struct sample),
				  .take = take};
	struct loads r = {0};

	chase_sample(&sampler, c, STEPS, &r);
	loads_print(c->name, &r);
}

int main(void)
{
	static const struct chase chases[] = {
	    {"l1", 16, 3, 1},        {"l2", 96, 3, 1},         {"l3", 512, 3, 1},
	    {"memory", 4096, 3, 1},  {"fast", 96, 30, 1},      {"slow", 512, 30, 1},
	    {"slower", 512, 150, 1}, {"rare", 4096, 150, 200},
	};

	for (unsigned i = 0; i < sizeof(chases) / sizeof(chases[0]); i++)
		measure(&chases[i]);
	return 0;
}
