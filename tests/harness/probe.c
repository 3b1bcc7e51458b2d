/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions of probes with any text, and instructions of any bytes: what is let through fetches
 * nothing but into its record, and code for a slot stays inside it.
 */
#include <stdlib.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/symbols.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"
#include "trace/probe/base/fetch.h"
#include "trace/probe/base/insn.h"
#include "trace/probe/base/words.h"

#define ARGS_MAX  8
#define TEXT_MAX  256
#define VALUE_MAX 8

/* The kernel's only symbol, and where its text begins. */
const char text_start[1];

uint32_t symbols_count(void)
{
	return 1;
}

const char *symbols_get(uint32_t index, uint64_t *address)
{
	(void)index;
	*address = 0xffffffff80200000;
	return "start";
}

static void take_instruction(struct bytes *bytes)
{
	uint8_t code[PROBE_INSN_MAX], *slot = malloc(PROBE_SLOT_BYTES), *exact;
	size_t available = take_one_of(bytes, PROBE_INSN_MAX + 1);
	struct probe_insn insn = {0};

	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)take(bytes, 1);
	exact = malloc(available);
	memcpy(exact, code, available);
	if (!probe_insn_decode(&insn, exact, available)) {
		if (!insn.length || insn.length > available)
			abort();
		probe_insn_place(&insn, 0x1000, 0x1000 + take(bytes, 4), slot);
	}
	free(exact);
	free(slot);
}

/* Words until the bytes end, as commands have them. */
static void take_arguments(char *text, unsigned where)
{
	struct fetch_arg args[ARGS_MAX];
	struct frame frame = {.rdi = (uint64_t)(uintptr_t)text, .rsp = (uint64_t)(uintptr_t)text};
	uint32_t room = ARGS_MAX * VALUE_MAX, end;
	uint8_t *record = calloc(1, room + FETCH_STRINGS);
	unsigned nr = 0;
	char *word;

	while (nr < ARGS_MAX && (word = word_next(&text))) {
		if (fetch_parse(&args[nr], word, nr, where))
			continue;
		if (args[nr].type->size > VALUE_MAX || args[nr].nr_steps > FETCH_STEPS)
			abort();
		args[nr].offset = nr * VALUE_MAX;
		nr++;
	}
	end = fetch_record(args, nr, record, room, &frame, where & ~(unsigned)FETCH_OF_USER);
	if (end < room || end > room + FETCH_STRINGS)
		abort();
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	unsigned where = take_one_of(&bytes, 8), held;
	char *text;

	if (size > TEXT_MAX)
		return 0;
	fake_boot("none");
	held = fake_open_objects;
	take_instruction(&bytes);
	text = malloc(bytes.left + 1);
	memcpy(text, bytes.at, bytes.left);
	text[bytes.left] = 0;
	take_arguments(text, where);
	free(text);
	if (fake_open_objects != held)
		abort();
	fake_shutdown();
	return 0;
}
