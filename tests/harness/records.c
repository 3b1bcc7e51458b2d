/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID leaves, branch records, registers of instruction-based sampling and records in the debug
 * store with any contents, under events that use them. The driver stays in its memory, and each
 * record that it writes has the length of its fields. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>
#include "abi/linux/perf_event.h"
#include "arch/x86/cpu/msr.h"
#include "emulator/visor/model/model.h"
#include "pmu/intel/intel_bts.h"
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"
#include "tests/host/kernel/ring_reader.h"

#define PAGES       8
#define STORE_BYTES (3 * 4096) /* of pmu/intel/intel_ds.c */

static struct bytes input;
static bool fuzzing; /* from the end of the start on */

/* ---- CPUID, at the start ---- */

/* Leaves, and for EAX to EDX the bits that may be changed. */
static const struct {
	uint32_t leaf, may[4];
} leaves[] = {
    {0x00000001, {~0u, ~0u, ~0u, ~0u}}, {0x00000007, {~0u, ~0u, ~0u, ~0u}},
    {0x0000000a, {~0u, ~0u, ~0u, ~0u}}, {0x00000014, {~0u, ~0u, ~0u, ~0u}},
    {0x0000001c, {~0u, ~0u, ~0u, ~0u}}, {0x80000001, {~0u, ~0u, ~0u, ~0u}},
    {0x8000001b, {~0u, ~0u, ~0u, ~0u}}, {0x80000022, {~0u, ~0u, ~0u, ~0u}},
};

static struct {
	uint32_t leaf, changed[4];
} cpuid_lies[2];

/* Bits of a random byte of one register in each of two leaves. */
static void choose_cpuid_lies(void)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = take_one_of(&input, sizeof(leaves) / sizeof(*leaves));
		unsigned r = take_one_of(&input, 4);
		uint32_t bits = (uint32_t)take(&input, 1) << 8 * take_one_of(&input, 4);

		memset(&cpuid_lies[i], 0, sizeof(cpuid_lies[i]));
		cpuid_lies[i].leaf = leaves[n].leaf;
		cpuid_lies[i].changed[r] = bits & leaves[n].may[r];
	}
}

static void lie_of_cpuid(uint32_t leaf, uint32_t regs[4])
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned r = 0; leaf == cpuid_lies[i].leaf && r < 4; r++)
			regs[r] ^= cpuid_lies[i].changed[r];
}

/* ---- registers that hold what was sampled ---- */

static const struct {
	uint32_t first, last;
} samples[] = {
    {0x1c9, 0x1c9},           /* the last branch record's index */
    {0x680, 0x69f},           /* from */
    {0x6c0, 0x6df},           /* to */
    {0xdc0, 0xddf},           /* information */
    {0x1200, 0x121f},         /* architectural information */
    {0x1500, 0x151f},         /* from */
    {0x1600, 0x161f},         /* to */
    {0xc0010300, 0xc001031f}, /* AMD's branches */
    {0xc0011031, 0xc0011032}, /* a fetch: addresses */
    {0xc0011034, 0xc0011039}, /* a micro-operation */
    {0xc001103b, 0xc001103d},
};

static uint64_t lie_of_register(uint32_t msr, uint64_t value)
{
	for (unsigned i = 0; fuzzing && i < sizeof(samples) / sizeof(*samples); i++)
		if (msr >= samples[i].first && msr <= samples[i].last && take_one_of(&input, 2))
			return take(&input, 8);
	return value;
}

/* ---- the debug store: what the processor wrote, when the driver is about to read it ---- */

static void lie_in_store(void)
{
	uint64_t area = 0;

	if (!fuzzing || take_one_of(&input, 4) || model_rdmsr(&fake_model, MSR_DS_AREA, &area) ||
	    !area)
		return;
	for (unsigned i = take_one_of(&input, 8); i--;) {
		uint64_t at = take(&input, 2) % STORE_BYTES & ~7ul;

		if (at < 8 * 8) /* an index is near the buffer, or anywhere */
			at = take_one_of(&input, 2) ? 8 : 40;
		*(uint64_t *)(area + at) = take_one_of(&input, 2)
					       ? area + take(&input, 2) % (2 * STORE_BYTES)
					       : take(&input, 8);
	}
}

/* True inside the areas that the debug store names; a record at a false index is lost. */
static bool is_in_store(uint64_t address, unsigned bytes)
{
	const uint64_t *area;
	uint64_t at = 0;

	if (model_rdmsr(&fake_model, MSR_DS_AREA, &at) || !at)
		return false;
	area = (const uint64_t *)at;
	if (address >= at && address + bytes <= at + 64) /* the indices themselves */
		return true;
	return (address >= area[0] && address + bytes <= area[2]) ||
	       (address >= area[4] && address + bytes <= area[6]);
}

/* ---- events that use them ---- */

static const uint32_t raw_events[] = {0x00c0, 0x01cd, 0x02cd, 0x82d0, 0x1d0, 0x20d1, 0xc4, 0xc5};

static void choose_event(struct perf_event_attr *attr)
{
	unsigned kind = take_one_of(&input, 8);

	*attr = fake_attr(PERF_TYPE_HARDWARE, take_one_of(&input, 7));
	if (kind < 3)
		*attr = fake_attr(
		    PERF_TYPE_RAW,
		    raw_events[take_one_of(&input, sizeof(raw_events) / sizeof(*raw_events))]);
	else if (kind < 6) /* instruction-based sampling */
		*attr = fake_attr(8 + take_one_of(&input, 2), 0);
	attr->config1 = take(&input, 1);
	attr->precise_ip = take_one_of(&input, 4);
	attr->sample_period = 100 + take(&input, 2);
	attr->sample_type = take(&input, 4) & (PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_AUX;
	attr->sample_type |= PERF_SAMPLE_IP;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = take(&input, 3) & (PERF_SAMPLE_BRANCH_MAX - 1);
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = take(&input, 8);
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = take(&input, 3);
	attr->exclude_kernel = take_one_of(&input, 2);
}

/* Reads all records, whose sizes must lead to the end of the ring. */
static void read_records(void *map)
{
	struct ring_reader reader = ring_reader(map, PAGES);
	const struct ring_record *record;

	while ((record = ring_next(&reader)))
		if (record->header.size < sizeof(record->header) || record->header.size % 8)
			abort();
	ring_done(&reader);
}

static void run_event(void)
{
	struct perf_event_attr attr;
	int fd, error;
	void *map;

	choose_event(&attr);
	fd = fake_open(&attr, -1, 0, -1, 0);
	if (fd < 0)
		fd = fake_open(&attr, 0, -1, -1, 0);
	if (fd < 0)
		return;
	map = fake_mmap(fd, 1 + PAGES, true, &error);
	fuzzing = true;
	for (unsigned i = 0; map && i < 4; i++) {
		fake_run(1 + take(&input, 2), take_one_of(&input, 2) ? MODEL_USER : MODEL_KERNEL);
		read_records(map);
	}
	fuzzing = false;
	if (map)
		fake_munmap(fd, map);
	fake_close(fd);
}

/* The buffers of the branch trace store stay once they are allocated: they are no leak. */
static void allocate_buffers(void)
{
	static bool done;

	if (done)
		return;
	fake_boot("skylake");
	done = !bts_prepare();
	fake_shutdown();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct personality *personality;

	input = (struct bytes){data, size};
	personality = personality_at(take_one_of(&input, 32));
	if (!personality)
		return 0;
	fake_cpuid = NULL;
	fake_lie = NULL;
	fake_after_wrmsr = NULL;
	fake_may_store = is_in_store;
	allocate_buffers();
	choose_cpuid_lies();
	fake_cpuid = lie_of_cpuid;
	fake_lie = lie_of_register;
	fake_boot(personality_name(personality));
	fake_after_wrmsr = lie_in_store;
	while (input.left)
		run_event();
	fake_shutdown();
	if (fake_open_objects)
		abort();
	return 0;
}
