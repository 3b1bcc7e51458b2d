/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks of samples: a program whose branches are known by their labels, seen through every
 * filter; what is refused. */
#include <sys/mman.h>
#include <sys/prctl.h>
#include "tests/guest/sample/branching.h"

#define KERNEL PERF_SAMPLE_BRANCH_KERNEL
#define PERIOD 1009
#define PAGE   4096

static unsigned depth; /* records of this processor */

/* ---- the loop's branches ---- */

struct branch {
	const char *from, *to;
	uint64_t asked; /* the filters that ask for it, beside ANY */
	unsigned type;
};

#define CALL PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_CALL
#define RET  PERF_SAMPLE_BRANCH_ANY_RETURN

/* The branches of two rounds of the loop, an even one and an odd one. */
static const struct branch rounds[] = {
    {b_call, b_leaf, CALL, PERF_BR_CALL},
    {b_ret, b_after, RET, PERF_BR_RET},
    {b_icall, b_leaf2, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_IND_CALL, PERF_BR_IND_CALL},
    {b_jmp2, b_end2, 0, PERF_BR_UNCOND},
    {b_ret2, b_after2, RET, PERF_BR_RET},
    {b_jz, b_even, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND},
    {b_ijmp, b_join, PERF_SAMPLE_BRANCH_IND_JUMP, PERF_BR_IND},
    {b_jnz, b_top, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND},
    {b_call, b_leaf, CALL, PERF_BR_CALL},
    {b_ret, b_after, RET, PERF_BR_RET},
    {b_icall, b_leaf2, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_IND_CALL, PERF_BR_IND_CALL},
    {b_jmp2, b_end2, 0, PERF_BR_UNCOND},
    {b_ret2, b_after2, RET, PERF_BR_RET},
    {b_jmp, b_join, 0, PERF_BR_UNCOND},
    {b_jnz, b_top, PERF_SAMPLE_BRANCH_COND, PERF_BR_COND},
};
#define ROUNDS (sizeof(rounds) / sizeof(rounds[0]))

/* The loop's branches that the filter lets through, in order; returns their number. */
static unsigned filtered(uint64_t asked, const struct branch *out[ROUNDS])
{
	unsigned nr = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		if ((asked & PERF_SAMPLE_BRANCH_ANY) || (asked & rounds[i].asked))
			out[nr++] = &rounds[i];
	return nr;
}

static bool is_branch(const struct perf_branch_entry *e, const struct branch *b)
{
	return e->from == (uintptr_t)b->from && e->to == (uintptr_t)b->to;
}

static bool type_fits(const struct perf_branch_entry *e, const struct branch *b, uint64_t asked)
{
	return !(asked & PERF_SAMPLE_BRANCH_TYPE_SAVE) || e->type == b->type;
}

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)b_top && address <= (uintptr_t)b_ret2;
}

/* True if the entries, newest first, are the loop's branches before its branch number `last` of
 * `nr`. A timer may interrupt it: the branch back from there is not the loop's. Branches before
 * the loop do not matter. */
static bool is_history_from(const struct stack *s, const struct branch *branches[], unsigned nr,
			    unsigned last, uint64_t asked)
{
	for (unsigned i = 0; i < s->nr; i++) {
		const struct perf_branch_entry *e = &s->entries[i];

		if (e->from >> 63)
			continue;
		if (!is_code(e->from))
			return i > 0;
		if (!is_branch(e, branches[last]) || !type_fits(e, branches[last], asked))
			return false;
		last = (last + nr - 1) % nr;
	}
	return true;
}

static bool is_history(const struct stack *s, uint64_t asked)
{
	const struct branch *branches[ROUNDS];
	unsigned nr = filtered(asked, branches);

	for (unsigned last = 0; last < nr; last++)
		if (is_history_from(s, branches, nr, last, asked))
			return true;
	return false;
}

/* Samples of the loop, except the first few: the loop must have filled the stack. */
static void filter(const char *name, uint64_t asked)
{
	struct perf_event_attr attr = branch_attr(asked, PERIOD);
	unsigned samples = 0, right = 0, full = 0;
	struct sampler s;
	struct stack stack;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	branch_loop(850);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, asked, &stack)) {

		if (samples++ < 4)
			continue;
		full += stack.nr == depth;
		right += is_history(&stack, asked);
		if (!is_history(&stack, asked))
			print_stack(&stack);
	}
	/* A hardware that keeps other branches out by software shows fewer. */
	printf("# %u samples, %u full\n", samples, full);
	ok(samples > 8 && right == samples - 4, "%s: each stack is the loop's history", name);
	sampler_close(&s);
}

static void filters(void)
{
	static const struct {
		const char *name;
		uint64_t asked;
	} cases[] = {
	    {"any", PERF_SAMPLE_BRANCH_ANY},
	    {"any with types", PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE},
	    {"any call", PERF_SAMPLE_BRANCH_ANY_CALL},
	    {"any return with types", PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_TYPE_SAVE},
	    {"indirect call", PERF_SAMPLE_BRANCH_IND_CALL},
	    {"conditional", PERF_SAMPLE_BRANCH_COND},
	    {"indirect jump with types",
	     PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_TYPE_SAVE},
	    {"direct call", PERF_SAMPLE_BRANCH_CALL},
	    {"calls and returns", PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN},
	    {"conditional and indirect", PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		filter(cases[i].name, cases[i].asked | USER);
}

/* Counts the entries of samples of many system calls, and the ones with an address of the
 * kernel. */
static void count_entries(uint64_t asked, unsigned *entries, unsigned *kernel)
{
	struct perf_event_attr attr = branch_attr(asked, PERIOD);
	struct sampler s;
	struct stack stack;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 100; i++) {
		getppid();
		branch_loop(5);
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, asked, &stack)) {
		*entries += stack.nr;
		for (unsigned i = 0; i < stack.nr; i++)
			*kernel += stack.entries[i].from >> 63 | stack.entries[i].to >> 63;
	}
	sampler_close(&s);
}

/* An event of ring 3, whose rings are also the branches' unless named, shows neither SYSCALL nor
 * the SYSRET or IRET that leads back. */
static void default_rings(void)
{
	static const uint64_t cases[] = {
	    PERF_SAMPLE_BRANCH_ANY,
	    PERF_SAMPLE_BRANCH_ANY | USER,
	    PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE | USER,
	    PERF_SAMPLE_BRANCH_ANY_RETURN | USER,
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned entries = 0, kernel = 0;

		count_entries(cases[i], &entries, &kernel);
		ok(entries > 5 && !kernel,
		   "filter %llx: %u branches of ring 3, %u with a kernel address",
		   (unsigned long long)cases[i], entries, kernel);
	}
}

/* ---- ways between the rings ---- */

void syscall_loop(uint64_t rounds);
extern char s_call[], s_back[];

__asm__("syscall_loop:\n"
	"         mov %rdi, %r12\n"
	"1:       mov $39, %eax\n"
	"s_call:  syscall\n"
	"s_back:  dec %r12\n"
	"         jnz 1b\n"
	"         ret\n");

/* Entries and exits of the kernel in branch stacks; odd: with a wrong type or address. */
struct ways {
	unsigned in, out, odd;
};

static void count_ways(const struct stack *stack, struct ways *ways)
{
	for (unsigned i = 0; i < stack->nr; i++) {
		const struct perf_branch_entry *e = &stack->entries[i];

		if (e->from == (uintptr_t)s_call) {
			ways->in++;
			ways->odd += !(e->to >> 63) || e->type != PERF_BR_SYSCALL;
		}
		if (e->to == (uintptr_t)s_back) {
			ways->out++;
			ways->odd += !(e->from >> 63) ||
				     (e->type != PERF_BR_SYSRET && e->type != PERF_BR_ERET);
		}
	}
}

/* As many calls as it takes to see the way some times: how many fit between two samples is the
 * kernel's affair. */
static void rings(void)
{
	uint64_t asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE | USER | KERNEL;
	struct perf_event_attr attr = branch_attr(asked, 10007);
	struct ways ways = {0};
	struct sampler s;
	struct stack stack;

	attr.exclude_kernel = 0;
	s.fd = perf_try(&attr, 0, -1, -1, 0);
	if (s.fd == -EACCES) {
		skip("ways into the kernel and back", "not allowed to see the kernel");
		return;
	}
	close(s.fd);
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < 90 && (ways.in <= 5 || ways.out <= 5); i++) {
		ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
		__asm__ volatile("call syscall_loop"
				 :
				 : "D"(100)
				 : "rax", "rcx", "r11", "r12", "memory", "cc");
		ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
		while (next_stack(&s.ring, asked, &stack))
			count_ways(&stack, &ways);
	}
	ok(ways.in > 5 && ways.out > 5 && !ways.odd,
	   "%u ways into the kernel and %u back, all as they were", ways.in, ways.out);
	sampler_close(&s);
}

/* ---- entries in a stack ---- */

static void flags(void)
{
	uint64_t asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_FLAGS |
			 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX | USER;
	struct perf_event_attr attr = branch_attr(asked, PERIOD);
	unsigned samples = 0, far = 0, shown = 0;
	struct sampler s;
	struct stack stack;
	int fd = perf_try(&attr, 0, -1, -1, 0);

	if (fd == -EOPNOTSUPP) {
		skip("without flags and cycles", "this processor cannot leave them out");
		return;
	}
	close(fd);
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	branch_loop(600);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, asked, &stack)) {

		samples++;
		far += stack.hw_idx >= depth;
		for (unsigned i = 0; i < stack.nr; i++)
			shown += stack.entries[i].in_tx || stack.entries[i].abort ||
				 stack.entries[i].reserved;
	}
	ok(samples > 5 && !far && !shown,
	   "the index is one of the hardware's, and no flag is made up");
	sampler_close(&s);
}

static void expect_errno(const char *name, struct perf_event_attr attr, int group, int wanted)
{
	int got = perf_try(&attr, 0, -1, group, 0);

	if (got != wanted)
		printf("# got %d, wanted %d\n", got, wanted);
	ok(got == wanted, "%s", name);
	if (got >= 0)
		close(got);
}

static void refused(void)
{
	struct perf_event_attr calls = branch_attr(PERF_SAMPLE_BRANCH_ANY_CALL | USER, PERIOD),
			       returns = branch_attr(PERF_SAMPLE_BRANCH_ANY_RETURN | USER, PERIOD);
	uint64_t stack = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	struct perf_event_attr attr = branch_attr(stack, PERIOD);
	int leader = perf_try(&calls, 0, -1, -1, 0), fd = perf_try(&attr, 0, -1, -1, 0);
	bool stacks = fd >= 0;

	close(fd);
	expect_errno("no kind of branch", branch_attr(USER, PERIOD), -1, -EINVAL);
	expect_errno("an unknown kind", branch_attr(PERF_SAMPLE_BRANCH_MAX, PERIOD), -1, -EINVAL);
	expect_errno("a stack of calls with other branches",
		     branch_attr(stack | PERF_SAMPLE_BRANCH_COND, PERIOD), -1,
		     stacks ? -EINVAL : -EOPNOTSUPP);
	/* Intel's processors have one filter, which a group must share; Linux lets AMD's go. */
	if (stacks)
		expect_errno("two filters in a group", returns, leader, -EINVAL);
	attr = branch_attr(PERF_SAMPLE_BRANCH_ANY | USER, PERIOD);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	expect_errno("branches of a software event", attr, -1, -EOPNOTSUPP);
	close(leader);
}

/* Events with different filters take turns, of a millisecond each: the loop takes two. */
static void turns(void)
{
	uint64_t asked[2] = {PERF_SAMPLE_BRANCH_ANY_CALL | USER,
			     PERF_SAMPLE_BRANCH_ANY_RETURN | USER};
	unsigned samples[2] = {0}, wrong = 0;
	struct sampler s[2];
	struct stack stack;

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = branch_attr(asked[i], 100003);

		sampler_open(&s[i], &attr, 64, PROT_READ | PROT_WRITE);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	branch_loop(180000);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (int k = 0; k < 2; k++)
		while (next_stack(&s[k].ring, asked[k], &stack)) {
			bool right = is_history(&stack, asked[k]);

			if (!right)
				print_stack(&stack);
			samples[k]++;
			wrong += !right;
		}
	ok(samples[0] && samples[1], "events with different filters take turns: %u, %u samples",
	   samples[0], samples[1]);
	ok(!wrong, "events with different filters see only their own kinds");
	for (int i = 0; i < 2; i++)
		sampler_close(&s[i]);
}

/* A loop that is one basic block, which PMIs find at its start, entered four times. */
static void short_loop(void)
{
	struct perf_event_attr attr = branch_attr(PERF_SAMPLE_BRANCH_ANY | USER, 2000);
	uint64_t count, samples = 0;
	struct sampler s;
	struct stack stack;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned i = 0; i < 4; i++) {
		perf_loop(2500);
		count = perf_value(s.fd);
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, PERF_SAMPLE_BRANCH_ANY | USER, &stack))
		samples++;
	ok(count >= 20000 && count < 21000, "nothing of a short loop is lost: %lu", count);
	ok(samples == 10, "a short loop loses no sample: %lu", samples);
	sampler_close(&s);
}

/* Runs the code at `at`; returns how many branch records are inside its page. */
static unsigned records_in_page(uintptr_t at)
{
	struct perf_event_attr attr = branch_attr(PERF_SAMPLE_BRANCH_ANY | USER, PERIOD);
	struct sampler s;
	struct stack stack;
	unsigned inside = 0;

	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	((void (*)(void))at)();
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, PERF_SAMPLE_BRANCH_ANY | USER, &stack))
		for (unsigned i = 0; i < stack.nr; i++)
			inside +=
			    stack.entries[i].from - at < PAGE && stack.entries[i].to - at < PAGE;
	sampler_close(&s);
	return inside;
}

/* An emulator that translates a page once must not give its first address for the others. */
static void code_at_several_addresses(void)
{
	static const uint8_t code[] = {0xb9, 0x88, 0x13, 0, 0, /* mov $5000, %ecx */
				       0xff, 0xc9,             /* 1: dec %ecx */
				       0xeb, 0x00,             /* jmp 2f */
				       0x75, 0xfa,             /* 2: jnz 1b */
				       0xc3};                  /* ret */
	int fd = (int)syscall(SYS_memfd_create, "code", 0);
	unsigned inside[3];

	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code)) {
		ok(false, "a file of code");
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		inside[i] = records_in_page(
		    (uintptr_t)mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
	ok(inside[0] > 20 && inside[1] > 20 && inside[2] > 20,
	   "a page at three addresses: %u, %u, %u records at the one that runs", inside[0],
	   inside[1], inside[2]);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	depth = branch_depth();
	if (!depth)
		return tap_skip_all("no branch records here");
	printf("# %u records\n", depth);
	filters();
	default_rings();
	rings();
	flags();
	refused();
	turns();
	short_loop();
	code_at_several_addresses();
	return tap_end();
}
