/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of one ring, PMIs in ring 3, RDPMC from ring 3. */
#include "tests/visor/pmu.h"

#define CR4_PCE (1ull << 8)
#define ROUNDS  10000

static unsigned pmis, outside;
static uint64_t user_value;
static int user_fault;

static void enable(uint64_t counters)
{
	wrmsr(GLOBAL_CTRL, counters);
}

/* User code: 2 * rounds instructions and INT 80H. Whether that counts for ring 3 is left open. */
static void test_split(void)
{
	uint64_t user[2], kernel[2];

	for (unsigned i = 0; i < 2; i++) {
		pmu_stop();
		pmu_program(0, 0, INSTRUCTIONS, USR);
		pmu_program(1, 0, INSTRUCTIONS, OS);
		enable(3);
		run_user(user_loop, i ? 2 * ROUNDS : ROUNDS);
		enable(0);
		user[i] = rdmsr(PMC0);
		kernel[i] = rdmsr(PMC0 + 1);
	}
	ok(user[0] >= 2 * ROUNDS && user[0] <= 2 * ROUNDS + 1, "USR counts ring 3's instructions");
	is(user[1] - user[0], 2 * ROUNDS, "  twice the rounds, twice the count");
	is(kernel[1], kernel[0], "OS counts the same for both");
	ok(kernel[0] > 0 && kernel[0] < 200, "  the way there and back");
}

static void pmi(struct frame *frame)
{
	pmis++;
	outside += frame->rip < (uint64_t)user_loop || frame->rip > (uint64_t)user_loop + 5;
	wrmsr(PMC0, -100ull);
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	apic_write(APIC_LVTPC, LVT_NMI);
}

/* Sampling ring 3 with period 100: N / 100 samples, all in the loop, though the handler runs in
 * between. */
static void test_samples(void)
{
	pmu_stop();
	on_interrupt(VECTOR_NMI, pmi);
	apic_write(APIC_LVTPC, LVT_NMI);
	pmu_program(0, -100ull, INSTRUCTIONS, USR | INT);
	enable(1);
	run_user(user_loop, ROUNDS);
	enable(0);
	is(pmis, 2 * ROUNDS / 100, "a PMI for each period of ring 3");
	is(outside, 0, "  every one of them in its code");
	on_interrupt(VECTOR_NMI, 0);
}

/* RDPMC in ring 3 came through: INT 80H with the value. */
static void back(struct frame *frame)
{
	user_value = frame->rax | frame->rdx << 32;
}

static handler call_handler;

static void take_value(struct frame *frame)
{
	back(frame);
	call_handler(frame);
}

static void take_fault(struct frame *frame)
{
	user_fault = (int)frame->vector;
	call_handler(frame);
}

static void test_user_rdpmc(void)
{
	pmu_stop();
	wrmsr(PMC0, 0x12345678);
	call_handler = on_interrupt(VECTOR_CALL, take_value);
	on_interrupt(VECTOR_GP, take_fault);
	run_user(user_rdpmc, 0);
	is((uint64_t)user_fault, VECTOR_GP, "RDPMC in ring 3 faults without CR4.PCE");
	user_fault = 0;
	write_cr4(read_cr4() | CR4_PCE);
	run_user(user_rdpmc, 0);
	is((uint64_t)user_fault, 0, "  not with it");
	is(user_value, 0x12345678, "  and reads the counter");
	write_cr4(read_cr4() & ~CR4_PCE);
	on_interrupt(VECTOR_GP, 0);
	on_interrupt(VECTOR_CALL, call_handler);
}

void test_rings(void)
{
	test_split();
	test_samples();
	test_user_rdpmc();
	pmu_stop();
}
