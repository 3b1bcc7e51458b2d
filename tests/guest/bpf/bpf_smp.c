/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of BPF on one processor, whose maps another one gives up while there is work for
 * them. */
#define _GNU_SOURCE
#include "tests/guest/cpus.h"
#include "tests/guest/bpf/bpf_calls.h"
#include <stdatomic.h>

#define ROUNDS 100

static int cpus[CPUS_MAX];
static atomic_bool enough;

static void *turn_here(void *cpu)
{
	place(0, *(int *)cpu);
	while (!atomic_load(&enough))
		;
	return NULL;
}

/* A program that writes to the ring buffer with each sample, and wakes who waits for it. */
static int program_of(int map)
{
	return PROG(BPF_PROG_TYPE_PERF_EVENT, STOREI(BPF_DW, R10, -8, 77), MAP(R1, map),
		    MOV(R2, R10), ADDI(R2, -8), MOVI(R3, 8), MOVI(R4, BPF_RB_FORCE_WAKEUP),
		    CALL(BPF_FUNC_ringbuf_output), MOVI(R0, 1), EXIT());
}

/* A clock samples elsewhere. The wake-up is put off until that processor has the kernel's lock: the
 * event, with it the program and its map, is closed from here as soon as there is a sample. */
static bool run_and_close(int owner, const struct perf_ring *ring)
{
	int map = (int)map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog = program_of(map), fd;
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	uint64_t first = ring->page->data_head;
	bool attached;

	attr.sample_period = 10000;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.watermark = 1;
	attr.wakeup_watermark = 1u << 30; /* the event itself wakes no task */
	attr.disabled = 1;
	fd = perf_open(&attr, -1, cpus[1], -1, 0);
	attached = !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
	close(prog);
	close(map);
	ring->page->data_tail = first;
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) == first)
		;
	close(fd);
	return attached;
}

int main(void)
{
	struct perf_event_attr attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_ring ring;
	pthread_t thread;
	long attached = 0;
	int owner;

	if (usable_cpus(cpus) < 2)
		return tap_skip_all("one processor");
	owner = perf_open(&attr, -1, cpus[1], -1, 0);
	place(0, cpus[0]);
	perf_map(&ring, owner, 8, PROT_READ | PROT_WRITE);
	start(&thread, turn_here, &cpus[1]);
	for (unsigned i = 0; i < ROUNDS; i++)
		attached += run_and_close(owner, &ring);
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	perf_unmap(&ring);
	close(owner);
	is(attached, ROUNDS, "maps are given up while processors have work for them");
	return tap_end();
}
