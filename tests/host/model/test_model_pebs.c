/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records of the model: when they are written, their contents, and faults of the buffer's
 * memory. Expectations: SDM vol. 3, "Adaptive PEBS" and "DS Save Area". */
#include "tests/host/model/pebs_guest.h"

/* Instructions in counter 2, which wraps after `period`. */
static void arm(struct model *m, uint64_t period, uint64_t select)
{
	wr(m, IA32_PEBS_ENABLE, 4);
	wr(m, IA32_A_PMC0 + 2, (1ull << 48) - period);
	wr(m, IA32_PERFEVTSEL0 + 2, select | USR | EN);
}

/* The wrap makes neither status nor PMI; the next instruction of the ring makes the record. */
static void test_next_instruction(void **state)
{
	struct model m;

	(void)state;
	start(&m, 32, 4);
	arm(&m, 100, INSTRUCTIONS);
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 100);
	assert_false(model_pebs_is_next(&m, MODEL_USER));
	retire(&m, MODEL_USER, 100);
	assert_true(model_pebs_is_next(&m, MODEL_USER));
	assert_false(model_pebs_is_next(&m, MODEL_KERNEL));
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0);
	assert_false(model_take_pmi(&m));
	assert_true(model_pebs_waits(&m));
	assert_false(model_pebs_ready(&m));
	retire(&m, MODEL_KERNEL, 50);
	assert_false(model_pebs_ready(&m));
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 1);
	assert_int_equal(model_until_overflow(&m, MODEL_KERNEL, false), MODEL_NEVER);
	retire(&m, MODEL_USER, 1);
	record(&m);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), BUFFER_PMI);
	assert_true(model_take_pmi(&m));
	/* Without ADAPTIVE the basic group alone: configuration and size, address, counters,
	 * time. */
	assert_int_equal(*word(BUFFER), 32ull << 48);
	assert_int_equal(*word(BUFFER + 8), 0x401000);
	assert_int_equal(*word(BUFFER + 16), 4);
	assert_int_equal(*word(BUFFER + 24), 777);
	assert_int_equal(*word(DS_AREA + 0x28), BUFFER + 32);
	wr(&m, IA32_GLOBAL_OVF_CTRL, BUFFER_PMI);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0);
}

/* The debug store's reset value is added to the count since the wrap. */
static void test_reload(void **state)
{
	struct model m;

	(void)state;
	start(&m, 32, 4);
	*word(DS_AREA + 0x40 + 2 * 8) = (1ull << 48) - 100;
	*word(DS_AREA + 0x80) = (1ull << 48) - 70;
	arm(&m, 100, INSTRUCTIONS);
	wr(&m, IA32_PEBS_ENABLE, 4 | FIXED0);
	wr(&m, IA32_FIXED_CTR0, (1ull << 48) - 100);
	wr(&m, IA32_FIXED_CTR_CTRL, 2);
	retire(&m, MODEL_USER, 100);
	retire(&m, MODEL_USER, 1);
	record(&m);
	assert_int_equal(*word(BUFFER + 16), 4 | FIXED0);
	assert_int_equal(rdpmc(&m, 2), (1ull << 48) - 99);
	assert_int_equal(rdpmc(&m, 1u << 30), (1ull << 48) - 69);
	retire(&m, MODEL_USER, 69);
	retire(&m, MODEL_USER, 1);
	record(&m);
	assert_int_equal(*word(BUFFER + 32 + 16), FIXED0);
}

/* All groups in order: memory, general registers, XMM, branches. */
static void test_groups(void **state)
{
	const uint64_t bytes = 32 + 32 + 144 + 256 + 3 * 24;
	struct model m;

	(void)state;
	start(&m, bytes, 1);
	wr(&m, MSR_PEBS_DATA_CFG, 0xf | 2 << 24);
	arm(&m, 5, INSTRUCTIONS | 1ull << 34);
	retire(&m, MODEL_USER, 5);
	retire(&m, MODEL_USER, 1);
	record(&m);
	assert_int_equal(*word(BUFFER), bytes << 48 | 0xf | 2 << 24);
	assert_int_equal(*word(BUFFER + 32), 0x7000);
	assert_int_equal(*word(BUFFER + 64), 0x246);
	assert_int_equal(*word(BUFFER + 72), 0x401003);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(*word(BUFFER + 80 + 8 * i), 0x100 + i);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(*word(BUFFER + 208 + 8 * i), 0x1000 + i);
}

/* Loads of a latency event are as slow as it asks for. */
static void test_load_latency(void **state)
{
	static const uint64_t limits[] = {3, 10, 40, 200, 0xffff};
	struct model m;

	(void)state;
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		start(&m, 64, 100);
		wr(&m, MSR_PEBS_DATA_CFG, 1);
		wr(&m, MSR_PEBS_LD_LAT, limits[i]);
		arm(&m, 1, 0x01cd | 1ull << 34);
		for (unsigned n = 0; n < 50; n++) {
			uint64_t at = BUFFER + 64ull * n, source_code;

			wr(&m, IA32_A_PMC0 + 2, (1ull << 48) - 1);
			retire(&m, MODEL_USER, 16384);
			retire(&m, MODEL_USER, 1);
			record(&m);
			source_code = *word(at + 40);
			assert_in_range(source_code, 1, 15);
			/* A load from memory is the slowest. */
			assert_true(*word(at + 48) >= limits[i] || source_code == 12);
		}
	}
}

/* With a simulated core: the event is searched for step by step first, then by a watch; the
 * record has the core's access. */
static void test_core_loads(void **state)
{
	uint64_t quantities[CORE_NR_QUANTITIES] = {[CORE_INSTRUCTIONS] = 1};
	struct core_sample sample = {.load = {.address = 0x1234,
					      .cycles = 300,
					      .level = CORE_LEVEL_MEMORY,
					      .flags = CORE_ACCESS_WALK}};
	struct model_work work = {
	    .instructions = 1, .ring = MODEL_USER, .quantities = quantities, .sample = &sample};
	struct core_watch watches[CORE_WATCHES];
	struct model_pebs_source s = source();
	struct model m;
	uint32_t slow = 0;

	(void)state;
	start(&m, 64, 4);
	model_use_core(&m, NULL, 0, MODEL_STOPS_EVENTS);
	wr(&m, MSR_PEBS_DATA_CFG, 1);
	wr(&m, MSR_PEBS_LD_LAT, 30);
	arm(&m, 1, 0x01cd | 1ull << 34);
	assert_true(model_samples_accesses(&m, &slow));
	assert_int_equal(slow, 30);
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), MODEL_NEVER);
	quantities[CORE_LOADS_SLOW] = 1;
	model_retire(&m, &work);
	quantities[CORE_LOADS_SLOW] = 0;
	for (unsigned step = 0; step < 16; step++) {
		assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 1);
		assert_int_equal(model_watches(&m, watches), 0);
		model_retire(&m, &work);
	}
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), MODEL_NEVER);
	assert_int_equal(model_watches(&m, watches), 1);
	assert_int_equal(watches[0].left, 1);
	assert_int_equal(watches[0].number, 2);
	quantities[CORE_LOADS_SLOW] = 1;
	work.instructions = 0; /* an interrupt was delivered */
	model_retire(&m, &work);
	assert_false(model_pebs_ready(&m));
	work.instructions = 1;
	quantities[CORE_LOADS_SLOW] = 2;
	model_retire(&m, &work); /* it ended for another reason: the load is not known */
	assert_false(model_pebs_ready(&m));
	sample.ended = 1 << 2;
	model_retire(&m, &work);
	assert_true(model_pebs_ready(&m));
	s.load = &sample.load;
	s.store = &sample.store;
	model_pebs_record(&m, &s);
	assert_int_equal(*word(BUFFER + 32), 0x1234);
	assert_int_equal(*word(BUFFER + 40), 10 | 1 << 4);
	assert_int_equal(*word(BUFFER + 48), 300ull << 32 | 302);
}

/* A full buffer takes no record and reports it; an unmapped buffer does no harm. */
static void test_no_place(void **state)
{
	struct model m;

	(void)state;
	start(&m, 32, 1);
	arm(&m, 1, INSTRUCTIONS);
	for (unsigned n = 0; n < 3; n++) {
		wr(&m, IA32_A_PMC0 + 2, (1ull << 48) - 1);
		retire(&m, MODEL_USER, 1);
		retire(&m, MODEL_USER, 1);
		record(&m);
		assert_int_equal(*word(DS_AREA + 0x28), BUFFER + 32);
		assert_true(model_take_pmi(&m));
	}
	for (unsigned n = 0; n < 2; n++) {
		start(&m, 32, 1);
		hole = n ? BUFFER : DS_AREA;
		arm(&m, 1, INSTRUCTIONS);
		retire(&m, MODEL_USER, 1);
		retire(&m, MODEL_USER, 1);
		record(&m);
		assert_int_equal(*word(DS_AREA + 0x28), BUFFER);
		assert_false(model_take_pmi(&m));
	}
}

/* Disabling PEBS forgets what waits. */
static void test_disable(void **state)
{
	struct model m;

	(void)state;
	start(&m, 32, 1);
	arm(&m, 1, INSTRUCTIONS);
	retire(&m, MODEL_USER, 1);
	wr(&m, IA32_PEBS_ENABLE, 0);
	assert_false(model_pebs_waits(&m));
	retire(&m, MODEL_USER, 1);
	assert_false(model_pebs_ready(&m));
}

/* With branches known, a branch event waits for a branch. */
static void test_exact_branches(void **state)
{
	struct model_work work = {.instructions = 1, .ring = MODEL_USER, .exact = true};
	struct model m;

	(void)state;
	start(&m, 32, 1);
	arm(&m, 1, BRANCHES);
	work.branches = 1;
	model_retire(&m, &work);
	assert_true(model_pebs_waits(&m));
	work.branches = 0;
	model_retire(&m, &work);
	assert_false(model_pebs_ready(&m));
	work.branches = 1;
	model_retire(&m, &work);
	record(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_next_instruction), cmocka_unit_test(test_reload),
    cmocka_unit_test(test_groups),           cmocka_unit_test(test_load_latency),
    cmocka_unit_test(test_no_place),         cmocka_unit_test(test_disable),
    cmocka_unit_test(test_exact_branches),   cmocka_unit_test(test_core_loads),
};

TAP_MAIN("model: PEBS")
