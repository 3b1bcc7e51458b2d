/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's awkward behaviour on request: what the words mean, and when PMIs and NMIs come. */
#include <stdio.h>
#include <string.h>

#include "tests/host/model/model_test.h"
#include "emulator/visor/model/core/quirks.h"

static struct model model;
static struct quirk_state state;

/* A PMU whose fixed counter 0 interrupts after `until` instructions. */
static void start(const char *words, uint64_t until)
{
	struct quirks quirks = {0};

	reset(&model, "intel-v4");
	assert_true(!*words || quirks_parse(&quirks, words));
	quirks_reset(&state, &model, &quirks);
	wr(&model, IA32_FIXED_CTR0, (1ull << 48) - until);
	wr(&model, IA32_FIXED_CTR_CTRL, 0xb);
	wr(&model, IA32_GLOBAL_CTRL, 1ull << 32);
}

static void run(uint64_t instructions)
{
	retire(&model, MODEL_USER, instructions);
	quirks_retire(&state, instructions);
}

static void words(void **unused)
{
	static const char *const bad[] = {
	    "",         "skids:1", "skid",    "skid:",   "skid:0",     "skid:x",
	    "skid:0x",  "skid:1,", ",skid:1", "skid:1 ", "late-nmi:g", "skid:99999999999999999999",
	    "skid:1;2", "mask"};
	struct quirks q;

	(void)unused;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&q, 0, sizeof(q));
		if (quirks_parse(&q, bad[i]))
			fail_msg("'%s' is taken", bad[i]);
	}
	memset(&q, 0, sizeof(q));
	assert_true(quirks_parse(&q, "skid:7,foreign-nmi:1000,swallow,hold-for-write:3,running"));
	assert_int_equal(q.skid, 7);
	assert_int_equal(q.foreign_nmi, 1000);
	assert_int_equal(q.swallow, QUIRK_EVERY_MSR);
	assert_int_equal(q.hold_write, 3);
	assert_int_equal(q.running, 1);
	assert_int_equal(q.late_nmi | q.hold_read | q.mask_never | q.mask_always, 0);
	assert_true(quirks_parse(&q, "swallow:0xc1"));
	assert_int_equal(q.swallow, IA32_PMC0);
	/* Every name is a word of its own. */
	for (unsigned i = 0; quirks_name(i); i++) {
		char word[32];

		snprintf(word, sizeof(word), "%s:12", quirks_name(i));
		memset(&q, 0, sizeof(q));
		assert_true(quirks_parse(&q, word));
	}
}

static void none(void **unused)
{
	(void)unused;
	start("", 100);
	assert_int_equal(quirks_until(&state), MODEL_NEVER);
	run(99);
	assert_false(quirks_take_pmi(&state, &model));
	run(1);
	assert_true(quirks_take_pmi(&state, &model));
	assert_false(quirks_delay_nmi(&state));
	assert_false(quirks_take_pmi(&state, &model));
	assert_false(quirks_take_nmi(&state));
	assert_true(quirks_mask_lvtpc(&state, &model));
}

static void skid(void **unused)
{
	(void)unused;
	start("skid:7", 100);
	run(100);
	assert_false(quirks_take_pmi(&state, &model));
	assert_int_equal(quirks_until(&state), 7);
	/* The counter continues, and stopping it does not withdraw the PMI. */
	run(6);
	assert_int_equal(rd(&model, IA32_FIXED_CTR0), 6);
	wr(&model, IA32_GLOBAL_CTRL, 0);
	assert_false(quirks_take_pmi(&state, &model));
	run(1);
	assert_true(quirks_take_pmi(&state, &model));
	assert_int_equal(quirks_until(&state), MODEL_NEVER);
}

static void late_nmi(void **unused)
{
	(void)unused;
	start("late-nmi:20", 100);
	wr(&model, IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	run(100);
	/* The PMI comes at once, and freezes. */
	assert_true(quirks_take_pmi(&state, &model));
	assert_true(rd(&model, IA32_GLOBAL_STATUS) & CTR_FRZ);
	assert_true(quirks_delay_nmi(&state));
	run(19);
	assert_false(quirks_take_nmi(&state));
	/* Another one merges with it. */
	assert_true(quirks_delay_nmi(&state));
	assert_int_equal(quirks_until(&state), 1);
	run(1);
	assert_true(quirks_take_nmi(&state));
	assert_false(quirks_take_nmi(&state));
	assert_int_equal(quirks_until(&state), MODEL_NEVER);
	/* A halt does not keep it. */
	assert_true(quirks_delay_nmi(&state));
	quirks_halt(&state);
	assert_true(quirks_take_nmi(&state));
}

static void foreign_nmi(void **unused)
{
	unsigned nmis = 0;

	(void)unused;
	start("foreign-nmi:30", 1000000);
	/* No quirk takes effect before the PMU is in use. */
	assert_int_equal(quirks_until(&state), MODEL_NEVER);
	quirks_wrmsr(&state, &model, IA32_PMC0, 0);
	for (unsigned i = 0; i < 100; i++) {
		run(quirks_until(&state) < 9 ? quirks_until(&state) : 9);
		nmis += quirks_take_nmi(&state);
		assert_false(quirks_take_nmi(&state));
	}
	/* 9, 9, 9 and 3, again and again. */
	assert_int_equal(nmis, 25);
	assert_int_equal(state.foreign_nmis, 25);
	assert_false(quirks_take_pmi(&state, &model));
}

static void held(void **unused)
{
	(void)unused;
	for (unsigned reads = 0; reads < 2; reads++) {
		start(reads ? "hold-for-read:2" : "hold-for-write:2", 100);
		/* Before the wrap accesses mean nothing. */
		quirks_read(&state);
		quirks_wrmsr(&state, &model, IA32_PMC0, 0);
		run(100);
		assert_false(quirks_take_pmi(&state, &model));
		for (unsigned i = 0; i < 2; i++) {
			assert_false(quirks_take_pmi(&state, &model));
			quirks_read(&state);
			assert_false(!reads && quirks_take_pmi(&state, &model));
			assert_int_equal(quirks_wrmsr(&state, &model, IA32_PMC0, 0), MODEL_OK);
		}
		assert_true(quirks_take_pmi(&state, &model));
		/* It waits for a limited time. */
		wr(&model, IA32_FIXED_CTR0, (1ull << 48) - 1);
		run(1);
		assert_false(quirks_take_pmi(&state, &model));
		assert_in_range(quirks_until(&state), 1000, 100000);
		run(quirks_until(&state));
		assert_true(quirks_take_pmi(&state, &model));
	}
}

static void swallow(void **unused)
{
	uint64_t control;

	(void)unused;
	start("swallow", 100);
	control = rd(&model, IA32_GLOBAL_CTRL);
	assert_int_equal(quirks_wrmsr(&state, &model, IA32_GLOBAL_CTRL, 1), MODEL_OK);
	assert_int_equal(rd(&model, IA32_GLOBAL_CTRL), control);
	/* A write that faults still faults; a register outside the PMU stays outside. */
	assert_int_equal(quirks_wrmsr(&state, &model, IA32_GLOBAL_CTRL, ~0ull), MODEL_GP);
	assert_int_equal(quirks_wrmsr(&state, &model, 0x10, 0), MODEL_NOT_PMU);
	start("swallow:0x186", 100);
	assert_int_equal(quirks_wrmsr(&state, &model, IA32_PERFEVTSEL0, 0xc0), MODEL_OK);
	assert_int_equal(rd(&model, IA32_PERFEVTSEL0), 0);
	assert_int_equal(quirks_wrmsr(&state, &model, IA32_PERFEVTSEL0 + 1, 0xc0), MODEL_OK);
	assert_int_equal(rd(&model, IA32_PERFEVTSEL0 + 1), 0xc0);
}

/* Whatever firmware leaves counts and interrupts, on every part that can. */
static void running(void **unused)
{
	const struct quirks quirks = {.running = 1};

	(void)unused;
	for (unsigned i = 0; personality_at(i); i++) {
		model_reset(&model, personality_at(i));
		if (!strcmp(personality_name(personality_at(i)), "none"))
			continue;
		assert_false(model_counts(&model));
		quirks_reset(&state, &model, &quirks);
		assert_true(model_counts(&model));
		assert_in_range(model_until_overflow(&model, MODEL_USER | MODEL_KERNEL, false), 1,
				1ull << 50);
	}
}

static void masks(void **unused)
{
	(void)unused;
	start("mask-never", 100);
	assert_false(quirks_mask_lvtpc(&state, &model));
	start("mask-always", 100);
	assert_true(quirks_mask_lvtpc(&state, &model));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words),    cmocka_unit_test(none),        cmocka_unit_test(skid),
    cmocka_unit_test(late_nmi), cmocka_unit_test(foreign_nmi), cmocka_unit_test(held),
    cmocka_unit_test(swallow),  cmocka_unit_test(running),     cmocka_unit_test(masks),
};

TAP_MAIN("model: awkward behaviour")
