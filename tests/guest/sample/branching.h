/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the programs that sample branch stacks: a loop whose branches are known by their
 * labels, and the reader of a sample. */
#ifndef TESTS_GUEST_BRANCHING_H
#define TESTS_GUEST_BRANCHING_H

#include "tests/guest/sample/sampling.h"

#define USER PERF_SAMPLE_BRANCH_USER

/* Returns how many branch records the processor has; 0: none, or not known. */
static inline unsigned branch_depth(void)
{
	unsigned depth =
	    (unsigned)number_in_file("/sys/bus/event_source/devices/cpu/caps/branches");

	if (!depth) /* of two PMUs */
		depth = (unsigned)number_in_file(
		    "/sys/bus/event_source/devices/cpu_core/caps/branches");
	return depth;
}

/* ---- the program ---- */

void branch_loop(uint64_t rounds);
extern char b_top[], b_call[], b_after[], b_icall[], b_after2[], b_jz[], b_jmp[], b_even[],
    b_ijmp[], b_join[], b_jnz[], b_leaf[], b_ret[], b_leaf2[], b_jmp2[], b_end2[], b_ret2[];

__asm__(".text\n"
	".globl branch_loop\n"
	"branch_loop:\n"
	"b_top:\n"
	"b_call:   call b_leaf\n"
	"b_after:  lea b_leaf2(%rip), %rax\n"
	"b_icall:  call *%rax\n"
	"b_after2: test $1, %dil\n"
	"b_jz:     jz b_even\n"
	"b_jmp:    jmp b_join\n"
	"b_even:   lea b_join(%rip), %rax\n"
	"b_ijmp:   jmp *%rax\n"
	"b_join:   dec %rdi\n"
	"b_jnz:    jnz b_top\n"
	"          ret\n"
	"b_leaf:   nop\n"
	"b_ret:    ret\n"
	"b_leaf2:  nop\n"
	"b_jmp2:   jmp b_end2\n"
	"          int3\n"
	"b_end2:   nop\n"
	"b_ret2:   ret\n");

/* ---- samples ---- */

struct stack {
	uint64_t ip, hw_idx;
	unsigned nr;
	const struct perf_branch_entry *entries;
};

static inline struct stack parse(const struct perf_record *r, uint64_t asked)
{
	bool index = asked & PERF_SAMPLE_BRANCH_HW_INDEX;

	return (struct stack){
	    .ip = r->words[0],
	    .nr = (unsigned)r->words[1],
	    .hw_idx = index ? r->words[2] : 0,
	    .entries = (const struct perf_branch_entry *)&r->words[2 + index],
	};
}

static inline struct perf_event_attr branch_attr(uint64_t asked, uint64_t period)
{
	struct perf_event_attr attr =
	    sampling_attr(period, PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK);

	attr.branch_sample_type = asked;
	return attr;
}

/* The next sample's stack; false when there is none. Other records are not of interest. */
static inline bool next_stack(struct perf_ring *ring, uint64_t asked, struct stack *stack)
{
	while (perf_next(ring, &record))
		if (record.header.type == PERF_RECORD_SAMPLE) {
			*stack = parse(&record, asked);
			return true;
		}
	return false;
}

static inline void print_stack(const struct stack *s)
{
	printf("# ip %llx:", (unsigned long long)s->ip);
	for (unsigned i = 0; i < s->nr; i++)
		printf(" %llx>%llx", (unsigned long long)s->entries[i].from,
		       (unsigned long long)s->entries[i].to);
	printf("\n");
}

#endif
