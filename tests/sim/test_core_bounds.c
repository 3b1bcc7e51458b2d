/* SPDX-License-Identifier: BSD-2-Clause */
/* No count is above what its meaning allows, whatever the core: for every core, and for the least
 * and the largest value of each numeric option of three of them. */
#include "emulator/sim/options/options.h"
#include "tests/sim/fake_guest.h"

#define ROUNDS 400
#define LOOP   0x1000
#define SPREAD (1ull << 30) /* bytes that accesses fall into: more pages than any TLB has */
#define PAIR   32           /* bytes for a core's name and an option with its value */

/* mov rax, [rsi]; mov rbx, [rdi]; mov [rdx], rax; div rcx; test al, 1; jz +2 */
static const uint8_t head[] = {0x48, 0x8b, 0x06, 0x48, 0x8b, 0x1f, 0x48, 0x89,
			       0x02, 0x48, 0xf7, 0xf1, 0xa8, 0x01, 0x74, 0x02};
/* jmp to another block's begin, two of them */
static const uint8_t odd[] = {0xeb, 0xee}, even[] = {0xeb, 0xec};

/* Factors of bounds. */
static uint64_t once(const struct core_config *config)
{
	(void)config;
	return 1;
}

static uint64_t walkers(const struct core_config *config)
{
	return config->memory.walkers;
}

/* 0 stands for any number of buffers. */
static uint64_t buffers(const struct core_config *config)
{
	return config->memory.fill_buffers ? config->memory.fill_buffers : 1 << 20;
}

static uint64_t width(const struct core_config *config)
{
	return config->pipe.width;
}

static uint64_t window(const struct core_config *config)
{
	return config->pipe.rob;
}

#define CYCLES(quantity, times)                       \
	{                                             \
		{CORE_##quantity}, CORE_CYCLES, times \
	}
#define PART(quantity, whole)                         \
	{                                             \
		{CORE_##quantity}, CORE_##whole, once \
	}

/* clang-format off */
static const struct bound {
	enum core_quantity parts[5]; /* their sum; 0 ends */
	enum core_quantity whole;
	uint64_t (*times)(const struct core_config *config);
} bounds[] = {
	{{CORE_DTLB_LOAD_WALK_CYCLES, CORE_DTLB_STORE_WALK_CYCLES, CORE_ITLB_WALK_CYCLES},
	 CORE_CYCLES, walkers},
	CYCLES(OUTSTANDING_L1D, buffers), CYCLES(ROB_ENTRIES, window),
	CYCLES(ISSUE_CYCLES, once), CYCLES(RETIRE_CYCLES, once),
	CYCLES(PENDING_CYCLES_L1D, once), PART(PENDING_CYCLES_L2, PENDING_CYCLES_L1D),
	PART(PENDING_CYCLES_L3, PENDING_CYCLES_L2),
	CYCLES(STALL_CYCLES_MEMORY, once), PART(STALL_CYCLES_L2, STALL_CYCLES_MEMORY),
	PART(STALL_CYCLES_L3, STALL_CYCLES_L2), CYCLES(STALL_CYCLES_FRONTEND, once),
	CYCLES(STALL_CYCLES_RESOURCES, once), CYCLES(RECOVERY_CYCLES, once),
	CYCLES(DIVIDER_CYCLES, once), CYCLES(SLOTS, width),
	{{CORE_SLOTS_RETIRING, CORE_SLOTS_BAD_SPECULATION, CORE_SLOTS_FRONTEND, CORE_SLOTS_BACKEND},
	 CORE_SLOTS, once},
	PART(SLOTS_MEMORY, SLOTS_BACKEND), PART(SLOTS_FETCH_LATENCY, SLOTS_FRONTEND),
	PART(SLOTS_HEAVY, SLOTS_RETIRING), PART(SLOTS_MISPREDICTED, SLOTS_BAD_SPECULATION),
	CYCLES(PORT_0, once), CYCLES(PORT_1, once), CYCLES(PORT_2, once), CYCLES(PORT_3, once),
	CYCLES(PORT_4, once), CYCLES(PORT_5, once), CYCLES(PORT_6, once), CYCLES(PORT_7, once),
	PART(DTLB_LOAD_WALKS, DTLB_LOAD_MISSES), PART(DTLB_STORE_WALKS, DTLB_STORE_MISSES),
	PART(ITLB_WALKS, ITLB_MISSES), PART(L2_LOAD_MISSES, L2_LOADS),
	PART(LAST_MISSES, LAST_REQUESTS), PART(L1D_LOAD_MISSES, L1D_LOADS),
	{{CORE_LOADS_LFB, CORE_LOADS_L2, CORE_LOADS_L3, CORE_LOADS_HITM, CORE_LOADS_DRAM},
	 CORE_L1D_LOADS, once},
};
/* clang-format on */

static void run(struct guest *guest, struct code_block *first, struct code_block *const *seconds)
{
	uint64_t random = 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t any = test_random(&random);

		core_block(guest->core, first);
		for (unsigned n = 0; n < 3; n++)
			guest_access(guest, first, n, test_random(&random) % SPREAD & ~7ull,
				     n == 2);
		core_block(guest->core, seconds[any >> 40 & 1]);
	}
}

static void check(const char *core, const struct guest *guest)
{
	const uint64_t *counts = guest->counts[CORE_RING_USER];

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		const struct bound *bound = &bounds[i];
		uint64_t sum = 0, most = bound->times(&guest->config);

		for (size_t n = 0; n < 5 && bound->parts[n]; n++)
			sum += counts[bound->parts[n]];
		/* Waits of the last accesses are counted where these began. */
		most *= counts[bound->whole] + (bound->whole == CORE_CYCLES ? LATENCY_MAX : 0);
		if (sum > most)
			fail_msg("%s: bound %zu: %lu of at most %lu, cycles %lu", core, i, sum,
				 most, counts[CORE_CYCLES]);
	}
}

static void try_core(const char *core)
{
	static struct guest guest;
	struct code_block *first, *seconds[2];

	guest_begin(&guest, core);
	first = guest_block(&guest, head, sizeof(head), LOOP);
	seconds[0] = guest_block(&guest, odd, sizeof(odd), first->end);
	seconds[1] = guest_block(&guest, even, sizeof(even), seconds[0]->end);
	run(&guest, first, seconds);
	guest.page.end = CORE_STOPPED_BETWEEN;
	guest_count_at(&guest, LOOP, CORE_RING_USER, CORE_CYCLES);
	assert_true(guest.counts[CORE_RING_USER][CORE_CYCLES] > ROUNDS);
	check(core, &guest);
	guest_free_block(first);
	guest_free_block(seconds[0]);
	guest_free_block(seconds[1]);
	guest_end(&guest);
}

static void test_every_core(void **state)
{
	(void)state;
	for (size_t i = 0; core_config_at(i); i++)
		try_core(core_config_at(i)->name);
}

/* True where the core can have the value. */
static bool is_possible(const char *text)
{
	struct core_config config;
	char error[256];

	return !core_config_parse(text, &config, error, sizeof(error));
}

static void test_every_option(void **state)
{
	static const char *const cores[] = {"nehalem", "skylake", "zen4"};
	char text[2 * PAIR];
	unsigned tried = 0;

	(void)state;
	for (unsigned c = 0; c < 3; c++)
		for (size_t i = 0; config_word_at(i); i++)
			for (unsigned end = 0; end < 2; end++) {
				const struct config_word *word = config_word_at(i);

				if (word->set != config_set_number)
					continue;
				snprintf(text, sizeof(text), "%s,%s=%lu", cores[c], word->name,
					 (unsigned long)(end ? word->max : word->min));
				if (!is_possible(text))
					continue;
				try_core(text);
				tried++;
			}
	assert_true(tried > 3 * 50);
}

/* A channel of memory that is too slow by far. */
static void test_slow_channel(void **state)
{
	(void)state;
	try_core("nehalem,memory-gap=809");
	try_core("skylake,memory-gap=1000,memory-latency=8000,fill-buffers=64,rob=1024");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_core),
	    cmocka_unit_test(test_slow_channel),
	    cmocka_unit_test(test_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
