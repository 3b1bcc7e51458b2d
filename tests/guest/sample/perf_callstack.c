/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks that are stacks of calls: a sample shows its callers, whatever was called and left
 * before, and whichever other task ran in between. */
#include <sys/wait.h>
#include "tests/guest/sample/branching.h"

void stack_outer(uint64_t rounds);
extern char k_call1[], k_call2[], k_call3[], k_inner[], k_loop[], k_end[], k_middle[];

__asm__("stack_outer:\n"
	"k_call1:  call k_middle\n"
	"          ret\n"
	"k_middle: call b_leaf\n"
	"k_call2:  call k_inner\n"
	"          call b_leaf\n"
	"          ret\n"
	"k_inner:\n"
	"k_loop:   nop\n"
	"k_call3:  call b_leaf\n"
	"          dec %rdi\n"
	"          jnz k_loop\n"
	"k_end:    ret\n");

static bool is_call(const struct perf_branch_entry *e, const char *from, const char *to)
{
	return e->from == (uintptr_t)from && e->to == (uintptr_t)to;
}

/* In the loop of the inner function the stack is its callers, whatever was called and left
 * before. */
static bool is_chain(const struct stack *s)
{
	bool in_leaf = s->ip > (uintptr_t)k_end || s->ip < (uintptr_t)k_inner;
	unsigned at = in_leaf;

	if (s->nr < at + 2 || (in_leaf && !is_call(&s->entries[0], k_call3, b_leaf)))
		return false;
	return is_call(&s->entries[at], k_call2, k_inner) &&
	       is_call(&s->entries[at + 1], k_call1, k_middle);
}

static void call_stack(void)
{
	uint64_t asked = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	struct perf_event_attr attr = branch_attr(asked, 499);
	unsigned samples = 0, right = 0;
	struct sampler s;
	struct stack stack;

	if (perf_try(&attr, 0, -1, -1, 0) == -EOPNOTSUPP) {
		skip("stacks of calls", "this processor has none");
		return;
	}
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	stack_outer(2000);
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_stack(&s.ring, asked, &stack)) {

		samples++;
		right += is_chain(&stack);
		if (!is_chain(&stack))
			print_stack(&stack);
	}
	ok(samples > 10 && right >= samples - 1, "%u of %u stacks of calls are the callers", right,
	   samples);
	sampler_close(&s);
}

/* A stack of calls comes and goes with its task. */
static void call_stack_switched(void)
{
	struct perf_event_attr attr = branch_attr(PERF_SAMPLE_BRANCH_CALL_STACK | USER, 1009);
	unsigned samples = 0, right = 0;
	struct sampler s;
	struct stack stack;
	int fd = perf_try(&attr, 0, -1, -1, 0), wait[2];
	pid_t other;

	if (fd == -EOPNOTSUPP) {
		skip("stacks of calls across switches", "this processor has none");
		return;
	}
	close(fd);
	if (pipe(wait) || (other = fork()) < 0)
		exit(1);
	if (!other) {
		char byte;

		close(wait[1]);
		while (read(wait[0], &byte, 1) == 1) /* runs between two bytes, calling */
			branch_loop(10);
		_exit(0);
	}
	sampler_open(&s, &attr, 64, PROT_READ | PROT_WRITE);
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 8; i++) {
		if (write(wait[1], "x", 1) != 1)
			exit(1);
		usleep(100);
		stack_outer(400);
	}
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	close(wait[1]);
	waitpid(other, NULL, 0);
	while (next_stack(&s.ring, 0, &stack)) {
		bool inside = stack.ip >= (uintptr_t)k_inner && stack.ip < (uintptr_t)k_end;

		samples += inside;
		right += inside && is_chain(&stack);
		if (inside && !is_chain(&stack))
			print_stack(&stack);
	}
	ok(samples > 5 && right == samples, "%u of %u are right while another task runs in between",
	   right, samples);
	sampler_close(&s);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!branch_depth())
		return tap_skip_all("no branch records here");
	call_stack();
	call_stack_switched();
	return tap_end();
}
