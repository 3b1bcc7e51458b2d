/* SPDX-License-Identifier: BSD-2-Clause */
/* The outcome of a block: the instructions that retired, their ring, and when the guest must
 * stop. */
#include "tests/sim/fake_guest.h"

#define KERNEL 0xffffffff81000000

/* MOV [RDI], RAX; ADD RAX, RAX; INC RCX; JMP RDX */
static const uint8_t store_and_jump[] = {0x48, 0x89, 0x07, 0x48, 0x01,
					 0xc0, 0xff, 0xc1, 0xff, 0xe2};
static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90};
static const uint8_t enter[] = {0x0f, 0x05};       /* SYSCALL */
static const uint8_t leave[] = {0x48, 0x0f, 0x07}; /* SYSRET */

/* A block of code, and the handler that its faults lead to. */
struct faulting {
	struct guest guest;
	struct code_block *block, *handler;
};

/* Runs the block up to a fault of its first access: nothing of it has retired. */
static void begin_with_a_fault(struct faulting *f, const uint8_t *code, unsigned bytes)
{
	guest_begin(&f->guest, "skylake");
	f->block = guest_block(&f->guest, code, bytes, 0x400000);
	f->handler = guest_block(&f->guest, nops, sizeof(nops), KERNEL);
	core_block(f->guest.core, f->block);
	core_block(f->guest.core, f->handler);
}

static uint64_t retired(struct faulting *f, unsigned quantity)
{
	return guest_count(&f->guest, f->handler, CORE_RING_USER, quantity);
}

static void end_faulting(struct faulting *f)
{
	guest_free_block(f->block);
	guest_free_block(f->handler);
	guest_end(&f->guest);
}

/* A store that faults before an indirect jump: nothing of the block has retired, whatever the jump
 * might lead to; the second time all of it has. */
static void a_fault_before_an_indirect_jump(void **state)
{
	struct faulting f;

	(void)state;
	begin_with_a_fault(&f, store_and_jump, sizeof(store_and_jump));
	assert_int_equal(retired(&f, CORE_INSTRUCTIONS), 0);
	assert_int_equal(retired(&f, CORE_BRANCHES), 0);
	core_block(f.guest.core, f.block);
	guest_access(&f.guest, f.block, 0, 0x10000, true);
	assert_int_equal(retired(&f, CORE_INSTRUCTIONS), 4);
	assert_int_equal(retired(&f, CORE_BRANCHES), 1);
	end_faulting(&f);
}

/* A store that faults before a repeated instruction at its block's end. */
static void a_fault_before_a_repetition(void **state)
{
	/* MOV [RDI], RAX; NOP; REP STOSB */
	static const uint8_t code[] = {0x48, 0x89, 0x07, 0x90, 0xf3, 0xaa};
	struct faulting f;

	(void)state;
	begin_with_a_fault(&f, code, sizeof(code));
	assert_int_equal(retired(&f, CORE_INSTRUCTIONS), 0);
	core_block(f.guest.core, f.block);
	guest_access(&f.guest, f.block, 0, 0x10000, true);
	core_block(f.guest.core, f.handler); /* the repetition's first store faults */
	assert_int_equal(retired(&f, CORE_INSTRUCTIONS), 2);
	end_faulting(&f);
}

/* An interrupt after a block: the writes of its delivery are reported as accesses of the RET
 * before the block. They must neither undo the block's accesses nor add some. */
static void what_an_interrupt_writes_is_no_blocks(void **state)
{
	static const uint8_t ret[] = {0xc3};
	static const uint8_t load[] = {0x48, 0x8b, 0x07}; /* MOV RAX, [RDI] */
	struct code_block *caller, *block, *handler;
	struct guest guest;

	(void)state;
	guest_begin(&guest, "skylake");
	for (unsigned loaded = 0; loaded < 2; loaded++) {
		/* The RET is below the block, then above. */
		caller = guest_block(&guest, ret, sizeof(ret), loaded ? 0x3ff000 : 0x401000);
		block = guest_block(&guest, load, sizeof(load), 0x400000);
		handler = guest_block(&guest, nops, sizeof(nops), KERNEL);
		core_block(guest.core, caller);
		guest_access(&guest, caller, 0, 0x20000, false);
		core_block(guest.core, block);
		if (loaded)
			guest_access(&guest, block, 0, 0x10000, false);
		for (unsigned i = 0; i < 5; i++) {
			guest_access(&guest, caller, 0, 0x30000 - 8 * i, true);
			core_access_known(guest.core, &caller->insn[0], 0x30000, 8, false);
		}
		core_block(guest.core, handler);
		assert_int_equal(guest_count(&guest, handler, CORE_RING_USER, CORE_INSTRUCTIONS),
				 loaded ? 3 : 1);
		core_forget_blocks(guest.core);
		guest_free_block(caller);
		guest_free_block(block);
		guest_free_block(handler);
	}
	guest_end(&guest);
}

/* CPUID stops the guest in the middle of a block that ends in a system call. */
static void a_stop_before_a_system_call(void **state)
{
	/* NOP; CPUID; NOP; SYSCALL */
	static const uint8_t code[] = {0x90, 0x0f, 0xa2, 0x90, 0x0f, 0x05};
	/* STMXCSR [RDI]; SYSCALL */
	static const uint8_t control[] = {0x0f, 0xae, 0x1f, 0x0f, 0x05};
	struct code_block *block, *faulting;
	struct guest guest;

	(void)state;
	guest_begin(&guest, "skylake");
	block = guest_block(&guest, code, sizeof(code), 0x400000);
	faulting = guest_block(&guest, control, sizeof(control), 0x500000);
	core_block(guest.core, block);
	assert_int_equal(guest_count_at(&guest, 0x400001, CORE_RING_USER, CORE_INSTRUCTIONS), 1);
	assert_int_equal(guest_count_at(&guest, 0x400001, CORE_RING_USER, CORE_BRANCHES), 0);
	core_block(guest.core, faulting);
	assert_int_equal(guest_count_at(&guest, KERNEL, CORE_RING_USER, CORE_INSTRUCTIONS), 1);
	guest_free_block(block);
	guest_free_block(faulting);
	guest_end(&guest);
}

/* A loop of one block that is stopped at its start has gone round when an interrupt stopped it, and
 * has not begun when its first instruction did; whether branches are recorded or not. */
static void a_stop_at_the_start_of_a_loop(void **state)
{
	static const uint8_t code[] = {0x90, 0xff, 0xc9, 0x75, 0xfb}; /* NOP; DEC ECX; JNE */
	struct code_block *block;
	struct guest guest;

	(void)state;
	for (unsigned recorded = 0; recorded < 2; recorded++) {
		guest_begin(&guest, "skylake");
		guest.page.filter = (struct core_filter){
		    .enabled = (uint8_t)recorded, .kinds = UINT8_MAX, .rings = UINT8_MAX};
		block = guest_block(&guest, code, sizeof(code), 0x400000);
		core_block(guest.core, block);
		assert_int_equal(
		    guest_count_at(&guest, 0x400000, CORE_RING_USER, CORE_INSTRUCTIONS), 0);
		guest.page.end = CORE_STOPPED_BETWEEN;
		core_block(guest.core, block);
		assert_int_equal(
		    guest_count_at(&guest, 0x400000, CORE_RING_USER, CORE_INSTRUCTIONS), 3);
		assert_int_equal(guest.counts[CORE_RING_USER][CORE_BRANCHES], 1);
		assert_int_equal(guest.page.nr_branches, recorded);
		guest_free_block(block);
		guest_end(&guest);
	}
}

/* Instructions that the visor executes for the guest take their time, alone in their block or
 * not; instructions at which it merely stops do not. */
static void the_visors_instructions_take_time(void **state)
{
	static const uint8_t code[] = {0x0f, 0x30, 0x90, 0x0f, 0x30}; /* WRMSR; NOP; WRMSR */
	struct code_block *alone, *next;
	struct guest guest;
	uint64_t before, after;

	(void)state;
	guest_begin(&guest, "skylake");
	alone = guest_block(&guest, code, 2, 0x400000);
	next = guest_block(&guest, code + 2, 3, 0x400002);
	core_block(guest.core, alone);
	before = guest_count_at(&guest, 0x400000, CORE_RING_USER, CORE_CYCLES);
	guest.page.end = CORE_STOPPED_FOR_VISOR;
	core_block(guest.core, alone);
	after = guest_count_at(&guest, 0x400000, CORE_RING_USER, CORE_CYCLES);
	assert_in_range(after - before, 180, 200);
	assert_int_equal(guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS], 0);
	core_block(guest.core, next);
	before = guest_count_at(&guest, 0x400003, CORE_RING_USER, CORE_CYCLES);
	assert_int_equal(guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS], 1);
	core_block(guest.core, next);
	after = guest_count_at(&guest, 0x400003, CORE_RING_USER, CORE_CYCLES);
	assert_in_range(after - before, 180, 200);
	guest_free_block(alone);
	guest_free_block(next);
	guest_end(&guest);
}

/* CPUID in the middle of a block: the instructions after it run once, as a block of their own. */
static void what_lies_behind_a_stop_counts_once(void **state)
{
	/* CPUID; ADDSD XMM0, XMM1; CPUID; ADDSD XMM0, XMM1; NOP */
	static const uint8_t code[] = {0x0f, 0xa2, 0xf2, 0x0f, 0x58, 0xc1, 0x0f,
				       0xa2, 0xf2, 0x0f, 0x58, 0xc1, 0x90};
	static const unsigned stops[] = {0, 6, 13}; /* from where to where it runs */
	struct guest guest;
	uint64_t cycles = 0;

	(void)state;
	guest_begin(&guest, "skylake");
	for (unsigned i = 0; i < 3; i++) {
		unsigned from = i ? stops[i - 1] + 2 : 0;
		struct code_block *block =
		    guest_block(&guest, code + from, sizeof(code) - from, 0x400000 + from);

		core_block(guest.core, block);
		guest.page.end = i < 2 ? CORE_STOPPED_FOR_VISOR : CORE_STOPPED_BETWEEN;
		guest_count_at(&guest, 0x400000 + stops[i], CORE_RING_USER, CORE_CYCLES);
		if (!i) /* the code's misses are the first block's */
			cycles = guest.counts[CORE_RING_USER][CORE_CYCLES];
		guest_free_block(block);
	}
	assert_int_equal(guest.counts[CORE_RING_USER][CORE_FP_SCALAR_DOUBLE], 2);
	assert_int_equal(guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS], 3);
	assert_in_range(guest.counts[CORE_RING_USER][CORE_CYCLES] - cycles, 100, 150);
	guest_end(&guest);
}

/* A chase through memory: what a ring has begun when it is left is its own time, though the next
 * one begins to run before that is done. */
static void a_ring_waits_for_what_it_began(void **state)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x3f, 0xeb, 0xfb}; /* MOV RDI, [RDI]; JMP */
	enum { LOADS = 80, MEMORY = 200 };
	struct code_block *user, *kernel;
	struct guest guest;

	(void)state;
	guest_begin(&guest, "skylake,prefetch=off");
	user = guest_block(&guest, load, sizeof(load), 0x400000);
	kernel = guest_block(&guest, nops, sizeof(nops), KERNEL);
	for (unsigned i = 0; i < LOADS; i++) {
		core_block(guest.core, user);
		guest_access(&guest, user, 0, 0x10000000 + 4096ull * i, false);
	}
	assert_in_range(guest_count(&guest, user, CORE_RING_USER, CORE_CYCLES), LOADS * MEMORY,
			LOADS * MEMORY * 2);
	guest.page.ring = CORE_RING_KERNEL;
	core_block(guest.core, kernel);
	/* its code's misses */
	assert_in_range(guest_count(&guest, kernel, CORE_RING_KERNEL, CORE_CYCLES), 1,
			LOADS * MEMORY / 4);
	guest_free_block(user);
	guest_free_block(kernel);
	guest_end(&guest);
}

/* Cycles of one ring that run out in the block that leaves it stop the guest when it is there
 * again: after `left` cycles, asked after each block of two system calls. Returns the ring. */
static int ring_of_stop(unsigned rings, uint64_t left)
{
	struct code_block *blocks[4];
	struct guest guest;
	int ring = -1;

	guest_begin(&guest, "skylake");
	blocks[0] = guest_block(&guest, enter, sizeof(enter), 0x400000);
	blocks[1] = guest_block(&guest, nops, sizeof(nops), KERNEL);
	blocks[2] = guest_block(&guest, leave, sizeof(leave), KERNEL + sizeof(nops));
	blocks[3] = guest_block(&guest, nops, sizeof(nops), 0x400000 + sizeof(enter));
	guest.page.nr_watches = 1;
	guest.page.watches[0] =
	    (struct core_watch){.left = left, .terms = {CORE_CYCLES}, .rings = (uint8_t)rings};
	for (unsigned i = 0; i < 12 && ring < 0; i++)
		if (core_block(guest.core, blocks[i % 4]))
			ring = i % 4 == 1 || i % 4 == 2 ? CORE_RING_KERNEL : CORE_RING_USER;
	for (unsigned i = 0; i < 4; i++)
		guest_free_block(blocks[i]);
	guest_end(&guest);
	return ring;
}

static void a_ring_stops_where_it_is_counted(void **state)
{
	(void)state;
	for (uint64_t left = 1; left < 200; left++) {
		int kernel = ring_of_stop(1 << CORE_RING_KERNEL, left);
		int user = ring_of_stop(1 << CORE_RING_USER, left);

		assert_int_not_equal(kernel, CORE_RING_USER);
		assert_int_not_equal(user, CORE_RING_KERNEL);
	}
	assert_int_equal(ring_of_stop(1 << CORE_RING_KERNEL, 1), CORE_RING_KERNEL);
	assert_int_equal(ring_of_stop(1 << CORE_RING_USER, 1), CORE_RING_USER);
	assert_int_not_equal(ring_of_stop(3, 1), -1);
}

/* Misses of the quantity that two loads of one line and of one more page cause, the instructions
 * between them in ring 0. */
static uint64_t misses_around(const uint8_t *code, size_t size, uint64_t address,
			      enum core_quantity quantity)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x07}; /* MOV RAX, [RDI] */
	struct code_block *loads, *between;
	struct guest guest;
	uint64_t before, after;

	guest_begin(&guest, "skylake,prefetch=off");
	guest.page.ring = CORE_RING_KERNEL;
	loads = guest_block(&guest, load, sizeof(load), KERNEL);
	between = guest_block(&guest, code, size, KERNEL + sizeof(load));
	core_block(guest.core, loads);
	guest_access(&guest, loads, 0, address, false);
	core_block(guest.core, between);
	before = guest_count(&guest, between, CORE_RING_KERNEL, quantity);
	core_block(guest.core, loads);
	guest_access(&guest, loads, 0, address, false);
	after = guest_count(&guest, loads, CORE_RING_KERNEL, quantity);
	guest_free_block(loads);
	guest_free_block(between);
	guest_end(&guest);
	return after - before;
}

#define MISSES(code, address, quantity) misses_around(code, sizeof(code), address, quantity)

/* The lower half's pages go with CR3, all with CR4, lines with WBINVD; nothing with a NOP. */
static void ring_0_empties_caches_and_tlbs(void **state)
{
	static const uint8_t wbinvd[] = {0x0f, 0x09}, cr3[] = {0x0f, 0x22, 0xd8},
			     cr4[] = {0x0f, 0x22, 0xe0}, r12_cr3[] = {0x41, 0x0f, 0x22, 0xdc};

	(void)state;
	assert_int_equal(MISSES(nops, 0x10000, CORE_DTLB_LOAD_MISSES), 0);
	assert_int_equal(MISSES(nops, 0x10000, CORE_L1D_LOAD_MISSES), 0);
	assert_int_equal(MISSES(wbinvd, 0x10000, CORE_L1D_LOAD_MISSES), 1);
	assert_int_equal(MISSES(wbinvd, 0x10000, CORE_DTLB_LOAD_MISSES), 0);
	assert_int_equal(MISSES(cr3, 0x10000, CORE_DTLB_LOAD_WALKS), 1);
	assert_int_equal(MISSES(r12_cr3, 0x10000, CORE_DTLB_LOAD_WALKS), 1);
	assert_int_equal(MISSES(cr3, KERNEL + (1 << 20), CORE_DTLB_LOAD_MISSES), 0);
	assert_int_equal(MISSES(cr4, KERNEL + (1 << 20), CORE_DTLB_LOAD_WALKS), 1);
	assert_int_equal(MISSES(cr3, 0x10000, CORE_L1D_LOAD_MISSES), 0);
}

/* REP STOSB that QEMU runs iteration by iteration, and once more without an access: one store,
 * however many there were; none of no iteration. */
static void a_repetition_of_none_stores_nothing(void **state)
{
	static const uint8_t code[] = {0xf3, 0xaa};

	(void)state;
	for (unsigned rounds = 0; rounds < 4; rounds++) {
		struct code_block *block, *next;
		struct guest guest;

		guest_begin(&guest, "skylake");
		block = guest_block(&guest, code, sizeof(code), 0x400000);
		next = guest_block(&guest, nops, sizeof(nops), 0x400002);
		for (unsigned i = 0; i <= rounds; i++) {
			core_block(guest.core, block);
			if (i < rounds)
				core_access(guest.core, &block->insn[0], 0x10000 + i, 0x10000 + i,
					    1, true);
		}
		core_block(guest.core, next);
		assert_int_equal(guest_count(&guest, next, CORE_RING_USER, CORE_STORES),
				 rounds != 0);
		assert_int_equal(guest.counts[CORE_RING_USER][CORE_INSTRUCTIONS], 5);
		core_forget_blocks(guest.core);
		guest_free_block(block);
		guest_free_block(next);
		guest_end(&guest);
	}
}

/* A function that is modified before each call: a machine clear each time, above 100 cycles and
 * counted; data in another line of its page, or in another page, cost nothing. Intel 248966, 'Self-
 * modifying code'. */
static void writes_to_code_clear_the_machine(void **state)
{
	enum { ROUNDS = 100 };
	static const uint8_t store[] = {0x89, 0x07, 0xff, 0xd6};    /* MOV [RDI], EAX; CALL RSI */
	static const uint8_t function[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* MOV EAX, 1; RET */
	static const struct {
		uint64_t offset;
		unsigned clears;
	} rows[] = {{1, ROUNDS - 1}, {512, 0}, {4096, 0}};
	uint64_t cycles[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct code_block *caller, *callee;
		struct guest guest;

		guest_begin(&guest, "skylake");
		caller = guest_block(&guest, store, sizeof(store), 0x400000);
		callee = guest_block(&guest, function, sizeof(function), 0x500000);
		for (unsigned round = 0; round < ROUNDS; round++) {
			core_block(guest.core, caller);
			core_access(guest.core, &caller->insn[0], 0x500000 + rows[i].offset,
				    0x500000 + rows[i].offset, 4, true);
			guest_access(&guest, caller, 1, 0x10000, true);
			core_block(guest.core, callee);
			guest_access(&guest, callee, 1, 0x10000, false);
		}
		cycles[i] = guest_count_at(&guest, 0x400000, CORE_RING_USER, CORE_CYCLES);
		assert_int_equal(guest.counts[CORE_RING_USER][CORE_CLEARS_SMC], rows[i].clears);
		core_forget_blocks(guest.core);
		guest_free_block(caller);
		guest_free_block(callee);
		guest_end(&guest);
	}
	assert_true(cycles[0] > cycles[1] + 100 * ROUNDS);
	assert_true(cycles[2] < cycles[1] + 500);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_repetition_of_none_stores_nothing),
	    cmocka_unit_test(writes_to_code_clear_the_machine),
	    cmocka_unit_test(a_fault_before_an_indirect_jump),
	    cmocka_unit_test(a_fault_before_a_repetition),
	    cmocka_unit_test(what_an_interrupt_writes_is_no_blocks),
	    cmocka_unit_test(a_stop_before_a_system_call),
	    cmocka_unit_test(ring_0_empties_caches_and_tlbs),
	    cmocka_unit_test(a_stop_at_the_start_of_a_loop),
	    cmocka_unit_test(the_visors_instructions_take_time),
	    cmocka_unit_test(what_lies_behind_a_stop_counts_once),
	    cmocka_unit_test(a_ring_waits_for_what_it_began),
	    cmocka_unit_test(a_ring_stops_where_it_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
