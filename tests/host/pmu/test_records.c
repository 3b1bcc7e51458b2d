/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS of formats 0 to 3 in the driver: precise events and their counters, the fields of samples,
 * collisions of records, and a debug store with false contents. Expectations: Linux 6.1,
 * arch/x86/events/intel/ds.c and core.c. */
#include <asm/perf_regs.h>
#include "tests/host/pmu/intel_test.h"
#include "tests/host/fake/fake_kernel.h"
#include "tests/host/kernel/ring_reader.h"
#include "emulator/visor/model/base/lbr/branch.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_ds.h"
#include "pmu/intel/intel_ds_parts.h"

#define EXACT PERF_RECORD_MISC_EXACT_IP
#define PAGES 16

static const char *const machines[] = {"intel-v2", "intel-v3", "intel-v4"}; /* formats 0, 1, 3 */
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

/* ---- which events ---- */

static uint32_t model_number;

static void set_model(uint32_t leaf, uint32_t regs[4])
{
	if (leaf == 1 && model_number)
		regs[0] = 0x600 | (model_number & 0xf) << 4 | (model_number & 0xf0) << 12;
}

static void boot(const char *personality, uint32_t model)
{
	model_number = model;
	fake_cpuid = set_model;
	fake_boot(personality);
}

static void finish(void)
{
	fake_cpuid = NULL;
	end();
}

#define INV_CMASK16    0x10800000ull
#define PRECISE_STORES 0x02cd

/* The counters, and the select, of raw events that are opened precisely; 0: EINVAL. */
static void lists(void **state)
{
	static const struct {
		const char *personality;
		uint32_t model;
		uint64_t config;
		uint8_t precise;
		uint64_t counters, select;
	} rows[] = {
	    {"intel-v2", 0, 0x00c0, 1, 0x1, 0x00c0},
	    {"intel-v2", 0, 0x003c, 2, 0x1, 0x00c0 | INV_CMASK16},
	    {"intel-v2", 0, 0x04cb, 1, 0x1, 0x04cb},
	    {"intel-v2", 0, 0x00c4, 1, 0, 0},
	    {"intel-v2", 0, 0x0140, 1, 0, 0},
	    {"intel-v2", 0, 0x00c0 | 1 << 24, 1, 0, 0}, /* another CMASK */
	    {"intel-v3", 0, 0x003c, 2, 0xf, 0x00c0 | INV_CMASK16},
	    {"intel-v3", 0, 0x01c2 | 1 << 24, 1, 0xf, 0x01c2 | 1 << 24},
	    {"intel-v3", 0, 0x02c5, 1, 0xf, 0x02c5},
	    {"intel-v3", 0, 0x00c5, 1, 0, 0},
	    {"intel-v3", 0x25, 0x00c5, 1, 0xf, 0x00c5}, /* Westmere */
	    {"intel-v3", 0, 0x412e, 1, 0, 0},
	    {"intel-v3", 0x2a, 0x003c, 2, 0xf, 0x01c2 | INV_CMASK16}, /* Sandy Bridge */
	    {"intel-v3", 0x2a, 0x01cd, 2, 0x8, 0x01cd},
	    {"intel-v3", 0x2a, PRECISE_STORES, 2, 0x8, PRECISE_STORES},
	    {"intel-v3", 0x2a, 0x412e, 2, 0xf, 0x412e},
	    {"intel-v3", 0x2a, 0x412e | 1 << 24, 2, 0, 0},
	    {"intel-v4", 0x3a, 0x003c, 2, 0xf, 0x01c2 | INV_CMASK16}, /* Ivy Bridge */
	    {"intel-v4", 0x3a, 0x003c, 3, 0x2, 0x01c0 | INV_CMASK16},
	    {"intel-v4", 0x3c, 0x003c, 3, 0x2, 0x01c0 | INV_CMASK16}, /* Haswell */
	    {"intel-v4", 0x3c, 0x01cd, 3, 0xf, 0x01cd},
	    {"intel-v4", 0, 0x003c, 1, 0xf, 0x00c0 | INV_CMASK16},
	    {"intel-v4", 0, 0x003c, 3, 0x2, 0x01c0 | INV_CMASK16},
	    {"intel-v4", 0, 0x003c | 1 << 24, 2, 0, 0},
	    {"intel-v4", 0, 0x01c0, 2, 0x2, 0x01c0},
	    {"intel-v4", 0, 0x81d0, 3, 0xf, 0x81d0},
	    {"intel-v4", 0, 0x00c4, 3, 0xf, 0x00c4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = precise_attr(rows[i].precise, PERF_SAMPLE_IP);
		uint64_t owned = 0;
		int fds[8], nr = 0;

		boot(rows[i].personality, rows[i].model);
		attr.type = PERF_TYPE_RAW;
		attr.config = rows[i].config;
		/* PEBS_ENABLE of these machines has no bit for it. */
		attr.disabled = rows[i].config == PRECISE_STORES;
		if (!rows[i].counters)
			assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
		/* A group of as many as there are counters, and not one more. */
		while (nr < __builtin_popcountl(rows[i].counters)) {
			fds[nr] = open_ok(&attr, nr ? fds[0] : -1);
			nr++;
		}
		for (unsigned counter = 0; counter < ASSIGN_COUNTERS; counter++) {
			const struct perf_event *event = hw_this_cpu()->events[counter];

			if (!event)
				continue;
			assert_int_equal(event->hw.config & INTEL_RAW_MASK, rows[i].select);
			owned |= BIT(counter);
		}
		assert_int_equal(owned, attr.disabled ? 0 : rows[i].counters);
		if (nr)
			assert_int_equal(fake_open(&attr, 0, -1, fds[0], 0), -EINVAL);
		while (nr)
			fake_close(fds[--nr]);
		finish();
	}
}

/* precise_ip above the processor's, and precise events that do not sample, are refused. */
static void precision(void **state)
{
	static const unsigned most[MACHINES] = {2, 2, 3};

	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		struct perf_event_attr attr = precise_attr(most[i] + 1, PERF_SAMPLE_IP);

		boot(machines[i], 0);
		if (most[i] < 3)
			assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EOPNOTSUPP);
		attr.precise_ip = most[i];
		fake_close(open_ok(&attr, -1));
		attr.sample_period = 0;
		assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
		finish();
	}
}

/* Branch stacks of exact samples must be those by which their addresses are found. */
static void branches_must_fit(void **state)
{
	static const struct {
		uint64_t branches;
		bool fits;
	} rows[] = {
	    {PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, true},
	    {PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY_CALL, false},
	    {PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, false},
	};

	(void)state;
	for (size_t i = 0; i < MACHINES; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			struct perf_event_attr attr = precise_attr(2, PERF_SAMPLE_BRANCH_STACK);
			bool fits = rows[k].fits || i == 2; /* its records have the address */

			boot(machines[i], 0);
			attr.branch_sample_type = rows[k].branches;
			if (fits)
				fake_close(open_ok(&attr, -1));
			else
				assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EOPNOTSUPP);
			attr.precise_ip = 1;
			fake_close(open_ok(&attr, -1));
			finish();
		}
}

/* ---- samples ---- */

struct run {
	int fd;
	void *map;
	struct ring_reader reader;
};

static struct run begin(struct perf_event_attr *attr)
{
	struct run run = {.fd = open_ok(attr, -1)};
	int error;

	run.map = fake_mmap(run.fd, 1 + PAGES, true, &error);
	return run;
}

/* Reading the event takes the records that wait. */
static void read_from(struct run *run)
{
	value_of(run->fd);
	run->reader = ring_reader(run->map, PAGES);
}

static void leave(struct run *run)
{
	fake_munmap(run->fd, run->map);
	fake_close(run->fd);
}

/* One sample for each period, with the next instruction's address, and an exact count. */
static void every_period(void **state)
{
	(void)state;
	for (size_t i = 0; i < MACHINES; i++) {
		struct perf_event_attr attr = precise_attr(1, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
		const struct ring_record *record;
		unsigned samples = 0;
		struct run run;

		boot(machines[i], 0);
		run = begin(&attr);
		fake_run(100500, MODEL_USER);
		read_from(&run);
		while ((record = ring_next(&run.reader))) {
			assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
			assert_int_equal(record->header.misc, PERF_RECORD_MISC_USER);
			assert_int_equal(record->words[0], FAKE_USER_RIP);
			assert_int_equal(record->words[1], 1000);
			samples++;
		}
		assert_int_equal(samples, 100);
		assert_int_equal(value_of(run.fd), 100500);
		leave(&run);
		finish();
	}
}

#define BLOCK 9 /* bytes of the block of code that ends where the record says */

static void branch_to(uint64_t to)
{
	model_branch(&fake_model, &(struct model_branch){.insn = {INSN_JMP, 2},
							 .from = 0x402000,
							 .to = to,
							 .from_ring = MODEL_USER,
							 .ring = MODEL_USER});
}

/* The instruction before the record's address, by walking the block that the last branch led to. */
static void exact_by_branches(void **state)
{
	static const struct {
		uint8_t code[BLOCK];
		uint64_t to, ip; /* from the record's address on */
		bool exact;
	} rows[] = {
	    {{0x48, 0x89, 0xc0, 0x48, 0x89, 0xc0, 0x48, 0x89, 0xc0}, -9ul, -3ul, true},
	    {{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7}, -9ul, 0, false}, /* cut off: ten bytes */
	    {{0x90, 0x90, 0xb8, 1, 2, 3, 4, 0x66, 0x90}, -9ul, -2ul, true},
	    {{0x06, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}, -9ul, 0, false}, /* none */
	    {{0}, 0, 0x402000 - FAKE_USER_RIP, true},            /* the branch itself */
	    {{0}, 8, 0, false},                                  /* behind the address */
	    {{0}, -5000ul, 0, false},                            /* too far before it */
	    {{0}, 0xffffffff80000000 - FAKE_USER_RIP, 0, false}, /* another ring */
	};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			struct perf_event_attr attr = precise_attr(2, PERF_SAMPLE_IP);
			const struct ring_record *record;
			struct run run;

			boot(machines[i], 0);
			fake_code.at = FAKE_USER_RIP - BLOCK;
			fake_code.bytes = BLOCK;
			fake_code.code = rows[k].code;
			run = begin(&attr);
			fake_run(990, MODEL_USER);
			branch_to(FAKE_USER_RIP + rows[k].to);
			fake_run(20, MODEL_USER);
			read_from(&run);
			record = ring_next(&run.reader);
			assert_non_null(record);
			assert_int_equal(record->words[0], FAKE_USER_RIP + rows[k].ip);
			assert_int_equal(record->header.misc & EXACT, rows[k].exact ? EXACT : 0);
			fake_code.bytes = 0;
			leave(&run);
			finish();
		}
}

#define NEHALEM_LATENCY 0x100b
#define SKYLAKE_LATENCY 0x01cd
#define SKYLAKE_STORES  0x82d0

/* Address, weight, data source, registers and time are the record's. */
static void all_fields(void **state)
{
	const uint64_t ax = 1ull << PERF_REG_X86_AX, flags = 1ull << PERF_REG_X86_FLAGS;

	(void)state;
	for (size_t i = 1; i < MACHINES; i++) {
		struct perf_event_attr attr =
		    precise_attr(2, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT |
					PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR);
		const struct ring_record *record;
		uint64_t before = 0;
		unsigned samples = 0;
		struct run run;

		boot(machines[i], 0);
		attr.type = PERF_TYPE_RAW;
		attr.config = i == 1 ? NEHALEM_LATENCY : SKYLAKE_LATENCY; /* 512 in 16384 */
		attr.config1 = 40;
		attr.sample_period = 32;
		attr.sample_regs_intr = ax | flags;
		run = begin(&attr);
		fake_run(16384, MODEL_USER);
		read_from(&run);
		while ((record = ring_next(&run.reader))) {
			union perf_mem_data_src source = {.val = record->words[3]};

			assert_true(record->words[0] > before);
			before = record->words[0];
			assert_int_equal(record->words[1], FAKE_ADDRESS);
			assert_in_range(record->words[2], 45, 210);
			assert_int_equal(source.mem_op, PERF_MEM_OP_LOAD);
			assert_int_equal(source.mem_dtlb & PERF_MEM_TLB_NA, i == 1);
			assert_int_equal(record->words[5], FAKE_RAX);
			/* Linux's mark of an exact address; Nehalem had no branch to find it. */
			assert_int_equal(record->words[6] >> 3 & 1, i == 2);
			samples++;
		}
		assert_in_range(samples, 15, 16);
		leave(&run);
		finish();
	}
}

/* Stores of Skylake report an L1 hit or miss, and no latency. */
static void stores(void **state)
{
	struct perf_event_attr attr =
	    precise_attr(2, PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC);
	const struct ring_record *record;
	struct run run;

	(void)state;
	boot("intel-v4", 0);
	attr.type = PERF_TYPE_RAW;
	attr.config = SKYLAKE_STORES;
	run = begin(&attr);
	fake_run(16384, MODEL_USER);
	read_from(&run);
	record = ring_next(&run.reader);
	assert_non_null(record);
	assert_int_equal(record->words[0], FAKE_ADDRESS);
	assert_int_equal(record->words[1], 0);
	assert_int_equal(((union perf_mem_data_src){.val = record->words[2]}).mem_op,
			 PERF_MEM_OP_STORE);
	assert_int_equal(((union perf_mem_data_src){.val = record->words[2]}).mem_lvl &
			     PERF_MEM_LVL_L1,
			 PERF_MEM_LVL_L1);
	leave(&run);
	finish();
}

/* ---- lost samples ---- */

/* Two events that wrap together: before format 3 both lose the sample. */
static void collisions(void **state)
{
	(void)state;
	for (size_t i = 1; i < MACHINES; i++) {
		struct perf_event_attr attr = precise_attr(1, PERF_SAMPLE_IP);
		uint32_t type = i == 1 ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_SAMPLE;
		const struct ring_record *record;
		struct run runs[2];

		boot(machines[i], 0);
		for (unsigned k = 0; k < 2; k++)
			runs[k] = begin(&attr);
		fake_run(10500, MODEL_USER);
		for (unsigned k = 0; k < 2; k++) {
			unsigned records = 0;

			read_from(&runs[k]);
			for (; (record = ring_next(&runs[k].reader)); records++) {
				assert_int_equal(record->header.type, type);
				if (type == PERF_RECORD_LOST_SAMPLES)
					assert_int_equal(record->words[0], 1);
			}
			assert_int_equal(records, 10);
			assert_int_equal(value_of(runs[k].fd), 10500);
			leave(&runs[k]);
		}
		finish();
	}
}

/* The index that the machine leaves is believed only within the buffer; a period whose record is
 * not there is a lost sample, and the next ones come. */
static void lying_store(void **state)
{
	static const int64_t indices[] = {-8, INT64_MIN, 4104, 3 * 4096, INT64_MAX};
	static const char *const all[] = {"intel-v2", "intel-v3", "intel-v4", "intel-v5"};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t k = 0; k < sizeof(indices) / sizeof(indices[0]); k++) {
			struct perf_event_attr attr = precise_attr(1, PERF_SAMPLE_IP);
			struct frame frame = {.rip = FAKE_USER_RIP, .cs = 0x33};
			const struct ring_record *record;
			struct debug_store *store;
			struct run run;

			boot(all[i], 0);
			run = begin(&attr);
			fake_run(900, MODEL_USER);
			store = intel_this_cpu()->store;
			store->index = store->base + (uint64_t)indices[k];
			intel_ds.take(hw_this_cpu(), &frame);
			assert_int_equal(store->index, store->base);
			fake_run(300, MODEL_USER);
			read_from(&run);
			record = ring_next(&run.reader);
			assert_non_null(record);
			assert_int_equal(record->header.type, PERF_RECORD_SAMPLE);
			leave(&run);
			finish();
		}
}

/* An adaptive record whose groups do not fit its size is none. */
static void lying_record(void **state)
{
	static const uint64_t formats[] = {0, 32ull << 48 | 0xf, 31ull << 48,
					   64ull << 48 | 8 | 0xffull << 24, ~0ull};
	struct frame frame = {.rip = FAKE_USER_RIP, .cs = 0x33};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct perf_event_attr attr = precise_attr(2, PERF_SAMPLE_IP);
		struct debug_store *store;
		uint64_t *words;
		struct run run;

		boot("intel-v5", 0);
		run = begin(&attr);
		fake_run(10, MODEL_USER);
		store = intel_this_cpu()->store;
		words = (uint64_t *)store->base;
		words[0] = formats[i];
		words[2] = ~0ull;
		store->index = store->base + 64;
		assert_int_equal(intel_ds.take(hw_this_cpu(), &frame), 0);
		leave(&run);
		finish();
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lists),
    cmocka_unit_test(precision),
    cmocka_unit_test(branches_must_fit),
    cmocka_unit_test(every_period),
    cmocka_unit_test(exact_by_branches),
    cmocka_unit_test(all_fields),
    cmocka_unit_test(stores),
    cmocka_unit_test(collisions),
    cmocka_unit_test(lying_store),
    cmocka_unit_test(lying_record),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
