/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS records of formats 0 to 3: layouts, status, collisions, addresses of data. SDM vol. 3, the
 * tables of the records. */
#include "tests/host/model/pebs_guest.h"

#define NEHALEM_LATENCY 0x100bull
#define SKYLAKE_LATENCY 0x01cdull
#define SKYLAKE_LOADS   0x81d0ull
#define LL_EN(n)        (1ull << (32 + (n)))

/* A processor of each format; a Haswell is a Skylake with records of format 2. */
static const struct format {
	const char *name;
	unsigned format, bytes;
} formats[] = {
    {"intel-v2", 0, 144}, {"intel-v3", 1, 176}, {"intel-v4", 2, 192}, {"intel-v4", 3, 200}};

static struct personality processor(const struct format *f)
{
	struct personality p = *personality_find(f->name);

	p.capabilities = (p.capabilities & ~0xf00ull) | f->format << 8;
	return p;
}

/* As start(), on that processor; counter 0 wraps after `period`. */
static void start_fixed(struct model *m, const struct personality *p, const struct format *f,
			uint64_t select, uint64_t period)
{
	start(m, f->bytes, 20);
	model_reset(m, p);
	wr(m, IA32_DS_AREA, DS_AREA);
	wr(m, IA32_GLOBAL_CTRL, 3);
	wr(m, IA32_PEBS_ENABLE, 1);
	wr(m, IA32_PMC0, -period);
	wr(m, IA32_PERFEVTSEL0, select | USR | EN);
}

static void record_of(struct model *m, uint64_t instructions)
{
	retire(m, MODEL_USER, instructions);
	retire(m, MODEL_USER, 1);
	record(m);
}

/* The registers in the records' own order; then what each format adds. */
static void test_layouts(void **state)
{
	static const uint64_t registers[] = {0x246, 0x401003, 0x100, 0x103, 0x101, 0x102,
					     0x106, 0x107,    0x105, 0x104, 0x108, 0x109,
					     0x10a, 0x10b,    0x10c, 0x10d, 0x10e, 0x10f};
	struct model m;

	(void)state;
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct personality p = processor(&formats[i]);

		start_fixed(&m, &p, &formats[i], INSTRUCTIONS, 100);
		assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 100);
		record_of(&m, 100);
		assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), BUFFER_PMI);
		assert_true(model_take_pmi(&m));
		assert_int_equal(*word(DS_AREA + 0x28), BUFFER + formats[i].bytes);
		assert_memory_equal(word(BUFFER), registers, sizeof(registers));
		if (formats[i].format >= 1)
			assert_int_equal(*word(BUFFER + 0x90), 1);
		if (formats[i].format >= 2) {
			assert_int_equal(*word(BUFFER + 0xb0), 0x401000);
			assert_int_equal(*word(BUFFER + 0xb8), 0);
		}
		if (formats[i].format >= 3)
			assert_int_equal(*word(BUFFER + 0xc0), 777);
		assert_int_equal(*word(BUFFER + formats[i].bytes), 0);
	}
}

/* Up to format 2 the record has the whole status, later the counters that it is of. */
static void test_status(void **state)
{
	struct model m;

	(void)state;
	for (unsigned i = 1; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct personality p = processor(&formats[i]);

		start_fixed(&m, &p, &formats[i], INSTRUCTIONS, 100);
		wr(&m, IA32_PMC0 + 1, -10ull);
		wr(&m, IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | USR | EN);
		record_of(&m, 100);
		assert_int_equal(*word(BUFFER + 0x90), formats[i].format < 3 ? 3 : 1);
	}
}

/* Counters that wrap together have one record. */
static void test_collision(void **state)
{
	struct model m;

	(void)state;
	for (unsigned i = 1; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct personality p = processor(&formats[i]);

		start_fixed(&m, &p, &formats[i], INSTRUCTIONS, 100);
		wr(&m, IA32_PEBS_ENABLE, 3);
		wr(&m, IA32_PMC0 + 1, -100ull);
		wr(&m, IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | USR | EN);
		record_of(&m, 100);
		assert_int_equal(*word(BUFFER + 0x90), 3);
		assert_int_equal(*word(DS_AREA + 0x28), BUFFER + formats[i].bytes);
	}
}

/* Records have latencies if LL_EN is set, and from format 2 on addresses of DataLA events. */
static void test_fixed_access(void **state)
{
	static const struct {
		unsigned format;
		uint64_t select, enable;
		bool address, latency;
	} rows[] = {
	    {1, NEHALEM_LATENCY, LL_EN(0), true, true},
	    {1, NEHALEM_LATENCY, 0, false, false},
	    {1, INSTRUCTIONS, LL_EN(0), false, false},
	    {2, SKYLAKE_LATENCY, LL_EN(0), true, true},
	    {2, SKYLAKE_LOADS, 0, true, false},
	    {3, SKYLAKE_LATENCY, LL_EN(0), true, true},
	    {3, SKYLAKE_LATENCY, LL_EN(1), false, false},
	    {3, SKYLAKE_LOADS, 0, true, false},
	    {3, INSTRUCTIONS, LL_EN(0), false, false},
	};
	struct model m;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct format *f = &formats[rows[i].format];
		struct personality p = processor(f);

		start_fixed(&m, &p, f, rows[i].select, 1);
		wr(&m, IA32_PEBS_ENABLE, 1 | rows[i].enable);
		wr(&m, MSR_PEBS_LD_LAT, 40);
		record_of(&m, 16384);
		assert_int_equal(*word(BUFFER + 0x98), rows[i].address ? 0x7000 : 0);
		assert_int_equal(*word(BUFFER + 0xa8) >= 40, rows[i].latency);
	}
}

/* Imprecise events only count. */
static void test_imprecise(void **state)
{
	struct model m;

	(void)state;
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct personality p = processor(&formats[i]);

		start_fixed(&m, &p, &formats[i], CYCLES, 100);
		retire(&m, MODEL_USER, 1000);
		assert_false(model_pebs_waits(&m));
		assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 1);
		/* An event that replaces a waiting one makes no record either. */
		start_fixed(&m, &p, &formats[i], INSTRUCTIONS, 100);
		retire(&m, MODEL_USER, 100);
		assert_true(model_pebs_waits(&m));
		wr(&m, IA32_PERFEVTSEL0, CYCLES | USR | EN);
		assert_false(model_pebs_waits(&m));
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_layouts),   cmocka_unit_test(test_status),
    cmocka_unit_test(test_collision), cmocka_unit_test(test_fixed_access),
    cmocka_unit_test(test_imprecise),
};

TAP_MAIN("model: PEBS, formats 0 to 3")
