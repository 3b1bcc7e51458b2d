/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of PEBS: a guest's memory with a DS area, registers, armed counters. */
#ifndef TESTS_HOST_PEBS_GUEST_H
#define TESTS_HOST_PEBS_GUEST_H

#include <string.h>

#include "emulator/visor/model/model.h"
#include "abi/core_page.h"
#include "emulator/visor/model/base/personality.h"
#include "tests/host/model/model_test.h"

#define DS_AREA    0x10000ull
#define BUFFER     0x11000ull
#define MEMORY     0x4000u
#define BUFFER_PMI (1ull << 62)
#define FIXED0     (1ull << 32)

/* The guest's memory from DS_AREA on; memory from `hole` on is not mapped. */
static uint64_t memory[MEMORY / 8];
static uint64_t hole;

static bool mapped(uint64_t address, unsigned bytes)
{
	return address >= DS_AREA && address + bytes <= hole;
}

static bool read_memory(void *context, uint64_t address, void *data, unsigned bytes)
{
	assert_ptr_equal(context, &hole);
	if (!mapped(address, bytes))
		return false;
	memcpy(data, (const uint8_t *)memory + (address - DS_AREA), bytes);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *data, unsigned bytes)
{
	assert_ptr_equal(context, &hole);
	if (!mapped(address, bytes))
		return false;
	memcpy((uint8_t *)memory + (address - DS_AREA), data, bytes);
	return true;
}

static void read_xmms(void *context, uint64_t words[MODEL_XMM_WORDS])
{
	assert_ptr_equal(context, &hole);
	for (unsigned i = 0; i < MODEL_XMM_WORDS; i++)
		words[i] = 0x1000 + i;
}

static struct model_pebs_source source(void)
{
	struct model_pebs_source s = {
	    .event_ip = 0x401000,
	    .ip = 0x401003,
	    .flags = 0x246,
	    .tsc = 777,
	    .address = 0x7000,
	    .context = &hole,
	    .read = read_memory,
	    .write = write_memory,
	    .read_xmms = read_xmms,
	};

	for (unsigned i = 0; i < 16; i++)
		s.gpr[i] = 0x100 + i;
	return s;
}

static uint64_t *word(uint64_t address)
{
	return &memory[(address - DS_AREA) / 8];
}

/* A buffer for `records` records of `bytes`, a PMI after each. */
static void start(struct model *m, uint64_t bytes, unsigned records)
{
	reset(m, "intel-v5");
	memset(memory, 0, sizeof(memory));
	hole = DS_AREA + MEMORY;
	*word(DS_AREA + 0x20) = *word(DS_AREA + 0x28) = BUFFER;
	*word(DS_AREA + 0x30) = BUFFER + records * bytes;
	*word(DS_AREA + 0x38) = BUFFER + bytes;
	wr(m, IA32_DS_AREA, DS_AREA);
	wr(m, IA32_GLOBAL_CTRL, FIXED0 | 0xff);
}

static void record(struct model *m)
{
	struct model_pebs_source s = source();

	assert_true(model_pebs_ready(m));
	model_pebs_record(m, &s);
	assert_false(model_pebs_ready(m));
	assert_false(model_pebs_waits(m));
}

#endif
