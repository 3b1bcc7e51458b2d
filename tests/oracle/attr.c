/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2)'s answers to every field of perf_event_attr, bit by bit. */
#include "oracle.h"
#include <stddef.h>

#define NR_FLAGS 38

static const struct kind {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t period;
	bool freq, pairs; /* pairs: also tries every pair of bits */
} kinds[] = {
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, false, false},
    {"dummy sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1000, false, true},
    {"task-clock sampling", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000000, false, false},
    {"faults at a frequency", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 100, true, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, false, false},
    {"instructions sampling", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 100000, false, true},
    {"cycles at a frequency", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 100, true, false},
};

static struct perf_event_attr attr_of(const struct kind *kind)
{
	struct perf_event_attr attr = perf_user_attr(kind->type, kind->config);

	attr.sample_period = kind->period;
	attr.freq = kind->freq;
	return attr;
}

static int try_config(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = perf_user_attr(type, config);

	return try_attr(&attr);
}

/* ---- type and config ---- */

static void types(void)
{
	static const uint32_t odd[] = {1000, 0x7fffffff, 0x80000000, 0xffffffff};

	for (uint32_t type = 0; type < 6; type++) {
		row("type %u config 0 to 15", type);
		for (uint64_t config = 0; config < 16; config++)
			cell(try_config(type, config));
		row_end();
		row("type %u config bit 4 to 63", type);
		for (unsigned bit = 4; bit < 64; bit++)
			cell(try_config(type, 1ull << bit));
		row_end();
	}
	for (unsigned i = 0; i < COUNT(odd); i++)
		report(try_config(odd[i], 0), "type %u", odd[i]);
}

static void caches(void)
{
	for (uint64_t cache = 0; cache < 9; cache++) {
		row("cache %lu: 5 operations of 4 results", cache);
		for (uint64_t op = 0; op < 5; op++)
			for (uint64_t result = 0; result < 4; result++)
				cell(
				    try_config(PERF_TYPE_HW_CACHE, cache | op << 8 | result << 16));
		row_end();
	}
}

static void raws(void)
{
	static const uint64_t codes[] = {0xc0, 0x300, 0x1b7, 0x1bb, 0x1cd, 0x1c6};

	for (unsigned i = 0; i < COUNT(codes); i++) {
		row("raw %lx config bit 16 to 63", codes[i]);
		for (unsigned bit = 16; bit < 64; bit++)
			cell(try_config(PERF_TYPE_RAW, codes[i] | 1ull << bit));
		row_end();
		row("raw %lx config1 bit 0 to 63", codes[i]);
		for (unsigned bit = 0; bit < 64; bit++) {
			struct perf_event_attr attr = perf_user_attr(PERF_TYPE_RAW, codes[i]);

			attr.config1 = 1ull << bit;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

/* ---- flags and masks, of every kind of event ---- */

static void flags(const struct kind *kind)
{
	row("%s: flag 0 to 63 flipped", kind->name);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = attr_of(kind);

		*attr_flags(&attr) ^= 1ull << bit;
		cell(try_attr(&attr));
	}
	row_end();
	for (unsigned one = 1; kind->pairs && one < NR_FLAGS; one++) {
		row("%s: flag %u with each below", kind->name, one);
		for (unsigned two = 0; two < one; two++) {
			struct perf_event_attr attr = attr_of(kind);

			*attr_flags(&attr) |= 1ull << one | 1ull << two;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

/* Pairs of bits, with the fields that they need. */
static void sample_pairs(const struct kind *kind)
{
	for (unsigned one = 0; kind->pairs && one < 25; one++) {
		row("%s: sample_type %u with each up to it", kind->name, one);
		for (unsigned two = 0; two <= one; two++) {
			struct perf_event_attr attr = attr_of(kind);

			attr.sample_type = 1ull << one | 1ull << two;
			attr.sample_regs_user = attr.sample_regs_intr = 0xff0fff;
			attr.sample_stack_user = 1024;
			attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

static void sample_types(const struct kind *kind)
{
	row("%s: bare sample_type 0 to 63", kind->name);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = attr_of(kind);

		attr.sample_type = 1ull << bit;
		cell(try_attr(&attr));
	}
	row_end();
	sample_pairs(kind);
}

static void read_formats(const struct kind *kind)
{
	for (unsigned mode = 0; mode < 8; mode++) {
		row("%s: read_format 0 to 63, inherit, sampled, statistics as in %u", kind->name,
		    mode);
		for (unsigned bit = 0; bit < 64; bit += bit < 8 ? 1 : 5) {
			struct perf_event_attr attr = attr_of(kind);

			attr.read_format = 1ull << bit;
			attr.inherit = mode & 1;
			attr.sample_type = mode & 2 ? PERF_SAMPLE_READ : 0;
			attr.inherit_stat = mode >> 2 & 1;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

static void branches(const struct kind *kind)
{
	static const uint64_t with[] = {0, PERF_SAMPLE_BRANCH_ANY, PERF_SAMPLE_BRANCH_PLM_ALL,
					PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_CALL_STACK,
					PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK};

	for (unsigned i = 0; i < 2 * COUNT(with); i++) {
		row("%s: branch_sample_type %lx and 0 to 63, used %u", kind->name, with[i / 2],
		    i % 2);
		for (unsigned bit = 0; bit < 64; bit += bit < 20 ? 1 : 4) {
			struct perf_event_attr attr = attr_of(kind);

			attr.branch_sample_type = with[i / 2] | 1ull << bit;
			attr.sample_type = i % 2 ? PERF_SAMPLE_BRANCH_STACK : 0;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

static void registers(const struct kind *kind)
{
	static const struct {
		const char *name;
		uint64_t sample_type, with;
		unsigned precise;
	} uses[] = {{"unused", 0, 0, 0},
		    {"user", PERF_SAMPLE_REGS_USER, 0, 0},
		    {"user with AX", PERF_SAMPLE_REGS_USER, 1, 0},
		    {"intr", PERF_SAMPLE_REGS_INTR, 0, 0},
		    {"precise intr", PERF_SAMPLE_REGS_INTR, 0, 1}};

	for (unsigned use = 0; use < COUNT(uses); use++) {
		row("%s: registers 0 to 63 and all, %s", kind->name, uses[use].name);
		for (unsigned bit = 0; bit <= 64; bit++) {
			struct perf_event_attr attr = attr_of(kind);

			attr.sample_regs_user = attr.sample_regs_intr =
			    (bit < 64 ? 1ull << bit : UINT64_MAX) | uses[use].with;
			attr.sample_type = uses[use].sample_type;
			attr.precise_ip = uses[use].precise & 3;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

/* ---- numbers, of every kind of event ---- */

static void stacks(const struct kind *kind)
{
	static const uint32_t sizes[] = {
	    0,     1,      4,       7,          8,          9,          12,        16,    1023,
	    4096,  32768,  65000,   65520,      65527,      65528,      65529,     65535, 65536,
	    65544, 131072, 1 << 20, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};

	for (unsigned used = 0; used < 2; used++) {
		row("%s: sample_stack_user, used %u", kind->name, used);
		for (unsigned i = 0; i < COUNT(sizes); i++) {
			struct perf_event_attr attr = attr_of(kind);

			attr.sample_stack_user = sizes[i];
			attr.sample_type = used ? PERF_SAMPLE_STACK_USER : 0;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

static void clocks(const struct kind *kind)
{
	for (unsigned used = 0; used < 2; used++) {
		row("%s: clockid -8 to 15, used %u", kind->name, used);
		for (int clock = -8; clock < 16; clock++) {
			struct perf_event_attr attr = attr_of(kind);

			attr.clockid = clock;
			attr.use_clockid = used & 1;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

static void depths(const struct kind *kind)
{
	static const uint16_t depths[] = {0, 1, 2, 126, 127, 128, 1000, 32767, 32768, 65535};

	for (unsigned used = 0; used < 2; used++) {
		row("%s: sample_max_stack, used %u", kind->name, used);
		for (unsigned i = 0; i < COUNT(depths); i++) {
			struct perf_event_attr attr = attr_of(kind);

			attr.sample_max_stack = depths[i];
			attr.sample_type = used ? PERF_SAMPLE_CALLCHAIN : 0;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

/* Powers of two, and one less, as period, as frequency, with precise_ip. */
static void periods(const struct kind *kind)
{
	for (unsigned mode = 0; mode < 6; mode++) {
		row("%s: period 1 to 1 << 63, mode %u", kind->name, mode);
		for (unsigned bit = 0; bit < 64; bit += bit < 60 ? 3 : 1) {
			struct perf_event_attr attr = attr_of(kind);

			attr.sample_period = (1ull << bit) - (mode >= 3);
			attr.freq = mode % 3 == 1;
			attr.precise_ip = mode % 3 == 2 ? 2 : 0;
			/* Linux lowers the limit when sampling is slow: only what is far from it
			 * compares. */
			if (!attr.freq || attr.sample_freq < 1024 || attr.sample_freq > 1 << 18)
				cell(try_attr(&attr));
		}
		row_end();
	}
	for (unsigned precise = 0; precise < 4; precise++) {
		struct perf_event_attr attr = attr_of(kind);

		attr.precise_ip = precise & 3;
		report(try_attr(&attr), "%s: precise_ip %u", kind->name, precise);
	}
}

/* Fields that nothing above touches: each bit of each, alone. */
static void other_fields(const struct kind *kind)
{
	static const struct {
		const char *name;
		unsigned offset, bits;
	} fields[] = {
	    {"wakeup", offsetof(struct perf_event_attr, wakeup_events), 32},
	    {"bp_type", offsetof(struct perf_event_attr, bp_type), 32},
	    {"config2", offsetof(struct perf_event_attr, config2), 64},
	    {"aux_watermark", offsetof(struct perf_event_attr, aux_watermark), 32},
	    {"reserved_2", offsetof(struct perf_event_attr, __reserved_2), 16},
	    {"aux_sample_size", offsetof(struct perf_event_attr, aux_sample_size), 32},
	    {"reserved_3", offsetof(struct perf_event_attr, __reserved_3), 32},
	    {"sig_data", offsetof(struct perf_event_attr, sig_data), 64},
	};
	static const char *const modes[] = {"plain", "with watermark", "with PERF_SAMPLE_AUX"};

	for (unsigned i = 0; i < COUNT(fields) * COUNT(modes); i++) {
		unsigned field = i / COUNT(modes), mode = i % COUNT(modes);

		row("%s: bits of %s, %s", kind->name, fields[field].name, modes[mode]);
		for (unsigned bit = 0; bit < fields[field].bits; bit += 3) {
			struct perf_event_attr attr = attr_of(kind);

			((unsigned char *)&attr)[fields[field].offset + bit / 8] =
			    (unsigned char)(1 << bit % 8);
			attr.watermark = mode == 1;
			attr.sample_type = mode == 2 ? PERF_SAMPLE_AUX : 0;
			cell(try_attr(&attr));
		}
		row_end();
	}
}

/* ---- the struct itself ---- */

/* Sizes of every version, between them and beyond; followed by zeros, or not. */
static void sizes(void)
{
	static union {
		struct perf_event_attr attr;
		unsigned char bytes[3 * PAGE];
	} big;

	for (unsigned tail = 0; tail < 3; tail++) {
		row("size 0 to 160, 4090 to 4106, tail %u", tail);
		for (uint32_t size = 0; size < 4107; size = size == 160 ? 4090 : size + 1) {
			memset(&big, 0, sizeof(big));
			big.attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
			big.attr.size = size;
			if (tail)
				big.bytes[tail == 1 ? 136 : size ? size - 1 : 64] |= 1;
			int result = try_attr(&big.attr);

			cell(result);
			if (result == -E2BIG)
				putchar(big.attr.size == size ? '=' : '+');
		}
		row_end();
	}
	static const uint32_t huge[] = {0x10000, 0x7fffffff, 0x80000000, 0xffffffff};

	for (unsigned i = 0; i < COUNT(huge); i++) {
		big.attr.size = huge[i];
		report(try_attr(&big.attr), "size %u", huge[i]);
	}
}

/* The attr at the edge of mapped memory. */
static void addresses(void)
{
	char *pages =
	    mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct perf_event_attr attr = perf_user_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	munmap(pages + PAGE, PAGE);
	for (size_t bytes = 0; bytes <= 144; bytes += 8) {
		char *at = pages + PAGE - bytes;

		memcpy(at, &attr, bytes < sizeof(attr) ? bytes : sizeof(attr));
		report(try_attr((void *)at), "attr with %zu bytes mapped", bytes);
	}
	memcpy(pages + 1, &attr, sizeof(attr));
	report(try_attr((void *)(pages + 1)), "attr at an odd address");
	attr.size = 4;
	memcpy(pages, &attr, sizeof(attr));
	mprotect(pages, PAGE, PROT_READ);
	report(try_attr((void *)pages), "wrong size, not writable");
	report(try_attr(NULL), "attr NULL");
	report(try_attr((void *)-8l), "attr at -8");
	report(try_attr((void *)0x7ffffffff000), "attr at the end of user space");
	report(try_attr((void *)0x800000000000), "attr at an address that is not canonical");
}

int main(void)
{
	types();
	caches();
	raws();
	sizes();
	addresses();
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		/* While one event of the kind exists, Linux need not patch its code for each of the
		 * others. */
		struct perf_event_attr attr = attr_of(&kinds[i]);
		int held = perf_try(&attr, 0, -1, -1, 0);

		flags(&kinds[i]);
		sample_types(&kinds[i]);
		read_formats(&kinds[i]);
		branches(&kinds[i]);
		registers(&kinds[i]);
		stacks(&kinds[i]);
		clocks(&kinds[i]);
		depths(&kinds[i]);
		periods(&kinds[i]);
		other_fields(&kinds[i]);
		if (held >= 0)
			close(held);
	}
	return 0;
}
