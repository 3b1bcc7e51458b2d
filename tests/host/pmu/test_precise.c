/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise samples: which are refused, which fields they have, that none is lost, and where they
 * may run. Expectations: perf_event_open(2) on Linux 6.1 with a Sapphire Rapids. */
#include <asm/perf_regs.h>
#include "emulator/visor/model/model.h"
#include "tests/host/pmu/intel_test.h"
#include "tests/host/kernel/ring_reader.h"
#include "emulator/visor/model/base/lbr/branch.h"
#include "pmu/intel/intel.h"

#define EXACT PERF_RECORD_MISC_EXACT_IP
#define PAGES 16

static void refused(void **state)
{
	struct perf_event_attr attr = precise_attr(1, PERF_SAMPLE_IP);

	(void)state;
	for_each_punctual(p, false) {
		bool amd = personality_find(p.name)->features & FEATURE_IBS;

		if (!strcmp(p.name, "sapphire-rapids"))
			continue;
		fake_boot(p.name);
		if (intel_kinds[HW_FIRST].pebs) { /* of formats 0 to 3: test_records.c */
			end();
			continue;
		}
		/* AMD's has no precise instructions: test_ibs.c. */
		assert_int_equal(fake_open(&attr, 0, -1, -1, 0), amd ? -ENOENT : -EOPNOTSUPP);
		end();
	}
	fake_boot("intel-v5");
	attr.sample_period = 0;
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	/* Vector registers are in precise records only, and ring 3's never at the PMI. */
	attr = precise_attr(0, PERF_SAMPLE_REGS_INTR);
	attr.sample_regs_intr = 1ull << PERF_REG_X86_XMM0;
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	attr = precise_attr(2, PERF_SAMPLE_REGS_USER);
	attr.sample_regs_user = 1ull << PERF_REG_X86_XMM0;
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	end();
}

/* One sample for each period, of the right instruction, and the count is exact. */
static void every_period(void **state)
{
	(void)state;
	for (unsigned precise = 1; precise <= 3; precise++) {
		struct perf_event_attr attr =
		    precise_attr(precise, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
		const struct ring_record *record;
		unsigned samples = 0;
		int fd, error;
		void *map;

		fake_boot("intel-v5");
		fd = open_ok(&attr, -1);
		map = fake_mmap(fd, 1 + PAGES, true, &error);
		fake_run(100500, MODEL_USER);
		assert_int_equal(value_of(fd), 100500);

		struct ring_reader reader = ring_reader(map, PAGES);

		while ((record = ring_next(&reader))) {
			assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
			assert_int_equal(record->header.misc,
					 PERF_RECORD_MISC_USER | (precise > 1 ? EXACT : 0));
			assert_int_equal(record->words[0],
					 precise > 1 ? FAKE_USER_RIP - FAKE_STEP : FAKE_USER_RIP);
			assert_int_equal(record->words[1], 1000);
			samples++;
		}
		assert_int_equal(samples, 100);
		fake_munmap(fd, map);
		fake_close(fd);
		end();
	}
}

#define LOAD_LATENCY 0x01cd /* MEM_TRANS_RETIRED */
#define STORE_SAMPLE 0x02cd

/* The event that must be beside the loads'. */
static int open_aux(void)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_RAW, 0x8203);

	return open_ok(&attr, -1);
}

/* Time, address, weight, data source and registers are the record's. */
static void all_fields(void **state)
{
	const uint64_t ax = 1ull << PERF_REG_X86_AX, xmm1 = 3ull << PERF_REG_X86_XMM1;
	struct perf_event_attr attr =
	    precise_attr(2, PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR);
	int error;

	(void)state;
	fake_boot("intel-v5");
	attr.type = PERF_TYPE_RAW;
	attr.config = LOAD_LATENCY; /* 512 in 16384 instructions */
	attr.config1 = 100;
	attr.sample_period = 1;
	attr.sample_regs_intr = ax | xmm1;
	int leader = open_aux(), fd = open_ok(&attr, leader);
	void *map = fake_mmap(fd, 1 + PAGES, true, &error);
	uint64_t before = 0;

	fake_run(16384, MODEL_USER);
	value_of(fd); /* takes the records that wait */

	struct ring_reader reader = ring_reader(map, PAGES);
	const struct ring_record *record;
	unsigned samples = 0;

	while ((record = ring_next(&reader))) {
		union perf_mem_data_src source = {.val = record->words[4]};

		assert_true(record->words[1] > before);
		before = record->words[1];
		assert_int_equal(record->words[2], FAKE_ADDRESS);
		assert_true(record->words[3] >= 100);
		assert_int_equal(source.mem_op, PERF_MEM_OP_LOAD);
		assert_int_equal(source.mem_lvl, PERF_MEM_LVL_HIT);
		assert_int_equal(source.mem_lvl_num, PERF_MEM_LVLNUM_ANY_CACHE);
		assert_int_equal(record->words[5], PERF_SAMPLE_REGS_ABI_64);
		assert_int_equal(record->words[6], FAKE_RAX);
		assert_int_equal(record->words[7], FAKE_XMM + 2);
		assert_int_equal(record->words[8], FAKE_XMM + 3);
		samples++;
	}
	assert_in_range(samples, 200, 512);
	fake_munmap(fd, map);
	fake_close(fd);
	fake_close(leader);
	end();
}

/* Two precise events and a plain one side by side: the counts are exact, all have their samples. */
static void together(void **state)
{
	struct perf_event_attr attrs[3] = {precise_attr(2, PERF_SAMPLE_IP),
					   precise_attr(1, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR),
					   precise_attr(0, PERF_SAMPLE_IP)};
	int fds[3], error;
	void *maps[3];

	(void)state;
	fake_boot("intel-v5");
	attrs[1].sample_period = 700;
	for (unsigned i = 0; i < 3; i++) {
		fds[i] = open_ok(&attrs[i], -1);
		maps[i] = fake_mmap(fds[i], 1 + PAGES, true, &error);
	}
	fake_run(70000, MODEL_USER);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(value_of(fds[i]), 70000);

		struct ring_reader reader = ring_reader(maps[i], PAGES);
		uint64_t samples = 0;

		while (ring_next(&reader))
			samples++;
		/* The last record of a precise event is still to come. */
		assert_in_range(samples, 70000 / attrs[i].sample_period - 1,
				70000 / attrs[i].sample_period);
		fake_munmap(fds[i], maps[i]);
		fake_close(fds[i]);
	}
	end();
}

/* The most precise instructions run on fixed counter 0 only. */
static void most_precise(void **state)
{
	struct perf_event_attr attr = precise_attr(3, PERF_SAMPLE_IP);
	int fds[2];

	(void)state;
	fake_boot("intel-v5");
	fds[0] = open_ok(&attr, -1);
	assert_int_equal(fake_open(&attr, 0, -1, fds[0], 0), -EINVAL);
	attr.precise_ip = 2;
	fds[1] = open_ok(&attr, fds[0]);
	fake_close(fds[1]);
	fake_close(fds[0]);
	end();
}

/* For other events precise_ip 3 takes general counter 0, and is refused where that counter
 * cannot count them. */
static void most_precise_others(void **state)
{
	struct perf_event_attr attr = precise_attr(3, PERF_SAMPLE_IP);
	int fd;

	(void)state;
	fake_boot("intel-v5");
	attr.type = PERF_TYPE_RAW;
	attr.config = 0x00c4; /* branches */
	fd = open_ok(&attr, -1);
	assert_int_equal(fake_open(&attr, 0, -1, fd, 0), -EINVAL);
	fake_close(fd);
	attr.config = 0x01cd; /* loads with their latency: not on counter 0 */
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	attr.precise_ip = 2;
	fake_close(open_ok(&attr, -1));
	end();
}

/* The data source of loads is known only beside the auxiliary event, which precedes them in the
 * group. */
static void loads_need_aux(void **state)
{
	struct perf_event_attr loads = precise_attr(2, PERF_SAMPLE_DATA_SRC);
	int aux, other, first;

	(void)state;
	loads.type = PERF_TYPE_RAW;
	loads.config = LOAD_LATENCY;
	fake_boot("intel-v5");
	aux = open_aux();
	other = open_ok(&(struct perf_event_attr){.size = sizeof(loads), .exclude_kernel = 1}, -1);
	assert_int_equal(fake_open(&loads, 0, -1, -1, 0), -ENODATA);
	assert_int_equal(fake_open(&loads, 0, -1, other, 0), -ENODATA);
	fake_close(open_ok(&loads, aux));
	first = open_ok(&(struct perf_event_attr){.type = PERF_TYPE_RAW,
						  .size = sizeof(loads),
						  .config = 0x8203,
						  .exclude_kernel = 1},
			other);
	fake_close(open_ok(&loads, other));
	loads.sample_type = PERF_SAMPLE_ADDR;
	fake_close(open_ok(&loads, -1));
	fake_close(first);
	fake_close(other);
	fake_close(aux);
	end();
}

/* Stores have a data source as well; of their two latencies the access's is the weight. */
static void stores(void **state)
{
	struct perf_event_attr attr =
	    precise_attr(2, PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC);
	const struct ring_record *record;
	unsigned samples = 0;
	int fd, error;
	void *map;

	(void)state;
	fake_boot("intel-v5");
	attr.type = PERF_TYPE_RAW;
	attr.config = STORE_SAMPLE; /* 256 in 16384 instructions */
	attr.sample_period = 4;
	fd = open_ok(&attr, -1);
	map = fake_mmap(fd, 1 + PAGES, true, &error);
	fake_run(16384, MODEL_USER);
	value_of(fd); /* takes the records that wait */

	struct ring_reader reader = ring_reader(map, PAGES);

	while ((record = ring_next(&reader))) {
		union perf_sample_weight weight = {.full = record->words[0]};
		union perf_mem_data_src source = {.val = record->words[1]};

		assert_in_range(weight.var1_dw, 5, 210);
		assert_int_equal(weight.var2_w, weight.var1_dw + 2);
		assert_int_equal(source.mem_op, PERF_MEM_OP_STORE);
		assert_int_equal(source.mem_lvl & PERF_MEM_LVL_HIT,
				 weight.var1_dw < 210 ? PERF_MEM_LVL_HIT : source.mem_lvl);
		assert_int_equal(source.mem_blk, PERF_MEM_BLK_NA);
		samples++;
	}
	assert_in_range(samples, 63, 64);
	fake_munmap(fd, map);
	fake_close(fd);
	end();
}

static void branch(uint64_t from)
{
	model_branch(&fake_model, &(struct model_branch){.insn = {INSN_JCC, 2},
							 .from = from,
							 .to = from + 0x10,
							 .from_ring = MODEL_USER,
							 .ring = MODEL_USER});
}

/* The branches are those before the instruction, however late the PMI comes. */
static void branches(void **state)
{
	struct perf_event_attr attr = precise_attr(2, PERF_SAMPLE_BRANCH_STACK);
	const struct ring_record *record;
	int fd, error;
	void *map;

	(void)state;
	fake_boot_awkward("intel-v5", &(struct quirks){.skid = 20});
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	attr.wakeup_events = 1; /* no record waits */
	fd = open_ok(&attr, -1);
	map = fake_mmap(fd, 1 + PAGES, true, &error);
	fake_run(10, MODEL_USER);
	branch(0x1000);
	fake_run(980, MODEL_USER);
	branch(0x2000);
	fake_run(15, MODEL_USER);
	branch(0x3000); /* after the record */
	fake_run(100, MODEL_USER);

	struct ring_reader reader = ring_reader(map, PAGES);

	record = ring_next(&reader);
	assert_non_null(record);
	assert_int_equal(record->words[0], 2);
	assert_int_equal(record->words[1], 0x2000);
	assert_int_equal(record->words[2], 0x2010);
	assert_int_equal(record->words[4], 0x1000);
	assert_null(ring_next(&reader));
	fake_munmap(fd, map);
	fake_close(fd);
	end();
}

/* A precise event is stopped between the counter's wrap and the record: its sample is taken when
 * it continues. */
static void stopped_between(void **state)
{
	struct perf_event_attr attr = precise_attr(2, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
	const struct ring_record *record;
	unsigned samples = 0;
	int error;

	(void)state;
	fake_boot("intel-v5");
	int fd = open_ok(&attr, -1);
	void *map = fake_mmap(fd, 1 + PAGES, true, &error);

	for (unsigned i = 1; i <= 10; i++) {
		fake_run(1000, MODEL_USER);
		fake_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		assert_int_equal(value_of(fd), 1000 * i);
		fake_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	fake_run(500, MODEL_USER);
	assert_int_equal(value_of(fd), 10500);

	struct ring_reader reader = ring_reader(map, PAGES);

	while ((record = ring_next(&reader))) {
		assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
		assert_int_equal(record->words[1], 1000);
		samples++;
	}
	assert_int_equal(samples, 10);
	fake_munmap(fd, map);
	fake_close(fd);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(refused),
	    cmocka_unit_test(every_period),
	    cmocka_unit_test(all_fields),
	    cmocka_unit_test(together),
	    cmocka_unit_test(most_precise),
	    cmocka_unit_test(stopped_between),
	    cmocka_unit_test(most_precise_others),
	    cmocka_unit_test(loads_need_aux),
	    cmocka_unit_test(stores),
	    cmocka_unit_test(branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
