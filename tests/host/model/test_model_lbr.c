/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's last branch records: every format, every filter, call stacks, registers and their
 * faults. Expectations are Intel's and AMD's manuals', not the model's tables. */
#include "tests/host/model/model_test.h"

#include <string.h>

#include "emulator/visor/model/base/lbr/branch.h"
#include "emulator/visor/model/base/lbr/lbr.h"
#include "emulator/visor/model/base/personality.h"

#define LBR_TOS      0x1c9
#define LBR_TO0      0x6c0
#define ARCH_CTL     0x14ce
#define ARCH_DEPTH   0x14cf
#define ARCH_INFO0   0x1200
#define ARCH_FROM0   0x1500
#define ARCH_TO0     0x1600
#define AMD_SELECT   0xc000010e
#define AMD_DBG_EXTN 0xc000010f
#define AMD_FROM0    0xc0010300 /* and TO after each */

#define AMD_STATUS_CLR 0xc0000302
#define AMD_STATUS_SET 0xc0000303

#define USER_AT   0x401000ull
#define KERNEL_AT 0xffffffff81000000ull
#define BIT(n)    (1ull << (n))

/* A processor of each format: the Skylake row with other records. */
static struct personality processor(enum lbr_format format)
{
	static const uint32_t features[] = {
	    [LBR_FLAGS] = FEATURE_LBR_RING,
	    [LBR_TSX] = FEATURE_LBR_RING | FEATURE_LBR_TSX,
	    [LBR_INFO] = FEATURE_LBR_RING | FEATURE_LBR_INFO,
	    [LBR_ARCH] = FEATURE_LBR_ARCH,
	    [LBR_AMD_V2] = FEATURE_LBR_AMD,
	};
	struct personality p = *personality_find(format == LBR_AMD_V2 ? "amd-v2" : "intel-v4");

	p.features &= ~(uint32_t)(FEATURE_LBR_RING | FEATURE_LBR_INFO | FEATURE_LBR_TSX);
	p.features |= features[format];
	return p;
}

struct format {
	enum lbr_format format;
	unsigned depth;
	bool ring;
	uint32_t from, to, stride, filter;
};

static const struct format formats[] = {
    {LBR_FLAGS, 16, true, LBR_FROM0, LBR_TO0, 1, LBR_SELECT},
    {LBR_TSX, 16, true, LBR_FROM0, LBR_TO0, 1, LBR_SELECT},
    {LBR_INFO, 32, true, LBR_FROM0, LBR_TO0, 1, LBR_SELECT},
    {LBR_ARCH, 32, false, ARCH_FROM0, ARCH_TO0, 1, ARCH_CTL},
    {LBR_AMD_V2, 16, false, AMD_FROM0, AMD_FROM0 + 1, 2, AMD_SELECT},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

#define ARCH_ALL (0x7full << 16 | 6)

/* Turns records on, of all branches. */
static void start(struct model *m, const struct personality *p)
{
	model_reset(m, p);
	if (lbr_format(p) == LBR_ARCH)
		wr(m, ARCH_CTL, ARCH_ALL | 1);
	else if (lbr_format(p) == LBR_AMD_V2)
		wr(m, AMD_DBG_EXTN, BIT(6));
	else
		wr(m, IA32_DEBUGCTL, 1);
}

/* A test of every format; it gets a processor that records all branches. */
#define EACH_FORMAT(test)                            \
	{                                            \
#test, each_format, NULL, NULL, test \
	}

static void each_format(void **state)
{
	void (*test)(struct model *, const struct format *) = *state;

	for (size_t i = 0; i < FORMATS; i++) {
		struct personality p = processor(formats[i].format);
		struct model m;

		start(&m, &p);
		test(&m, &formats[i]);
	}
}

static const struct insn jcc = {INSN_JCC, 2}, jmp = {INSN_JMP, 5}, call = {INSN_CALL, 5},
			 ret = {INSN_RET, 1};

static void branch(struct model *m, struct insn insn, uint64_t from, uint64_t to)
{
	enum model_ring ring = to >> 63 ? MODEL_KERNEL : MODEL_USER;

	model_branch(m, &(struct model_branch){.insn = insn,
					       .from = from,
					       .to = to,
					       .from_ring = from >> 63 ? MODEL_KERNEL : MODEL_USER,
					       .ring = ring});
}

/* The entry that is `age` records old. */
static unsigned at_age(const struct model *m, const struct format *f, unsigned age)
{
	return f->ring ? (unsigned)(rd(m, LBR_TOS) - age) % f->depth : age;
}

/* An address as AMD's TO register shows it: valid, two flags in the sign. */
static uint64_t shown_to(const struct format *f, uint64_t to)
{
	return f->format == LBR_AMD_V2 ? (to & ~(7ull << 61)) | BIT(63) : to;
}

static uint64_t shown_from(const struct format *f, uint64_t from)
{
	if (f->format == LBR_TSX)
		return from & ~(7ull << 61);
	return f->format == LBR_AMD_V2 || f->format == LBR_FLAGS ? from & ~BIT(63) : from;
}

static void assert_entry(const struct model *m, const struct format *f, unsigned age, uint64_t from,
			 uint64_t to)
{
	unsigned i = at_age(m, f, age);

	assert_int_equal(rd(m, f->from + i * f->stride), from ? shown_from(f, from) : 0);
	assert_int_equal(rd(m, f->to + i * f->stride), from ? shown_to(f, to) : 0);
}

/* However many branches there were, the newest are in the stack in order. */
static void each_order(struct model *m, const struct format *f)
{
	for (unsigned n = 1; n <= 3 * f->depth; n++) {
		branch(m, jmp, USER_AT + n, KERNEL_AT + n);
		for (unsigned age = 0; age < f->depth; age++)
			assert_entry(m, f, age, age < n ? USER_AT + n - age : 0,
				     KERNEL_AT + n - age);
	}
}

/* The bit of each kind of branch in LBR_SELECT (and AMD's), SDM vol. 3 "MSR_LBR_SELECT", and in
 * IA32_LBR_CTL. */
static const struct {
	enum insn_kind kind;
	unsigned legacy, arch;
} kinds[] = {
    {INSN_JCC, 2, 16},      {INSN_CALL, 3, 19},         {INSN_CALL_INDIRECT, 4, 20},
    {INSN_RET, 5, 21},      {INSN_JMP_INDIRECT, 6, 18}, {INSN_JMP, 7, 17},
    {INSN_FAR, 8, 22},      {INSN_SYSCALL, 8, 22},      {INSN_SYSRET, 8, 22},
    {INSN_SYSENTER, 8, 22}, {INSN_SYSEXIT, 8, 22},
};

static bool expected(const struct format *f, uint64_t filter, unsigned kind, bool to_kernel)
{
	if (f->format == LBR_ARCH)
		return (filter & BIT(to_kernel ? 1 : 2)) && (filter & BIT(kinds[kind].arch));
	return !(filter & BIT(to_kernel ? 0 : 1)) && !(filter & BIT(kinds[kind].legacy));
}

/* Every filter there is, with every kind of branch, into every ring. */
static void each_filters(struct model *m, const struct format *f)
{
	for (unsigned bits = 0; bits < 512; bits++) {
		uint64_t filter = f->format == LBR_ARCH
				      ? (uint64_t)(bits >> 2) << 16 | (bits & 3) << 1 | 1
				      : bits;

		wr(m, f->filter, filter);
		for (unsigned k = 0; k < 2 * sizeof(kinds) / sizeof(kinds[0]); k++) {
			uint64_t to = (k & 1 ? KERNEL_AT : USER_AT) + k;
			struct insn insn = {kinds[k / 2].kind, 1};
			bool recorded;

			model_forget_branches(m);
			branch(m, insn, to - 0x100, to);
			recorded = rd(m, f->to + at_age(m, f, 0) * f->stride);
			assert_int_equal(recorded, expected(f, filter, k / 2, k & 1));
		}
	}
}

/* Mispredicted branches are marked: in FROM, or in INFO. */
static void each_mispredicted(struct model *m, const struct format *f)
{
	struct model_branch b = {.insn = jcc,
				 .from = USER_AT,
				 .to = USER_AT + 64,
				 .from_ring = MODEL_USER,
				 .ring = MODEL_USER};
	uint32_t where = f->format == LBR_INFO   ? LBR_INFO0
			 : f->format == LBR_ARCH ? ARCH_INFO0
						 : f->from;

	for (unsigned n = 0; n < 8; n++) {
		b.mispredicted = n % 3 == 0;
		model_branch(m, &b);
		assert_int_equal(!!(rd(m, where + at_age(m, f, 0) * f->stride) & BIT(63)),
				 b.mispredicted);
	}
}

/* INFO has core cycles since the record before: 3 for 4 instructions, at most 65535. */
static void test_cycles(void **state)
{
	static const uint32_t info[] = {LBR_INFO0, ARCH_INFO0};
	struct model m;

	(void)state;
	for (size_t i = 1; i <= 2; i++) {
		const struct format *f = &formats[i + 1];
		struct personality p = processor(f->format);

		start(&m, &p);
		branch(&m, jmp, USER_AT, USER_AT + 9);
		retire(&m, MODEL_USER, 400);
		branch(&m, jmp, USER_AT, USER_AT + 9);
		assert_int_equal(rd(&m, info[i - 1] + at_age(&m, f, 0)) & 0xffff, 300);
		retire(&m, MODEL_KERNEL, 1000000);
		branch(&m, jmp, USER_AT, USER_AT + 9);
		assert_int_equal(rd(&m, info[i - 1] + at_age(&m, f, 0)) & 0xffff, 0xffff);
	}
}

/* The architectural INFO names the kind of branch. */
static void test_types(void **state)
{
	static const struct {
		enum insn_kind kind;
		unsigned type;
	} types[] = {{INSN_JCC, 0},  {INSN_JMP_INDIRECT, 1}, {INSN_JMP, 2}, {INSN_CALL_INDIRECT, 3},
		     {INSN_CALL, 4}, {INSN_RET, 5},          {INSN_FAR, 8}, {INSN_SYSCALL, 8}};
	struct personality p = processor(LBR_ARCH);
	struct model m;

	(void)state;
	start(&m, &p);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		branch(&m, (struct insn){types[i].kind, 2}, USER_AT, USER_AT + 64);
		assert_int_equal(rd(&m, ARCH_INFO0) >> 56 & 15, types[i].type);
		assert_true(rd(&m, ARCH_INFO0) & BIT(60));
	}
}

/* A way into a recorded ring from one that is not says where to, not where from. */
static void test_hidden_origin(void **state)
{
	struct personality p = processor(LBR_ARCH);
	struct model m;

	(void)state;
	start(&m, &p);
	wr(&m, ARCH_CTL, BIT(0) | BIT(2) | BIT(22));
	branch(&m, (struct insn){INSN_SYSRET, 3}, KERNEL_AT, USER_AT);
	assert_int_equal(rd(&m, ARCH_FROM0), ~0ull);
	assert_int_equal(rd(&m, ARCH_TO0), USER_AT);
}

/* Calls push, returns pop, calls that only read RIP and jumps do nothing. Deeper than the stack the
 * oldest are lost; below its bottom there are zeros. */
static void call_stack(const struct format *f, uint64_t filter)
{
	struct personality p = processor(f->format);
	struct model m;

	start(&m, &p);
	wr(&m, f->filter, filter);
	branch(&m, call, USER_AT, USER_AT + 5);
	branch(&m, jcc, USER_AT, USER_AT + 99);
	branch(&m, call, KERNEL_AT, KERNEL_AT + 99);
	assert_entry(&m, f, 0, 0, 0);
	for (unsigned n = 1; n <= f->depth + 4; n++)
		branch(&m, call, USER_AT + 16 * n, USER_AT + 16 * n + 1024);
	for (unsigned n = f->depth + 4; n > 4; n--) {
		assert_entry(&m, f, 0, USER_AT + 16 * n, USER_AT + 16 * n + 1024);
		branch(&m, ret, USER_AT + 16 * n + 1028, USER_AT + 16 * n + 5);
	}
	assert_entry(&m, f, 0, 0, 0);
	branch(&m, ret, USER_AT, USER_AT + 7);
	branch(&m, call, USER_AT, USER_AT + 7);
	assert_entry(&m, f, 0, USER_AT, USER_AT + 7);
	assert_entry(&m, f, 1, 0, 0);
}

static void test_call_stack(void **state)
{
	(void)state;
	/* Ring 0, conditions, jumps and far branches out; calls as a stack. */
	call_stack(&formats[1], BIT(0) | BIT(2) | BIT(6) | BIT(7) | BIT(8) | BIT(9));
	call_stack(&formats[2], BIT(0) | BIT(2) | BIT(6) | BIT(7) | BIT(8) | BIT(9));
	call_stack(&formats[3], BIT(0) | BIT(2) | BIT(3) | BIT(19) | BIT(20) | BIT(21));
}

/* Off, or frozen, nothing is recorded. */
static void each_off(struct model *m, const struct format *f)
{
	model_reset(m, m->personality);
	assert_false(model_records_branches(m));
	branch(m, jmp, USER_AT, USER_AT + 9);
	assert_entry(m, f, 0, 0, 0);
	start(m, m->personality);
	assert_true(model_records_branches(m));
	wr(m, f->format == LBR_AMD_V2 ? AMD_STATUS_SET : IA32_STATUS_SET, LBR_FRZ);
	assert_false(model_records_branches(m));
	branch(m, jmp, USER_AT, USER_AT + 9);
	assert_entry(m, f, 0, 0, 0);
	wr(m, f->format == LBR_AMD_V2 ? AMD_STATUS_CLR : IA32_GLOBAL_OVF_CTRL, LBR_FRZ);
	branch(m, jmp, USER_AT, USER_AT + 9);
	assert_entry(m, f, 0, USER_AT, USER_AT + 9);
}

/* A gap drops what was recorded before it; the stack is full when it was filled after it. */
static void each_gap(struct model *m, const struct format *f)
{
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned n = 0; n < f->depth; n++) {
			assert_false(model_branches_filled(m));
			branch(m, jmp, USER_AT + n, USER_AT);
		}
		assert_true(model_branches_filled(m));
		model_forget_branches(m);
		for (unsigned age = 0; age < f->depth; age++)
			assert_entry(m, f, age, 0, 0);
	}
}

/* Registers of a format exist there, hold what is written, and fault elsewhere. */
static void each_registers(struct model *m, const struct format *f)
{
	uint64_t value;

	model_reset(m, m->personality);
	for (unsigned n = 0; n < f->depth; n++) {
		wr(m, f->from + n * f->stride, USER_AT + n);
		wr(m, f->to + n * f->stride, USER_AT + 64 + n);
	}
	for (unsigned n = 0; n < f->depth; n++) {
		assert_int_equal(rd(m, f->from + n * f->stride), USER_AT + n);
		assert_int_equal(rd(m, f->to + n * f->stride), USER_AT + 64 + n);
	}
	assert_int_not_equal(model_rdmsr(m, f->from + f->depth * f->stride, &value), MODEL_OK);
	for (size_t other = 0; other < FORMATS; other++)
		if (formats[other].filter != f->filter) {
			assert_int_equal(model_rdmsr(m, formats[other].filter, &value), MODEL_GP);
			assert_int_equal(model_rdmsr(m, formats[other].from, &value), MODEL_GP);
		}
	assert_int_equal(model_rdmsr(m, LBR_INFO0, &value),
			 f->format == LBR_INFO ? MODEL_OK : MODEL_GP);
	assert_int_equal(model_rdmsr(m, ARCH_INFO0, &value),
			 f->format == LBR_ARCH ? MODEL_OK : MODEL_GP);
}

static void test_faults(void **state)
{
	struct personality flags = processor(LBR_FLAGS), info = processor(LBR_INFO),
			   arch = processor(LBR_ARCH), tsx = processor(LBR_TSX);
	struct model m;

	(void)state;
	model_reset(&m, &flags);
	wr_faults(&m, LBR_SELECT, BIT(9)); /* no call stacks yet */
	wr_faults(&m, LBR_TOS, 16);
	wr(&m, LBR_FROM0, BIT(63) | USER_AT);
	wr(&m, LBR_FROM0, KERNEL_AT & ~BIT(63));
	wr_faults(&m, LBR_FROM0, BIT(47));
	wr_faults(&m, LBR_FROM0, BIT(62));
	wr_faults(&m, LBR_TO0, BIT(63));
	model_reset(&m, &tsx);
	wr(&m, LBR_SELECT, 0x3ff);
	wr(&m, LBR_FROM0, BIT(62) | BIT(61) | USER_AT);
	wr_faults(&m, LBR_FROM0, BIT(60) | USER_AT);
	model_reset(&m, &info);
	wr(&m, LBR_SELECT, 0x3ff);
	wr_faults(&m, LBR_SELECT, BIT(10));
	wr_faults(&m, LBR_TOS, 32);
	wr_faults(&m, LBR_FROM0, BIT(63));
	wr_faults(&m, LBR_INFO0, BIT(16));
	model_reset(&m, &arch);
	wr_faults(&m, ARCH_CTL, BIT(4));
	wr_faults(&m, ARCH_CTL, BIT(23));
	wr_faults(&m, ARCH_DEPTH, 0);
	wr_faults(&m, ARCH_DEPTH, 24);
	wr_faults(&m, ARCH_DEPTH, 64);
	wr_faults(&m, ARCH_TO0, BIT(47));
}

/* The architectural depth: a write clears, and the stack is as deep as it says. */
static void test_depth(void **state)
{
	struct personality p = processor(LBR_ARCH);
	struct model m;

	(void)state;
	for (unsigned depth = 8; depth <= 32; depth *= 2) {
		start(&m, &p);
		assert_int_equal(rd(&m, ARCH_DEPTH), 32);
		branch(&m, jmp, USER_AT, USER_AT + 9);
		wr(&m, ARCH_DEPTH, depth);
		assert_int_equal(rd(&m, ARCH_FROM0), 0);
		for (unsigned n = 0; n < 40; n++)
			branch(&m, jmp, USER_AT + n, USER_AT);
		for (unsigned n = 0; n < 32; n++)
			assert_int_equal(rd(&m, ARCH_FROM0 + n), n < depth ? USER_AT + 39 - n : 0);
	}
}

/* DEBUGCTL.LBR means nothing where IA32_LBR_CTL enables. */
static void test_arch_debugctl(void **state)
{
	struct personality p = processor(LBR_ARCH);
	struct model m;

	(void)state;
	model_reset(&m, &p);
	wr(&m, IA32_DEBUGCTL, 0x1803);
	assert_int_equal(rd(&m, IA32_DEBUGCTL), 0x1802);
	for (unsigned bit = 2; bit < 64; bit++)
		if (bit < 6 || bit > 12) /* those are the branch trace store's, and freezing */
			wr_faults(&m, IA32_DEBUGCTL, BIT(bit));
	assert_false(model_records_branches(&m));
}

/* PERF_CAPABILITIES[5:0] and CPUID report the format. */
static void test_enumeration(void **state)
{
	static const unsigned codes[] = {3, 4, 5, 0x3f};
	struct model m;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct personality p = processor(formats[i].format);
		uint32_t regs[4] = {~0u, ~0u, ~0u, ~0u};

		model_reset(&m, &p);
		assert_int_equal(rd(&m, IA32_PERF_CAPABILITY) & 0x3f, codes[i]);
		model_cpuid(&m, 7, 0, regs);
		assert_int_equal(regs[3] >> 19 & 1, formats[i].format == LBR_ARCH);
		model_cpuid(&m, 0x1c, 0, regs);
		assert_int_equal(regs[0] & 0xff, formats[i].format == LBR_ARCH ? 0xb : 0);
		assert_int_equal(regs[1], formats[i].format == LBR_ARCH ? 7 : 0);
	}
}

static const struct CMUnitTest tests[] = {
    EACH_FORMAT(each_order),
    EACH_FORMAT(each_filters),
    EACH_FORMAT(each_mispredicted),
    cmocka_unit_test(test_cycles),
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_hidden_origin),
    cmocka_unit_test(test_call_stack),
    EACH_FORMAT(each_off),
    EACH_FORMAT(each_gap),
    EACH_FORMAT(each_registers),
    cmocka_unit_test(test_faults),
    cmocka_unit_test(test_depth),
    cmocka_unit_test(test_arch_debugctl),
    cmocka_unit_test(test_enumeration),
};

TAP_MAIN("model_lbr")
