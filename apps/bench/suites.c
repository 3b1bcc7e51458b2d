/* SPDX-License-Identifier: BSD-2-Clause */
/* The suites of one processor: caches, TLBs, branch prediction, system calls. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/page.h"
#include "apps/bench/suites.h"

#define LINE            64
#define UNROLL          16
#define FEWEST_LOADS    16384
#define LARGEST         (32ul << 20)
#define MOST_PAGES      4096
#define MOST_JUMPS      16384
#define JUMP_SPACING    16
#define LONGEST_PATTERN (1 << 14)
#define LEARNING_RUNS   10 /* runs that train a predictor before the first that counts */
#define LOAD_WARM_UP    2  /* in the second, branches are predicted as later on */

static struct event_list events;
static struct bench_options requested;

void suite_events(const char *text)
{
	char error[EVENT_ERROR_SIZE];

	events.nr = 0;
	if (event_parse(&events, text, error))
		fail("%s", error);
	event_place_hybrid(&events, sched_getcpu());
	event_classify(&events);
}

const struct outcome *suite_tried(struct sheet *sheet, const struct job *job,
				  struct bench_options *options)
{
	static struct outcome outcome;

	options->runs = SUITE_RUNS;
	options->aggregate = BENCH_MINIMUM;
	measure(options, &events, job, &outcome);
	if (outcome.failed)
		return &outcome;
	sheet_judge(sheet, &outcome.verdict);
	sheet_equal(sheet, outcome_equal(&outcome, events.nr), SUITE_RUNS);
	return &outcome;
}

/* As suite_tried(); exits when the code ends by a fault. */
static const struct outcome *measured_as(struct sheet *sheet, const struct job *job,
					 struct bench_options *options)
{
	const struct outcome *outcome = suite_tried(sheet, job, options);

	if (outcome->failed)
		fail("%s ended by vector %u", sheet->title, outcome->end.call.ended);
	return outcome;
}

const struct outcome *suite_measured(struct sheet *sheet, const struct job *job, int unroll,
				     int loop)
{
	struct bench_options options = requested;

	options.unroll = unroll;
	options.loop = loop;
	options.warm_up = 2; /* in the first the pages of the bench itself come */
	return measured_as(sheet, job, &options);
}

/* Measures a loop of the code once, in enough rounds that the overhead vanishes. Twice the code
 * would need twice the predictor's entries, which learn during the warm-ups. */
static const struct outcome *measured_alone(struct sheet *sheet, const struct job *job, int loop,
					    int warm_up)
{
	struct bench_options options = requested;

	options.unroll = 1;
	options.loop = loop;
	options.warm_up = warm_up;
	options.basic = true;
	return measured_as(sheet, job, &options);
}

static void init_code(struct job *job, const uint8_t *code, size_t size)
{
	memcpy(job->init.bytes + job->init.size, code, size);
	job->init.size += size;
}

void suite_init_constant(struct job *job, int reg, uint64_t value)
{
	uint8_t code[10] = {(uint8_t)(0x48 | (reg >= 8)), (uint8_t)(0xb8 | (reg & 7))};

	memcpy(code + 2, &value, sizeof(value));
	init_code(job, code, sizeof(code));
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return *state >> 33;
}

/* Random order: Sattolo's shuffle. PLACE(i) is the offset of element i. */
uint64_t suite_chain(uint8_t *base, size_t nr, size_t distance, bool random)
{
	uint32_t *order = malloc(nr * sizeof(*order));
	uint64_t state = 1;

	if (!order)
		fail("no memory for a chain of %zu", nr);
	for (size_t i = 0; i < nr; i++)
		order[i] = (uint32_t)i;
	for (size_t i = nr; random && --i;) {
		size_t j = next_random(&state) % i;
		uint32_t swapped = order[i];

		order[i] = order[j];
		order[j] = swapped;
	}
#define PLACE(i)                              \
	(base + (size_t)order[i] * distance + \
	 (distance >= PAGE ? (order[i] + order[i] / 64) % 64 * LINE : 0))
	for (size_t i = 0; i < nr; i++)
		*(uint8_t **)PLACE(i) = PLACE((i + 1) % nr);
	base = PLACE(0);
	free(order);
	return (uint64_t)base;
}

static uint8_t *map_memory(size_t bytes)
{
	uint8_t *memory;

	if (requested.huge)
		memory = huge_memory(bytes, requested.huge);
	else
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		fail("no %zu bytes of memory: give the machine more", bytes);
	for (size_t at = 0; at < bytes; at += 4096)
		memory[at] = 0; /* every page is its own, and there */
	return memory;
}

/* Begins each run with empty caches, where that is possible. Otherwise the replacement state
 * decides which lines of a full level survive: flushes of lines leave it, and each run changes
 * it. */
static void begin_empty(void)
{
	if (run_can_empty())
		requested.cold |= BENCH_COLD_DATA;
}

/* Prepares a job that walks through `memory`. Unless the caches are empty, it flushes the lines and
 * walks once with `walk`: each run then finds the same caches, whatever the kernel and the bench
 * touched before. */
static void init_walk(struct job *job, const uint8_t *memory, size_t lines, const uint8_t *walk,
		      size_t size)
{
	/* clflush [rax]; add rax, 64; dec rcx; jnz to the first */
	static const uint8_t flush[] = {0x0f, 0xae, 0x38, 0x48, 0x83, 0xc0,
					LINE, 0x48, 0xff, 0xc9, 0x75, 0xf4};

	if (!(requested.cold & BENCH_COLD_DATA)) {
		suite_init_constant(job, RING0_RAX, (uint64_t)memory);
		suite_init_constant(job, RING0_RCX, lines);
		init_code(job, flush, sizeof(flush));
	}
	suite_init_constant(job, RING0_RCX, lines);
	init_code(job, walk, size);
}

/*
 * Returns cycles per load of `nr` loads: rounds of a loop of one load each; for few loads the
 * difference to half as many rounds. Twice the code would look different to a prefetcher that is
 * indexed by the load's address, and twice as much code comes from memory after the caches were
 * emptied.
 */
static double a_load(struct sheet *sheet, const struct job *job, size_t nr)
{
	int loads = nr < FEWEST_LOADS ? FEWEST_LOADS : (int)nr;
	double once = measured_alone(sheet, job, loads, LOAD_WARM_UP)->figures[0].value;

	if (nr > FEWEST_LOADS)
		return once;
	return 2 * measured_alone(sheet, job, 2 * loads, LOAD_WARM_UP)->figures[0].value - once;
}

/* Returns the cycles of one load of the chain. */
static double chase(struct sheet *sheet, uint8_t *memory, size_t nr, bool random)
{
	static uint8_t load[] = {0x4d, 0x8b, 0x36}; /* mov r14, [r14] */
	/* as above; dec rcx; jnz to the first */
	static const uint8_t walk[] = {0x4d, 0x8b, 0x36, 0x48, 0xff, 0xc9, 0x75, 0xf8};
	uint8_t init[96];
	struct job job = {.code = {load, sizeof(load)}, .init = {init, 0}};

	suite_init_constant(&job, 14, suite_chain(memory, nr, LINE, random));
	init_walk(&job, memory, nr, walk, sizeof(walk));
	return a_load(sheet, &job, nr);
}

/* Returns the bytes per cycle of independent loads. */
static double stream(struct sheet *sheet, const uint8_t *memory, size_t bytes)
{
	/* mov rax, [r14 + rbx]; add rbx, 64; and rbx, rdx */
	static uint8_t load[] = {0x49, 0x8b, 0x04, 0x1e, 0x48, 0x83, 0xc3, 0x40, 0x48, 0x21, 0xd3};
	/* as above; dec rcx; jnz to the first */
	static const uint8_t walk[] = {0x49, 0x8b, 0x04, 0x1e, 0x48, 0x83, 0xc3, 0x40,
				       0x48, 0x21, 0xd3, 0x48, 0xff, 0xc9, 0x75, 0xf0};
	uint8_t init[96];
	struct job job = {.code = {load, sizeof(load)}, .init = {init, 0}};

	suite_init_constant(&job, 14, (uint64_t)memory);
	suite_init_constant(&job, RING0_RBX, 0);
	suite_init_constant(&job, RING0_RDX, bytes - 1);
	init_walk(&job, memory, bytes / LINE, walk, sizeof(walk));
	return LINE / a_load(sheet, &job, bytes / LINE);
}

/* Returns the limit of --memory, or `usual`. */
static size_t largest(size_t usual)
{
	return requested.memory ? requested.memory : usual;
}

const struct bench_options *suite_options(void)
{
	return &requested;
}

void suite_row_done(struct sheet *sheet)
{
	sheet_rows(stdout, &requested, sheet);
}

static struct sheet suite_memory(void)
{
	struct sheet sheet = {.title = "memory",
			      .heading = "Loads by the size of their memory",
			      .x = "size",
			      .y = "cycles a load; bytes a cycle",
			      .log_x = true,
			      .log_y = true,
			      .columns = {"random", "in a row", "bytes/cycle"},
			      .nr_columns = 3};
	size_t most = largest(LARGEST);
	uint8_t *memory = map_memory(most);

	begin_empty();
	for (size_t bytes = PAGE; bytes <= most; bytes *= 2) {
		struct sheet_row *row = bytes < 1 << 20
					    ? sheet_add(&sheet, (double)bytes, "%zuK", bytes >> 10)
					    : sheet_add(&sheet, (double)bytes, "%zuM", bytes >> 20);
		size_t nr = bytes / LINE;

		row->values[0] = chase(&sheet, memory, nr, true);
		row->values[1] = chase(&sheet, memory, nr, false);
		row->values[2] = stream(&sheet, memory, bytes);
		suite_row_done(&sheet);
	}
	return sheet;
}

static struct sheet suite_tlb(void)
{
	struct sheet sheet = {.title = "tlb",
			      .heading = "Loads by the number of their pages",
			      .x = "pages",
			      .y = "cycles a load, one in each page",
			      .log_x = true,
			      .columns = {"cycles", "page walks"},
			      .nr_columns = 2};
	size_t most = largest((size_t)MOST_PAGES * PAGE) / PAGE;
	uint8_t *memory = map_memory(most * PAGE);

	suite_events("cycles,dTLB-load-misses");
	if (!counters_know(&requested, &events.events[1]))
		sheet.nr_columns = events.nr = 1;
	for (size_t pages = 4; pages <= most; pages *= 2) {
		struct sheet_row *row = sheet_add(&sheet, (double)pages, "%zu", pages);
		uint8_t init[32], load[] = {0x4d, 0x8b, 0x36};
		struct job job = {.code = {load, sizeof(load)}, .init = {init, 0}};
		size_t loads = pages < FEWEST_LOADS ? FEWEST_LOADS : pages;
		const struct outcome *outcome;

		suite_init_constant(&job, 14, suite_chain(memory, pages, PAGE, true));
		outcome = suite_measured(&sheet, &job, UNROLL, (int)(loads / UNROLL));
		for (int i = 0; i < sheet.nr_columns; i++)
			row->values[i] = outcome->figures[i].value;
		suite_row_done(&sheet);
	}
	return sheet;
}

/* Generates `nr` jumps, each to the next, JUMP_SPACING bytes apart; the last one closes the
 * loop. */
static struct piece make_jumps(unsigned nr)
{
	struct piece piece = {malloc((size_t)nr * JUMP_SPACING), (nr - 1) * (size_t)JUMP_SPACING};

	if (!piece.bytes)
		fail("no memory for %u jumps", nr);
	memset(piece.bytes, 0x90, piece.size);
	for (unsigned i = 0; i < nr - 1; i++) {
		piece.bytes[(size_t)i * JUMP_SPACING] = 0xeb;
		piece.bytes[(size_t)i * JUMP_SPACING + 1] = JUMP_SPACING - 2;
	}
	return piece;
}

/* Returns the mispredictions of a branch that follows a random pattern of this length. bt [r14],
 * rbx; jc +1; nop; inc ebx; and ebx, ecx */
static double follow(struct sheet *sheet, unsigned length)
{
	static uint8_t code[] = {0x49, 0x0f, 0xa3, 0x1e, 0x72, 0x01, 0x90, 0xff, 0xc3, 0x21, 0xcb};
	static uint8_t *pattern;
	uint8_t init[32];
	struct job job = {.code = {code, sizeof(code)}, .init = {init, 0}};
	uint64_t state = 7;

	if (!pattern)
		pattern = map_memory(LONGEST_PATTERN);
	for (unsigned i = 0; i < LONGEST_PATTERN / 8; i++)
		pattern[i] = (uint8_t)next_random(&state);
	suite_init_constant(&job, 14, (uint64_t)pattern);
	suite_init_constant(&job, RING0_RBX, 0);
	suite_init_constant(&job, RING0_RCX, length - 1);
	return measured_alone(sheet, &job, 4 * LONGEST_PATTERN, LEARNING_RUNS)->figures[1].value;
}

static struct sheet suite_branches(void)
{
	struct sheet sheet = {
	    .title = "branches",
	    .heading = "Jumps by their number, and branches by the length of their pattern",
	    .x = "branches or pattern",
	    .y = "cycles a jump of so many; mispredictions of a branch whose "
		 "random pattern is so long",
	    .log_x = true,
	    .columns = {"cycles/jump", "mispredicted"},
	    .nr_columns = 2};

	suite_events("cycles,branch-misses");
	for (unsigned nr = 4; nr <= MOST_JUMPS; nr *= 2) {
		struct sheet_row *row = sheet_add(&sheet, nr, "%u", nr);
		struct job job = {.code = make_jumps(nr)};

		row->values[0] =
		    measured_alone(&sheet, &job, nr < 8192 ? (int)(65536 / nr) : 8, LEARNING_RUNS)
			->figures[0]
			.value /
		    nr;
		row->values[1] = follow(&sheet, nr);
		free(job.code.bytes);
		suite_row_done(&sheet);
	}
	return sheet;
}

/* Measures short system calls, by their numbers and arguments. */
static struct sheet suite_syscalls(void)
{
	static const struct {
		const char *name;
		long number;
		uint64_t rdi, rsi, rdx;
	} calls[] = {
	    {"getppid", SYS_getppid, 0, 0, 0},
	    {"an unknown one", 1000, 0, 0, 0},
	    {"read of 0 bytes", SYS_read, 0, 0, 0},
	    {"sched_yield", SYS_sched_yield, 0, 0, 0},
	    {"clock_gettime of a clock", SYS_clock_gettime, 1, 0, 0},
	    {"futex wake", SYS_futex, 0, 1, 1},
	    {"getuid", SYS_getuid, 0, 0, 0},
	};
	struct sheet sheet = {.title = "syscalls",
			      .heading = "System calls",
			      .x = "call",
			      .y = "of one call, in both rings",
			      .kind = SHEET_BARS,
			      .columns = {"cycles", "instructions"},
			      .nr_columns = 2};

	suite_events("cycles:uk,instructions:uk");
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct sheet_row *row = sheet_add(&sheet, i, "%s", calls[i].name);
		uint8_t init[64], code[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05};
		struct job job = {.code = {code, sizeof(code)}, .init = {init, 0}};
		const struct outcome *outcome;

		memcpy(code + 1, &calls[i].number, 4);
		suite_init_constant(&job, RING0_RDI,
				    calls[i].number == SYS_futex ? (uint64_t)areas[AREA_R14].start
								 : calls[i].rdi);
		suite_init_constant(&job, RING0_RSI,
				    calls[i].number == SYS_clock_gettime
					? (uint64_t)areas[AREA_R14].start
					: calls[i].rsi);
		suite_init_constant(&job, RING0_RDX, calls[i].rdx);
		outcome = suite_measured(&sheet, &job, 20, 0);
		row->values[0] = outcome->figures[0].value;
		row->values[1] = outcome->figures[1].value;
		suite_row_done(&sheet);
	}
	return sheet;
}

/* Measures a NOP for nothing: pages that a measurement writes at its end are there afterwards. */
static void touch_pages(void)
{
	static uint8_t code[] = {0x90};
	struct job job = {.code = {code, sizeof(code)}};
	struct sheet sheet = {.title = "pages"};

	sheet_add(&sheet, 0, "pages");
	suite_measured(&sheet, &job, 48, 0);
	free(sheet.rows);
}

int suite_run(const struct bench_options *options)
{
	static const struct {
		const char *name;
		struct sheet (*run)(void);
	} suites[] = {
	    {"memory", suite_memory},
	    {"tlb", suite_tlb},
	    {"branches", suite_branches},
	    {"syscalls", suite_syscalls},
	    {"instructions", suite_instructions},
	    {"cores", suite_cores},
	};

	requested = *options;
	suite_events("cycles");
	touch_pages();
	for (unsigned i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		struct sheet sheet;

		if (strcmp(options->suite, suites[i].name))
			continue;
		sheet = suites[i].run();
		if (sheet.runs)
			sheet_conclude(&sheet, &events);
		sheet_print(stdout, options, &sheet);
		sheet_plot(options, &sheet);
	}
	return 0;
}
