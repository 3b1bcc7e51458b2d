/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks in the driver: kinds of instructions, every filter, and samples through the
 * modelled records of every format. */
#include "kernel/mem/space.h"
#include "pmu/record/branch.h"
#include "pmu/hw/lbr.h"
#include "tests/host/fake/fake_kernel.h"
#include "tests/host/pmu/intel_test.h"
#include "emulator/visor/model/base/lbr/branch.h"

/* The program's, of whose code only fake_code is read. */
static struct mm space;

#define ALL(name) PERF_SAMPLE_BRANCH_##name

/* ---- instructions ---- */

static void kinds_by_opcode(void **state)
{
	static const struct {
		uint8_t code[8];
		size_t bytes;
		uint32_t kind;
	} cases[] = {
	    {{0x74, 0x10}, 2, BRANCH_JCC},
	    {{0x0f, 0x8f, 0, 0, 0, 0}, 6, BRANCH_JCC},
	    {{0xe3, 0xfe}, 2, BRANCH_JCC}, /* JRCXZ */
	    {{0xe2, 0xfe}, 2, BRANCH_JCC}, /* LOOP */
	    {{0xeb, 0xfe}, 2, BRANCH_JMP},
	    {{0xe9, 1, 0, 0, 0}, 5, BRANCH_JMP},
	    {{0xe8, 1, 0, 0, 0}, 5, BRANCH_CALL},
	    {{0xe8, 0, 0, 0, 0}, 5, BRANCH_ZERO_CALL},
	    {{0xff, 0xd0}, 2, BRANCH_IND_CALL},
	    {{0x41, 0xff, 0xd3}, 3, BRANCH_IND_CALL},
	    {{0xff, 0x15, 0, 0, 0, 0}, 6, BRANCH_IND_CALL},
	    {{0xff, 0x18}, 2, BRANCH_IND_CALL}, /* far */
	    {{0xff, 0xe0}, 2, BRANCH_IND_JMP},
	    {{0x3e, 0xff, 0xe0}, 3, BRANCH_IND_JMP}, /* NOTRACK */
	    {{0xff, 0xc0}, 2, 0},                    /* INC */
	    {{0xc3}, 1, BRANCH_RET},
	    {{0xf3, 0xc3}, 2, BRANCH_RET},
	    {{0xc2, 8, 0}, 3, BRANCH_RET},
	    {{0xcb}, 1, BRANCH_RET},
	    {{0x48, 0xcf}, 2, BRANCH_IRET},
	    {{0xcd, 0x80}, 2, BRANCH_INT},
	    {{0xcc}, 1, BRANCH_INT},
	    {{0x0f, 0x05}, 2, BRANCH_SYSCALL},
	    {{0x0f, 0x34}, 2, BRANCH_SYSCALL},
	    {{0x48, 0x0f, 0x07}, 3, BRANCH_SYSRET},
	    {{0x0f, 0x0b}, 2, 0}, /* UD2 */
	    {{0x90}, 1, 0},
	    {{0x0f}, 1, 0}, /* cut off */
	    {{0xff}, 1, 0},
	    {{0x66, 0x48}, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(branch_decode(cases[i].code, cases[i].bytes), cases[i].kind);
}

/* The bytes of one branch in ring 3 and in the kernel, with a target in either. */
static void kinds_by_rings(void **state)
{
	static const uint8_t call[] = {0xe8, 1, 0, 0, 0}, syscall[] = {0x0f, 0x05}, add[] = {1, 2};
	const uint64_t user = 0x401000, kernel = 0xffffffff80001000;

	(void)state;
	fake_boot("intel-v4");
	fake_code = (struct fake_code){user, sizeof(call), call};
	current_task()->mm = &space;
	assert_int_equal(branch_kind_of(user, user + 6), BRANCH_CALL | BRANCH_USER);
	assert_int_equal(branch_kind_of(user, kernel), BRANCH_IRQ | BRANCH_KERNEL);
	assert_int_equal(branch_kind_of(user + 100, user), 0); /* cannot be read */
	assert_int_equal(branch_kind_of(user, 0), 0);
	assert_int_equal(branch_kind_of(0, user), 0);
	fake_code.code = syscall;
	fake_code.bytes = sizeof(syscall);
	assert_int_equal(branch_kind_of(user, kernel), BRANCH_SYSCALL | BRANCH_KERNEL);
	fake_code.code = add;
	assert_int_equal(branch_kind_of(user, kernel), BRANCH_IRQ | BRANCH_KERNEL);
	assert_int_equal(branch_kind_of(user, user + 9), 0);
	fake_code = (struct fake_code){kernel, sizeof(call), call};
	assert_int_equal(branch_kind_of(kernel, kernel + 6), BRANCH_CALL | BRANCH_KERNEL);
	assert_int_equal(branch_kind_of(kernel, user), BRANCH_CALL | BRANCH_USER);
	current_task()->mm = NULL;
	fake_code = (struct fake_code){user, sizeof(call), call};
	assert_int_equal(branch_kind_of(user, user + 6), 0); /* a kernel thread */
	fake_code = (struct fake_code){0};
	end();
}

/* ---- through the model ---- */

/* A branch of each kind; its code is at `from`. */
struct known {
	uint8_t code[8];
	struct insn insn;
	bool into_kernel, out_of_kernel;
	uint64_t asked; /* filters that let it through, beside ANY */
	unsigned type;
};

static const struct known known[] = {
    {{0x74, 0x10}, {INSN_JCC, 2}, false, false, ALL(COND), PERF_BR_COND},
    {{0xeb, 0x10}, {INSN_JMP, 2}, false, false, 0, PERF_BR_UNCOND},
    {{0xff, 0xe0}, {INSN_JMP_INDIRECT, 2}, false, false, ALL(IND_JUMP), PERF_BR_IND},
    {{0xe8, 1, 0, 0, 0}, {INSN_CALL, 5}, false, false, ALL(ANY_CALL) | ALL(CALL), PERF_BR_CALL},
    {{0xff, 0xd0},
     {INSN_CALL_INDIRECT, 2},
     false,
     false,
     ALL(ANY_CALL) | ALL(IND_CALL),
     PERF_BR_IND_CALL},
    {{0xc3}, {INSN_RET, 1}, false, false, ALL(ANY_RETURN), PERF_BR_RET},
    {{0x0f, 0x05}, {INSN_SYSCALL, 2}, true, false, ALL(ANY_CALL), PERF_BR_SYSCALL},
    {{0x48, 0x0f, 0x07}, {INSN_SYSRET, 3}, false, true, ALL(ANY_RETURN), PERF_BR_SYSRET},
    {{0x48, 0xcf}, {INSN_FAR, 2}, false, true, ALL(ANY_RETURN), PERF_BR_ERET},
    {{0x90}, {INSN_FAR, 0}, true, false, ALL(ANY_CALL), PERF_BR_IRQ},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

#define PLACE 16 /* bytes from one branch to the next */

static uint8_t user_code[KNOWN * PLACE], kernel_code[KNOWN * PLACE];

static uint64_t from_of(size_t i)
{
	return (known[i].out_of_kernel ? FAKE_KERNEL_RIP : FAKE_USER_RIP) + i * PLACE;
}

static uint64_t to_of(size_t i)
{
	return (known[i].into_kernel ? FAKE_KERNEL_RIP : FAKE_USER_RIP) + i * PLACE + 0x800;
}

/* Both pieces of code can be read only one at a time: the test switches. */
static void show_code(size_t i)
{
	uint8_t *code = known[i].out_of_kernel ? kernel_code : user_code;

	memcpy(code + i * PLACE, known[i].code, sizeof(known[i].code));
	fake_code = (struct fake_code){known[i].out_of_kernel ? FAKE_KERNEL_RIP : FAKE_USER_RIP,
				       sizeof(user_code), code};
}

static void take_branch(size_t i)
{
	model_branch(&fake_model,
		     &(struct model_branch){
			 .insn = known[i].insn,
			 .from = from_of(i),
			 .to = to_of(i),
			 .from_ring = known[i].out_of_kernel ? MODEL_KERNEL : MODEL_USER,
			 .ring = known[i].into_kernel ? MODEL_KERNEL : MODEL_USER,
			 .mispredicted = i % 2,
		     });
}

static bool is_wanted(uint64_t asked, size_t i)
{
	uint64_t ring = known[i].into_kernel ? ALL(KERNEL) : ALL(USER);

	/* An event of ring 3 does not see addresses of the kernel: Linux drops its ways out. */
	if (known[i].out_of_kernel && !(asked & ALL(KERNEL)))
		return false;
	return (asked & ring) && ((asked & ALL(ANY)) || (asked & known[i].asked));
}

struct sample {
	struct perf_event_header header;
	uint64_t nr;
	struct perf_branch_entry entries[BRANCH_STACK_MAX];
};

/* The only record of the ring. */
static const struct sample *only_sample(void *ring)
{
	struct perf_event_mmap_page *page = ring;

	if (page->data_head == page->data_tail)
		return NULL;
	page->data_tail = page->data_head;
	return (const struct sample *)((char *)ring + 4096 + (page->data_offset - 4096));
}

/* A branch out of the kernel is no business of events that leave the kernel out. The architectural
 * format hides where a way out of an unrecorded ring began: Linux's filter, which reads the
 * instruction there, drops it then. */
static bool is_hidden(uint64_t asked, size_t i)
{
	uint64_t origin = known[i].out_of_kernel ? ALL(KERNEL) : ALL(USER);

	if (known[i].out_of_kernel && !(asked & ALL(KERNEL)))
		return true;
	return !strcmp(lbr_format->name, "architectural") && !(asked & origin);
}

/* One branch of each kind, each sampled on its own: which get through, with which type. */
static void one_filter(uint64_t asked)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);

	attr.sample_period = 100;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = asked | ALL(TYPE_SAVE);
	for (size_t i = 0; i < KNOWN; i++) {
		bool wanted = is_wanted(asked, i) && !is_hidden(asked, i);
		const struct sample *sample;
		int fd = open_ok(&attr, -1), error;
		void *ring = fake_mmap(fd, 2, true, &error);

		show_code(i);
		fake_run(50, MODEL_USER);
		take_branch(i);
		fake_run(60, MODEL_USER);
		sample = only_sample(ring);
		assert_non_null(sample);
		assert_int_equal(sample->nr, wanted);
		assert_int_equal(sample->header.size, 16 + 24 * wanted);
		if (wanted) {
			assert_int_equal(sample->entries[0].from, from_of(i));
			assert_int_equal(sample->entries[0].to, to_of(i));
			assert_int_equal(sample->entries[0].type, known[i].type);
			assert_int_equal(sample->entries[0].mispred, i % 2);
			assert_int_equal(sample->entries[0].predicted, !(i % 2));
		}
		fake_munmap(fd, ring);
		fake_close(fd);
	}
}

static const char *const with_records[] = {"intel-v3", "intel-v4", "intel-v5", "amd-v2"};

static void boot(const char *personality)
{
	fake_boot(personality);
	current_task()->mm = &space;
}

static void finish(void)
{
	current_task()->mm = NULL;
	fake_code = (struct fake_code){0};
	end();
}

/* Every set of kinds that can be asked for, in every set of rings, on every format. */
static void every_filter(void **state)
{
	static const uint64_t kinds[] = {ALL(ANY),  ALL(ANY_CALL), ALL(ANY_RETURN), ALL(IND_CALL),
					 ALL(COND), ALL(IND_JUMP), ALL(CALL)};

	(void)state;
	for (size_t p = 0; p < sizeof(with_records) / sizeof(with_records[0]); p++) {
		boot(with_records[p]);
		for (uint64_t set = 1; set < 128; set++)
			for (uint64_t rings = 1; rings < 4; rings++) {
				uint64_t asked =
				    (rings & 1 ? ALL(USER) : 0) | (rings & 2 ? ALL(KERNEL) : 0);

				for (unsigned k = 0; k < 7; k++)
					asked |= set >> k & 1 ? kinds[k] : 0;
				one_filter(asked);
			}
		finish();
	}
}

/* Refused are: a filter without records, call stacks where the PMU has none or with other kinds,
 * two filters in one group. */
static void refusals(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS), other;
	int leader;

	(void)state;
	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = ALL(USER) | ALL(ANY);
	boot("intel-v1");
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EOPNOTSUPP);
	finish();
	attr.branch_sample_type = ALL(USER) | ALL(CALL_STACK);
	boot("intel-v3");
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EOPNOTSUPP);
	finish();
	boot("amd-v2");
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EOPNOTSUPP);
	attr.branch_sample_type = ALL(USER) | ALL(ANY);
	attr.sample_period = 0;
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	finish();
	boot("intel-v4");
	fake_close(open_ok(&attr, -1)); /* Intel's may count only */
	attr.sample_period = 1000;
	attr.branch_sample_type = ALL(USER) | ALL(CALL_STACK) | ALL(ANY_RETURN);
	assert_int_equal(fake_open(&attr, 0, -1, -1, 0), -EINVAL);
	attr.branch_sample_type = ALL(USER) | ALL(ANY_CALL);
	other = attr;
	other.branch_sample_type = ALL(USER) | ALL(ANY_RETURN);
	leader = open_ok(&attr, -1);
	assert_int_equal(fake_open(&other, 0, -1, leader, 0), -EINVAL);
	fake_close(open_ok(&attr, leader));
	fake_close(leader);
	finish();
}

/* Records stop with the last event that wants them, and start empty. */
static void users_come_and_go(void **state)
{
	struct perf_event_attr attr = user_attr(PERF_TYPE_HARDWARE, INSTRUCTIONS);
	int first, second;

	(void)state;
	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = ALL(USER) | ALL(ANY);
	for (size_t p = 0; p < sizeof(with_records) / sizeof(with_records[0]); p++) {
		boot(with_records[p]);
		assert_false(model_records_branches(&fake_model));
		first = open_ok(&attr, -1);
		assert_true(model_records_branches(&fake_model));
		second = open_ok(&attr, -1);
		fake_close(first);
		assert_true(model_records_branches(&fake_model));
		fake_run(2500, MODEL_USER);
		assert_true(model_records_branches(&fake_model)); /* thawed */
		fake_close(second);
		assert_false(model_records_branches(&fake_model));
		finish();
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kinds_by_opcode),   cmocka_unit_test(kinds_by_rings),
    cmocka_unit_test(every_filter),      cmocka_unit_test(refusals),
    cmocka_unit_test(users_come_and_go),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
