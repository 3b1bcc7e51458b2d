/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor Trace of random walks through code: a decoder must find each instruction that ran in
 * ring 3, one by one, and no other. Filters of addresses and contexts. */
#include "tests/sim/pt/pt_walk.h"

static void every_instruction_is_found(void **state)
{
	static const uint64_t ways[] = {
	    0,
	    PT_CTL_NO_RETC,
	    PT_CTL_TSC,
	    PT_CTL_TSC | PT_CTL_MTC | 9ull << PT_CTL_MTC_FREQ,
	    PT_CTL_TSC | PT_CTL_CYC,
	    PT_CTL_TSC | PT_CTL_CYC | 5ull << PT_CTL_CYC_THRESH | PT_CTL_MTC |
		9ull << PT_CTL_MTC_FREQ,
	};

	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct walk *walk = new_walk(seed, USER | ways[seed % 6]);

		walk->interrupts = seed & 1;
		walk_along(walk);
		assert_int_equal(walk->guest.page.pt.lost, 0);
		decode(walk, memory + 0x80000, written(walk), 0);
		walk_end(walk);
		free(walk);
	}
}

/* A filter range: only its instructions are decoded. */
static void a_range_filters(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct walk *walk = new_walk(1000 + seed, USER | 1ull << PT_CTL_RANGE_CFG(1));
		struct pt_state *pt = &walk->guest.page.pt;
		unsigned nr = 0;

		walk->interrupts = seed & 1;
		pt->range[1][0] = walk->blocks[10]->start;
		pt->range[1][1] = walk->blocks[40]->end - 1;
		walk_along(walk);
		for (unsigned i = 0; i < walk->nr_ran; i++)
			if (walk->ran[i] >= pt->range[1][0] && walk->ran[i] <= pt->range[1][1])
				walk->ran[nr++] = walk->ran[i];
		walk->nr_ran = nr;
		assert_true(nr > 100);
		decode(walk, memory + 0x80000, written(walk), 0);
		walk_end(walk);
		free(walk);
	}
}

/* Another address space's instructions, and the kernel's, leave nothing but where packets begin. */
static void other_contexts_are_silent(void **state)
{
	static const uint64_t ctls[] = {USER | PT_CTL_CR3_FILTER, (USER & ~PT_CTL_USR),
					USER & ~PT_CTL_TRACE};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct walk *walk = new_walk(i, ctls[i]);

		walk->guest.page.pt.cr3_match = 0x6000;
		walk_along(walk);
		assert_int_equal(written(walk), 22); /* PSB, CBR, PSBEND */
		walk_end(walk);
		free(walk);
	}
}

struct written_value {
	uint64_t ip, value;
};

/* Decodes the trace, which must yield these PTWRITEs exactly. */
static void decode_values(struct walk *walk, const struct written_value *expected, unsigned nr)
{
	struct pt_image *image = pt_image_alloc(NULL);
	struct pt_insn_decoder *decoder = decoder_of(walk, memory + 0x80000, written(walk), image);
	unsigned found = 0;
	int status = pt_insn_sync_forward(decoder);

	while (status >= 0) {
		struct pt_insn insn = {0};
		struct pt_event event;

		while (status >= 0 && (status & pts_event_pending)) {
			status = pt_insn_event(decoder, &event, sizeof(event));
			assert_true(status >= 0);
			if (event.type != ptev_ptwrite)
				continue;
			assert_true(found < nr);
			assert_int_equal(event.variant.ptwrite.payload, expected[found].value);
			assert_int_equal(event.variant.ptwrite.ip, expected[found].ip);
			found++;
		}
		if (status >= 0)
			status = pt_insn_next(decoder, &insn, sizeof(insn));
	}
	assert_int_equal(status, -pte_eos);
	assert_int_equal(found, nr);
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
}

/* PTWRITE RAX and PTWRITE EAX around a branch that was not taken, with their addresses and
 * without; without PTWEn, and in a ring that is not traced, they leave nothing. */
static void values_are_written(void **state)
{
	static const uint8_t code[] = {0xf3, 0x48, 0x0f, 0xae, 0xe0, 0x75, 0x10,
				       0xf3, 0x0f, 0xae, 0xe0, 0xeb, 0xf3};
	static const struct {
		uint64_t ctl;
		unsigned nr;
	} rows[] = {{USER | PT_CTL_PTW, 2},
		    {USER | PT_CTL_PTW | PT_CTL_FUP_ON_PTW, 2},
		    {USER | PT_CTL_PTW | PT_CTL_TSC | PT_CTL_CYC, 2},
		    {USER | PT_CTL_FUP_ON_PTW, 0},
		    {(USER & ~PT_CTL_USR) | PT_CTL_OS | PT_CTL_PTW, 0}};
	static const struct written_value expected[] = {{BASE, 0x12345678fffffff0},
							{BASE + 7, 0xfffffff1}};
	const struct pt_place place = {.ip = BASE, .user = true, .mode = PT_MODE_64};
	const struct pt_move move = {.kind = PT_CONDITIONAL,
				     .next = BASE + 7,
				     .to = {.ip = BASE + 7, .user = true, .mode = PT_MODE_64}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct walk *walk = new_walk(i, rows[i].ctl);

		memcpy(walk->code, code, sizeof(code));
		pt_start(&walk->visor, &place);
		pt_write_value(&walk->visor, expected[0].ip, expected[0].value, 8);
		pt_move(&walk->visor, &move);
		pt_write_value(&walk->visor, expected[1].ip, expected[1].value, 4);
		pt_stop(&walk->visor, BASE + 11);
		decode_values(walk, expected, rows[i].nr);
		walk_end(walk);
		free(walk);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_written),
	    cmocka_unit_test(every_instruction_is_found),
	    cmocka_unit_test(a_range_filters),
	    cmocka_unit_test(other_contexts_are_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
