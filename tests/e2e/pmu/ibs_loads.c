/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples micro-operations of chases by AMD's instruction-based sampling, and prints of each "NAME:
 * SAMPLES KNOWN SHORTEST LONGEST LEVEL...", for tests/e2e/pmu/ibs.t: how many samples are of the
 * chase's load, how many of them name an address of the chase's, their weights in cycles, and how
 * many found their data in L1D, a fill buffer, L2, L3, memory. Then of a branch that is taken every
 * other time: samples, and how many of them were taken, mispredicted.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../core/core_chase.h"

enum { PERIOD = 3200, STEPS = 97000, RING_PAGES = 64 };

#define COUNTS_OPS        (1ull << 19) /* of the PMU's config */
#define DATA_TAKEN        (1ull << 35) /* of IBS_OP_DATA */
#define DATA_MISPREDICTED (1ull << 36)
#define DATA_BRANCH       (1ull << 37)

/* Raw data: a word of capabilities, then the registers from IBS_OP_CTL on. */
struct sample {
	struct perf_event_header header;
	uint64_t ip, address;
	uint32_t raw_bytes, caps;
	uint64_t control, rip, data, data2, data3, linear, physical, target;
	uint64_t weight, source;
};

struct result {
	struct loads loads;
	unsigned longest[LEVELS]; /* cycles */
	unsigned branches, taken, mispredicted;
};

extern const char branch_jump[];

static uint32_t type_of(void)
{
	int fd = open("/sys/bus/event_source/devices/ibs_op/type", O_RDONLY);
	char text[16] = {0};

	check(fd, "ibs_op");
	check((int)read(fd, text, sizeof(text) - 1), "its type");
	close(fd);
	return (uint32_t)atoi(text);
}

static int open_event(void)
{
	struct perf_event_attr attr = {.type = type_of(),
				       .size = sizeof(attr),
				       .config = COUNTS_OPS,
				       .sample_period = PERIOD,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
						      PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT |
						      PERF_SAMPLE_DATA_SRC,
				       .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	check(fd, "perf_event_open");
	return fd;
}

static void take(void *result, const void *sample, const char *buffer, unsigned bytes)
{
	const struct sample *s = sample;
	struct result *r = result;
	static const uint64_t levels[LEVELS] = {PERF_MEM_LVL_L1, PERF_MEM_LVL_LFB, PERF_MEM_LVL_L2,
						PERF_MEM_LVL_L3, PERF_MEM_LVL_LOC_RAM};
	union perf_mem_data_src source = {.val = s->source};

	if (s->ip == (uintptr_t)branch_jump) {
		r->branches += !!(s->data & DATA_BRANCH);
		r->taken += !!(s->data & DATA_TAKEN);
		r->mispredicted += !!(s->data & DATA_MISPREDICTED);
	}
	if (s->ip != (uintptr_t)chase_load)
		return;
	loads_add(&r->loads, s->weight,
		  s->address - (uintptr_t)buffer < bytes && s->linear == s->address);
	for (unsigned i = 0; i < LEVELS; i++) {
		if (!(source.mem_lvl & levels[i]))
			continue;
		r->loads.levels[i]++;
		if (s->weight > r->longest[i])
			r->longest[i] = (unsigned)s->weight;
	}
}

/* Returns the longest load in the level that most loads have: the PMI's handler may take a line of
 * the chase's from the caches. */
static unsigned usual_longest(const struct result *r)
{
	unsigned most = 0;

	for (unsigned i = 1; i < LEVELS; i++)
		if (r->loads.levels[i] > r->loads.levels[most])
			most = i;
	return r->longest[most];
}

static struct sampler sampler_open(void)
{
	int fd = open_event();

	return (struct sampler){.fd = fd,
				.leader = fd,
				.pages = RING_PAGES,
				.bytes = sizeof(struct sample),
				.take = take};
}

static void measure(const struct chase *c)
{
	struct sampler sampler = sampler_open();
	struct result r = {0};

	chase_sample(&sampler, c, STEPS, &r);
	r.loads.longest = usual_longest(&r);
	loads_print(c->name, &r.loads);
}

/* The jump's condition is a random bit, or always false. */
static __attribute__((noinline, noclone)) void jump(unsigned steps, uint64_t mask)
{
	uint64_t x = 88172645463325252ull;

	__asm__ volatile("1: mov %1, %%rax\n"
			 "shl $13, %%rax\n"
			 "xor %%rax, %1\n"
			 "mov %1, %%rax\n"
			 "shr $7, %%rax\n"
			 "xor %%rax, %1\n"
			 "mov %1, %%rax\n"
			 "shl $17, %%rax\n"
			 "xor %%rax, %1\n"
			 "test %2, %1\n"
			 "branch_jump: jnz 2f\n"
			 "nop\n"
			 "2: dec %0\n"
			 "jnz 1b\n"
			 : "+r"(steps), "+r"(x)
			 : "r"(mask)
			 : "rax", "cc");
}

static void measure_jump(const char *name, uint64_t mask)
{
	struct sampler sampler = sampler_open();
	struct perf_event_mmap_page *page = ring_map(sampler.fd, RING_PAGES);
	struct result r = {0};

	ioctl(sampler.fd, PERF_EVENT_IOC_ENABLE, 0);
	jump(3 * STEPS, mask);
	ioctl(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	ring_take(&sampler, page, &r, NULL, 0);
	printf("%s: %u %u %u\n", name, r.branches, r.taken, r.mispredicted);
	munmap(page, (1 + RING_PAGES) * PAGE);
	close(sampler.fd);
}

int main(void)
{
	static const struct chase chases[] = {
	    {"l1", 16, 0, 1}, {"l2", 96, 0, 1}, {"l3", 1024, 0, 1}, {"memory", 8192, 0, 1}};

	for (unsigned i = 0; i < sizeof(chases) / sizeof(chases[0]); i++)
		measure(&chases[i]);
	measure_jump("random", 1ull << 40);
	measure_jump("never", 0);
	return 0;
}
