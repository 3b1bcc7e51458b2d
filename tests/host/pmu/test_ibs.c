/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of instruction-based sampling against the modelled one: the contents of their
 * samples. Fields of raw data: PPRs of families 17h and 19h, MSRC001_1030 to 103C. */
#include "tests/host/names.h"
#include "tests/host/fake/fake_files.h"
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"

#define FETCH_TYPE 8
#define OP_TYPE    9
#define COUNTS_OPS (1ull << 19)
#define L3_ONLY    (1ull << 16)

static const char *const parts[] = {"amd-k7", "amd-core", "zen3", "amd-v2", "zen5"};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = fake_attr(type, config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

static int open_there(struct perf_event_attr *attr)
{
	int fd = fake_open(attr, -1, 0, -1, 0);

	assert_true(fd >= 0);
	return fd;
}

/* How many samples a run gives, all at the address that was tagged. */
static unsigned count_samples(struct perf_event_attr *attr, uint64_t instructions)
{
	const struct ring_record *record;
	struct ring_reader reader;
	unsigned samples = 0;
	int fd = open_there(attr), error;
	void *map = fake_mmap(fd, 9, true, &error);

	assert_non_null(map);
	fake_run(instructions, MODEL_USER);
	reader = ring_reader(map, 8);
	while ((record = ring_next(&reader))) {
		assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
		assert_true(record->header.misc & PERF_RECORD_MISC_EXACT_IP);
		assert_int_equal(record->words[0], FAKE_USER_RIP - FAKE_STEP);
		samples++;
	}
	fake_munmap(fd, map);
	fake_close(fd);
	return samples;
}

/* 16384 instructions are 12288 cycles, 18432 micro-operations and 4096 fetches
 * (docs/emulated-pmu.md); one more is tagged and not counted. Micro-operations start again at a
 * random count below 128. */
static void periods(void **state)
{
	(void)state;
	assert_names_all(parts, &vendor_amd);
	for (unsigned p = 0; p < PARTS; p++) {
		struct perf_event_attr cycles = attr_of(OP_TYPE, 0, 12288),
				       ops = attr_of(OP_TYPE, COUNTS_OPS, 18432),
				       fetches = attr_of(FETCH_TYPE, 0, 4096),
				       by_config = attr_of(OP_TYPE, 12288 / 16, 0);

		fake_boot(parts[p]);
		assert_int_equal(count_samples(&cycles, 20 * 16385), 20);
		assert_int_equal(count_samples(&by_config, 20 * 16385), 20);
		assert_int_equal(count_samples(&fetches, 20 * 16385), 20);
		assert_in_range(count_samples(&ops, 20 * 16385), 20, 21);
		end();
	}
}

/* Longer than the counter: in parts. */
static void long_periods(void **state)
{
	struct perf_event_attr attr = attr_of(FETCH_TYPE, 0, 3 * 65536 * 16 + 4096);

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		fake_boot(parts[p]);
		assert_int_equal(count_samples(&attr, 4 * attr.sample_period + 10), 1);
		assert_int_equal(count_samples(&attr, 4 * attr.sample_period - 100), 0);
		end();
	}
}

static void refused(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		bool zen4 = !strcmp(parts[p], "amd-v2") || !strcmp(parts[p], "zen5");
		struct perf_event_attr attr = attr_of(OP_TYPE, 0, 10000);

		fake_boot(parts[p]);
		assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
		attr.exclude_kernel = 1;
		assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
		attr = attr_of(OP_TYPE, L3_ONLY, 10000);
		if (zen4)
			fake_close(open_there(&attr));
		else
			assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
		attr = attr_of(OP_TYPE, 100, 10000);
		assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
		attr = attr_of(OP_TYPE, 0, 0);
		assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
		end();
	}
}

/* Without an entry of the extended LVT there are none, and nothing is precise. */
static void no_interrupt(void **state)
{
	struct perf_event_attr attr = attr_of(OP_TYPE, 0, 10000);

	(void)state;
	fake_no_extended = true;
	fake_boot("amd-v2");
	/* Its type is another PMU's now, which takes no samples. */
	assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
	assert_null(fake_sys_read("/sys/devices/ibs_op/type"));
	attr = attr_of(PERF_TYPE_HARDWARE, CYCLES, 10000);
	attr.precise_ip = 1;
	assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EOPNOTSUPP);
	fake_no_extended = false;
	end();
}

/* Cycles and micro-operations alone, of a processor. */
static void precise_events(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		int result;
	} events[] = {{PERF_TYPE_HARDWARE, CYCLES, 0},
		      {PERF_TYPE_RAW, 0x76, 0},
		      {PERF_TYPE_RAW, 0xc1, 0},
		      {PERF_TYPE_HARDWARE, INSTRUCTIONS, -ENOENT},
		      {PERF_TYPE_RAW, 0xc0, -ENOENT}};

	(void)state;
	fake_boot("amd-v2");
	for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct perf_event_attr attr = attr_of(events[i].type, events[i].config, 12288);

		attr.precise_ip = 2;
		if (events[i].result)
			assert_int_equal(fake_open(&attr, -1, 0, -1, 0), events[i].result);
		else
			assert_in_range(count_samples(&attr, 10 * 16385), 10, 16);
		attr.precise_ip = 3;
		assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EOPNOTSUPP);
	}
	end();
}

/* Returns the number of samples of loads that take `cycles`, with the filter's threshold. */
static unsigned loads_above(uint64_t threshold, uint16_t cycles, uint8_t level)
{
	static struct core_sample sample;
	struct perf_event_attr attr = attr_of(OP_TYPE, 0, 12288);
	unsigned samples;

	sample = (struct core_sample){.load = {.level = level, .cycles = cycles}};
	fake_sample = &sample;
	attr.config1 = threshold;
	samples = count_samples(&attr, 20 * 16385);
	fake_sample = NULL;
	return samples;
}

/* Loads in memory that take more cycles than `ldlat`: Zen 5. */
static void slow_loads(void **state)
{
	static const uint16_t bad[] = {1, 127, 2049, 4095};

	(void)state;
	fake_boot("zen5");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct perf_event_attr attr = attr_of(OP_TYPE, 0, 12288);

		attr.config1 = bad[i];
		assert_int_equal(fake_open(&attr, -1, 0, -1, 0), -EINVAL);
	}
	assert_int_equal(loads_above(0, 200, CORE_LEVEL_L2), 20);
	assert_int_equal(loads_above(128, 200, CORE_LEVEL_MEMORY), 20);
	assert_int_equal(loads_above(199, 200, CORE_LEVEL_MEMORY), 20);
	assert_int_equal(loads_above(200, 200, CORE_LEVEL_MEMORY), 0);
	assert_int_equal(loads_above(2048, 2049, CORE_LEVEL_MEMORY), 20);
	assert_int_equal(loads_above(2048, 2048, CORE_LEVEL_MEMORY), 0);
	assert_int_equal(loads_above(128, 200, CORE_LEVEL_L3), 0);
	assert_string_equal(fake_sys_read("/sys/devices/ibs_op/format/ldlat"), "config1:0-11\n");
	end();
	fake_boot("zen4");
	assert_int_equal(loads_above(2048, 200, CORE_LEVEL_L2), 20);
	assert_null(fake_sys_read("/sys/devices/ibs_op/format/ldlat"));
	end();
}

/* ---- a sample's access ---- */

#define LVL(name) (PERF_MEM_S(LVL, name) | PERF_MEM_S(LVL, HIT))
#define NO_SNOOP  PERF_MEM_S(SNOOP, NA)
#define HITM      PERF_MEM_S(SNOOP, HITM)

/* The words of the only sample. */
static void one_sample(const char *part, const struct core_access *load, bool stores,
		       uint64_t sample_type, uint64_t words[16])
{
	static struct core_sample sample;
	struct perf_event_attr attr = attr_of(OP_TYPE, 0, 12288);
	const struct ring_record *record;
	struct ring_reader reader;
	int fd, error;
	void *map;

	sample = (struct core_sample){0};
	*(stores ? &sample.store : &sample.load) = *load;
	fake_sample = &sample;
	attr.sample_type = sample_type;
	fake_boot(part);
	fd = open_there(&attr);
	map = fake_mmap(fd, 9, true, &error);
	assert_non_null(map);
	fake_run(16385, MODEL_USER);
	reader = ring_reader(map, 8);
	record = ring_next(&reader);
	assert_non_null(record);
	memcpy(words, record->words, record->header.size - sizeof(record->header));
	fake_munmap(fd, map);
	fake_close(fd);
	fake_sample = NULL;
	end();
}

#define L1_TLB   (PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, HIT))
#define L2_TLB   (PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, HIT))
#define WALKED   (PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, MISS))
#define UNLOCKED PERF_MEM_S(LOCK, NA)
#define LOAD     PERF_MEM_S(OP, LOAD)
#define STORE    PERF_MEM_S(OP, STORE)

/* As Linux 6.1 reports them. Family 10h does not say which accesses missed L2. */
static void data_sources(void **state)
{
	static const struct {
		const char *part;
		enum core_level level;
		unsigned flags;
		bool stores;
		uint64_t expected;
	} rows[] = {
	    {"amd-v2", CORE_LEVEL_L1, 0, false, LOAD | LVL(L1) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_L2, CORE_ACCESS_TLB_MISS, false,
	     LOAD | LVL(L2) | NO_SNOOP | L2_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_L3, 0, false, LOAD | LVL(L3) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_HITM, 0, false, LOAD | LVL(L3) | HITM | L1_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_MEMORY, CORE_ACCESS_TLB_MISS | CORE_ACCESS_WALK, false,
	     LOAD | LVL(LOC_RAM) | NO_SNOOP | WALKED | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_FILL, CORE_ACCESS_LOCKED, false,
	     LOAD | LVL(LFB) | NO_SNOOP | L1_TLB | PERF_MEM_S(LOCK, LOCKED)},
	    {"amd-v2", CORE_LEVEL_L1, 0, true, STORE | LVL(L1) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_MEMORY, 0, true,
	     STORE | PERF_MEM_S(LVL, NA) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-core", CORE_LEVEL_L3, 0, false,
	     LOAD | LVL(L3) | PERF_MEM_S(LVL, REM_CCE1) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-core", CORE_LEVEL_HITM, 0, false,
	     LOAD | LVL(L3) | PERF_MEM_S(LVL, REM_CCE1) | HITM | L1_TLB | UNLOCKED},
	    {"amd-core", CORE_LEVEL_MEMORY, 0, false,
	     LOAD | LVL(LOC_RAM) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-k7", CORE_LEVEL_L3, 0, false, LOAD | LVL(L2) | NO_SNOOP | L1_TLB | UNLOCKED},
	    {"amd-v2", CORE_LEVEL_NONE, 0, false,
	     PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | NO_SNOOP | UNLOCKED | PERF_MEM_S(TLB, NA)},
	};
	uint64_t words[16];

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct core_access access = {
		    .level = (uint8_t)rows[i].level, .flags = (uint8_t)rows[i].flags, .bytes = 8};

		one_sample(rows[i].part, &access, rows[i].stores, PERF_SAMPLE_DATA_SRC, words);
		assert_int_equal(words[0], rows[i].expected);
	}
}

/* Address, weight, raw data: caps, then the registers in their order. */
static void fields(void **state)
{
	const struct core_access access = {.address = 0x7123456789ab,
					   .physical = 0x3456789ab,
					   .cycles = 321,
					   .level = CORE_LEVEL_MEMORY,
					   .bytes = 4};
	uint64_t words[16];
	uint32_t raw[2];

	(void)state;
	one_sample("amd-v2", &access, false,
		   PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT_STRUCT |
		       PERF_SAMPLE_PHYS_ADDR,
		   words);
	assert_int_equal(words[0], access.address);
	memcpy(raw, &words[1], sizeof(raw));
	assert_int_equal(raw[0], 4 + 8 * 8);
	assert_int_equal(raw[1], 0xaff);
	assert_int_equal(words[2], 1ull << 18 | 1ull << 17 | 12288 / 16); /* valid, enabled */
	assert_int_equal(words[3], FAKE_USER_RIP - FAKE_STEP);
	assert_int_equal(words[4], 321ull << 16); /* tag to retirement */
	assert_int_equal(words[5], 3);            /* memory */
	/* A load that missed both caches, both addresses, 4 bytes, its cycles. */
	assert_int_equal(words[6], 321ull << 32 | 3 << 22 | 1 << 20 | 3 << 17 | 1 << 7 | 1);
	assert_int_equal(words[7], access.address);
	assert_int_equal(words[8], access.physical);
	assert_int_equal(words[9], 0); /* no branch */
	assert_int_equal(words[10], 321ull | 321ull << 32);
	assert_int_equal(words[11], access.physical);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(periods),      cmocka_unit_test(long_periods),
	    cmocka_unit_test(refused),      cmocka_unit_test(slow_loads),
	    cmocka_unit_test(no_interrupt), cmocka_unit_test(precise_events),
	    cmocka_unit_test(data_sources), cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
