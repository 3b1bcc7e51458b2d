/* SPDX-License-Identifier: BSD-2-Clause */
/* Each reason not to believe a measurement, and each note, from made-up readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "apps/lib/verdict.c"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define KNOWN(n)                            \
	{                                   \
		.value = (n), .known = true \
	}
#define BITS_40 ((1ul << 40) - 1)

/* Readings that differ from a quiet machine's, whose counts are 100 and whose APERF grows as
 * MPERF does. */
struct readings {
	const char *line;
	struct moment from, middle, to;
	uint64_t count, enabled, running;
	uint64_t runs[8]; /* sorted */
};

#define QUIET                                                             \
	.interrupts = KNOWN(100), .nmis = KNOWN(100), .smis = KNOWN(100), \
	.thermal = KNOWN(0x8000002), .faults = 100
#define FROM   .from = {QUIET, .aperf = KNOWN(1000), .mperf = KNOWN(1000)}
#define MIDDLE .middle = {QUIET, .aperf = KNOWN(2000), .mperf = KNOWN(2000)}
#define AT_END QUIET, .aperf = KNOWN(4000), .mperf = KNOWN(4000)
#define TIMES  .enabled = 500, .running = 500
#define RUNS   .runs = {100, 100, 100, 100, 100, 100, 100, 100}
#define CALM   FROM, MIDDLE, TIMES, RUNS

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct readings readings[] = {
    {"valid", CALM, .to = {AT_END}},
    {"not valid: 1 interrupt", CALM, .to = {AT_END, .interrupts = KNOWN(101)}},
    {"not valid: 2 NMIs", CALM, .to = {AT_END, .nmis = KNOWN(102)}},
    {"not valid: 1 SMI", CALM, .to = {AT_END, .smis = KNOWN(101)}},
    {"not valid: 3 page faults", CALM, .to = {AT_END, .faults = 103}},
    /* The logs of heat, PROCHOT, a critical temperature and power are bits 1, 3, 5 and 11; the
     * first one was set before. Bit 0, the present state, is no log. */
    {"valid", CALM, .to = {AT_END, .thermal = KNOWN(0x8000003)}},
    {"not valid: a limit of heat or power was reached (MSR 19CH: 8000802)", CALM,
     .to = {AT_END, .thermal = KNOWN(0x8000802)}},
    {"not valid: a limit of heat or power was reached (MSR 19CH: 800000a)", CALM,
     .to = {AT_END, .thermal = KNOWN(0x800000a)}},
    {"not valid: a limit of heat or power was reached (MSR 19CH: 8000022)", CALM,
     .to = {AT_END, .thermal = KNOWN(0x8000022)}},
    {"valid", CALM, .to = {AT_END, .aperf = KNOWN(4019)}},
    {"not valid: the frequency changed by 2.0 %", CALM, .to = {AT_END, .aperf = KNOWN(4040)}},
    {"not valid: the frequency changed by -50.0 %", CALM, .to = {AT_END, .aperf = KNOWN(3000)}},
    {"valid", CALM, .to = {AT_END}, .count = BITS_40 / 2},
    {"not valid: a counter wrapped", CALM, .to = {AT_END}, .count = BITS_40 / 2 + 1},
    {"not valid: events shared counters", CALM, .to = {AT_END}, .running = 499},
    {"not valid: half of the runs differ by more than 2 % in cycles", CALM, .to = {AT_END},
     .runs = {90, 100, 100, 100, 100, 103, 103, 103}},
    {"valid", CALM, .to = {AT_END}, .runs = {90, 90, 100, 100, 100, 102, 150, 150}},
    {"valid", CALM, .to = {AT_END}, .runs = {0, 0, 0, 1, 1, 1, 1, 1}}, /* one is no difference */
    {"valid: SMIs not known", CALM, .to = {AT_END, .smis = {0, false}}},
    {"valid: frequency not known", CALM, .to = {AT_END, .mperf = KNOWN(2000)}},
    {"not valid: 1 interrupt, 1 NMI, 1 page fault; SMIs not known", CALM,
     .to = {AT_END, .interrupts = KNOWN(101), .nmis = KNOWN(101), .smis = {0, false},
	    .faults = 101}},
};
#pragma GCC diagnostic pop

static void each_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
		const struct readings *r = &readings[i];
		struct verdict verdict = {.reasons = ""};
		char line[VERDICT_LINE];

		verdict_compare(&verdict, &r->from, &r->to);
		verdict_frequency(&verdict, &r->from, &r->middle, &r->to);
		verdict_count(&verdict, r->count, BITS_40);
		verdict_shared(&verdict, r->enabled, r->running);
		verdict_spread(&verdict, "cycles", r->runs, ARRAY_SIZE(r->runs));
		verdict_line(&verdict, line);
		assert_string_equal(line, r->line);
	}
}

static void said_once(void **state)
{
	struct verdict verdict = {.reasons = ""};

	(void)state;
	for (int i = 0; i < 2; i++) {
		verdict_count(&verdict, UINT64_MAX, UINT64_MAX);
		verdict_note(&verdict, "SMIs not known");
	}
	assert_string_equal(verdict.reasons, "a counter wrapped");
	assert_string_equal(verdict.notes, "SMIs not known");
}

/* A member that begins or ends as another does is another one. */
static void said_though_part_of_another(void **state)
{
	struct verdict verdict = {.reasons = ""};

	(void)state;
	verdict_reason(&verdict, "11 interrupts");
	verdict_reason(&verdict, "1 interrupt");
	verdict_reason(&verdict, "1 interrupts");
	verdict_reason(&verdict, "11 interrupts");
	verdict_reason(&verdict, "1 interrupt");
	assert_string_equal(verdict.reasons, "11 interrupts, 1 interrupt, 1 interrupts");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
/* Readings that come several times are added up. */
static void added_up(void **state)
{
	const struct moment from = {QUIET}, nmi = {QUIET, .nmis = KNOWN(101)},
			    both = {QUIET, .interrupts = KNOWN(109), .nmis = KNOWN(103)},
			    fault = {QUIET, .interrupts = KNOWN(101), .faults = 101};
	struct verdict verdict = {.reasons = ""};

	(void)state;
	verdict_compare(&verdict, &from, &nmi);
	assert_string_equal(verdict.reasons, "1 NMI");
	verdict_compare(&verdict, &from, &nmi);
	assert_string_equal(verdict.reasons, "2 NMIs");
	verdict_reason(&verdict, "a counter wrapped");
	verdict_compare(&verdict, &from, &both);
	assert_string_equal(verdict.reasons, "a counter wrapped, 9 interrupts, 5 NMIs");
	verdict_compare(&verdict, &from, &fault);
	verdict_compare(&verdict, &from, &from);
	assert_string_equal(verdict.reasons,
			    "a counter wrapped, 5 NMIs, 10 interrupts, 1 page fault");
}
#pragma GCC diagnostic pop

/* The verdict on events of each class, on an emulated PMU. */
static void emulated(void **state)
{
	static const struct {
		struct pmu_id pmu;
		const char *line;
	} rows[] = {
	    {{.emulated = true},
	     "not valid: estimates: cycles busy misses instructions; not modelled, so not counted: "
	     "r1"},
	    {{.emulated = true, .exact = true},
	     "valid: simulated: cycles, cycles estimated from events: busy, "
	     "shares of the instructions: misses, "
	     "not modelled, so not counted: r1"},
	    {{.emulated = true, .core = "skylake", .repeats = true},
	     "valid: simulated: cycles, cycles estimated from events: busy, "
	     "shares of the instructions: misses, "
	     "not modelled, so not counted: r1"},
	    {{.emulated = true, .core = "skylake", .repeats = true, .cycle_error = 0.3},
	     "valid: simulated: cycles, cycles estimated from events: busy, "
	     "shares of the instructions: misses, "
	     "not modelled, so not counted: r1, cycles +- 0.30%"},
	    {{.emulated = true, .core = "skylake"},
	     "valid: simulated: cycles, cycles estimated from events: busy, "
	     "shares of the instructions: misses, "
	     "not modelled, so not counted: r1, order of processors: the host's"},
	};
	static const struct event_list events = {
	    .nr = 7,
	    .events = {{.name = "cycles", .class = CLASS_SIMULATED},
		       {.name = "busy", .class = CLASS_ESTIMATED},
		       {.name = "misses", .class = CLASS_SHARE},
		       {.name = "instructions", .class = CLASS_EXACT},
		       {.name = "faults", .class = CLASS_SOFTWARE},
		       {.name = "stalls", .class = CLASS_UNKNOWN},
		       {.name = "r1", .class = CLASS_NOT_COUNTED}}};
	static const struct event_list hardware = {
	    .nr = 1, .events = {{.name = "cycles", .class = CLASS_HARDWARE}}};
	struct pmu_id real = {.present = true};

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(rows); i++) {
		struct verdict verdict = {.reasons = ""};
		bool is_real = i == ARRAY_SIZE(rows);
		char line[VERDICT_LINE];

		verdict_emulated(&verdict, is_real ? &real : &rows[i].pmu,
				 is_real ? &hardware : &events);
		verdict_line(&verdict, line);
		assert_string_equal(line, is_real ? "valid" : rows[i].line);
	}
}

/* More than there is room for is cut, not written after it. */
static void room(void **state)
{
	struct verdict verdict = {.reasons = ""};
	char line[VERDICT_LINE];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		verdict_reason(&verdict, "reason %d", i);
		verdict_note(&verdict, "note %d", i);
	}
	assert_int_equal(strlen(verdict.reasons), VERDICT_SIZE - 1);
	assert_int_equal(strlen(verdict.notes), VERDICT_SIZE - 1);
	verdict_line(&verdict, line);
	assert_int_equal(strncmp(line, "not valid: reason 0, reason 1, ", 31), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_reason),
	    cmocka_unit_test(said_once),
	    cmocka_unit_test(said_though_part_of_another),
	    cmocka_unit_test(added_up),
	    cmocka_unit_test(emulated),
	    cmocka_unit_test(room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
