/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of samples of trace events, and their call chains: a function that has no frame
 * yet has a caller all the same; calls have the caller's registers. */
#define _GNU_SOURCE
#include "tests/guest/trace/probes.h"
#include <sys/wait.h>

static struct perf_record record;

/* Functions that are called without a frame below them; what they begin with. */
__asm__(".pushsection .text\n"
	"call_frameless: push %rbp\n xor %ebp, %ebp\n call *%rdi\n"
	"frameless_caller: pop %rbp\n ret\n"
	"with_push: push %rbp\n pop %rbp\n ret\n"
	"with_nop: nop\n ret\n"
	".popsection");
extern void call_frameless(const void *function);
extern const char frameless_caller[], with_push[], with_nop[];

/* Opens it for samples, and maps their ring: its descriptor. */
static int open_chains(struct perf_event_attr *attr, struct perf_ring *ring)
{
	int fd;

	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_kernel = 1;
	fd = perf_open(attr, 0, -1, -1, 0);
	perf_map(ring, fd, 8, PROT_READ | PROT_WRITE);
	return fd;
}

/* Calls it with a probe at its begin, or its return; the words of the sample's chain. */
static uint64_t chain_of(const void *function, bool returns, uint64_t chain[4])
{
	struct perf_event_attr attr = uprobe_attr(function, returns);
	struct perf_ring ring;
	int fd = open_chains(&attr, &ring);

	call_frameless(function);
	memset(&record, 0, sizeof(record));
	perf_next(&ring, &record);
	memcpy(chain, record.words + 2, 4 * sizeof(*chain));
	perf_unmap(&ring);
	close(fd);
	return record.words[1];
}

/* Samples a call by the event. Returns whether there is a sample. */
static bool sample_call(const char *event, bool exclude_kernel)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_TRACEPOINT, id_of(event));
	struct perf_ring ring;
	bool found;
	int fd;

	attr.exclude_kernel = exclude_kernel;
	fd = open_chains(&attr, &ring);
	getppid();
	found = perf_next(&ring, &record);
	perf_unmap(&ring);
	close(fd);
	return found;
}

static bool in_program(void)
{
	return (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER &&
	       record.words[0] >> 47 == 0;
}

static void test_calls(void)
{
	ok(sample_call("syscalls/sys_enter_getppid", false) && in_program(),
	   "a call is sampled where the program makes it");
	ok(record.words[3] == record.words[0], "a call's chain begins at its address");
	ok(sample_call("syscalls/sys_exit_getppid", false) && in_program(),
	   "a call's end is in the program");
	ok(sample_call("syscalls/sys_enter_getppid", true),
	   "an event of ring 3 only has no address in the kernel");
	ok(sample_call("raw_syscalls/sys_enter", false) && !in_program(),
	   "the event of all calls lies in the kernel");
	ok(!sample_call("raw_syscalls/sys_enter", true), "where it can be left out");
}

static void test_probes(void)
{
	uint64_t chain[4];

	is((long)chain_of(with_push, false, chain), 3, "a function that will keep a frame");
	ok(chain[1] == (uintptr_t)with_push && chain[2] == (uintptr_t)frameless_caller,
	   "a probe's chain has its caller");
	is((long)chain_of(with_nop, false, chain), 2,
	   "a probe after a NOP: a frameless function has no caller");
	is((long)chain_of(with_push, true, chain), 2, "a return has no caller but itself");
	ok(chain[1] == (uintptr_t)frameless_caller,
	   "the frameless function's caller is its caller's caller");
}

#define SAMPLES 3000
#define PERIOD  4999 /* of a start; with shorter ones its end is throttled */

static void begin_program(char *name)
{
	char *arguments[] = {name, "ends", NULL};
	pid_t child = vfork();

	if (!child) {
		execv("/proc/self/exe", arguments);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

/* While a program takes another's place, samples in the kernel have an address of one or the
 * other. */
static void test_starts(char *name)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_ring ring;
	int fd, starts = 0, nr = 0, nowhere = 0;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.exclude_user = attr.exclude_callchain_kernel = attr.disabled = 1;
	fd = perf_try(&attr, -1, 0, -1, 0);
	if (fd < 0) {
		skip("samples while programs begin", "no counter");
		return;
	}
	perf_map(&ring, fd, 64, PROT_READ | PROT_WRITE);
	while (nr < SAMPLES && starts++ < SAMPLES) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		begin_program(name);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		while (perf_next(&ring, &record)) {
			if (record.header.type != PERF_RECORD_SAMPLE || record.words[0] < 2)
				continue;
			nr++;
			nowhere += record.words[1] == PERF_CONTEXT_USER && !record.words[2];
		}
	}
	ok(nr >= SAMPLES, "samples while programs begin: %d", nr);
	is(nowhere, 0, "no sample is at address 0");
	perf_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "ends"))
		return 0;
	mount_tracefs();
	test_starts(argv[0]);
	test_probes();
	test_calls();
	return tap_end();
}
