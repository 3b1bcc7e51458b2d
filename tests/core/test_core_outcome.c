/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of a block: what retired, in which ring, and when the guest is to stop. */
#include "tests/core/fake_guest.h"

#define KERNEL 0xffffffff81000000

/* MOV [RDI], RAX; ADD RAX, RAX; INC RCX; JMP RDX */
static const uint8_t store_and_jump[] = {0x48, 0x89, 0x07, 0x48, 0x01,
					 0xc0, 0xff, 0xc1, 0xff, 0xe2};
static const uint8_t nops[] = {0x90, 0x90, 0x90, 0x90};
static const uint8_t enter[] = {0x0f, 0x05};       /* SYSCALL */
static const uint8_t leave[] = {0x48, 0x0f, 0x07}; /* SYSRET */

/* A store that faults before an indirect jump: nothing of the block has retired, whatever the jump
 * might lead to; the second time all of it has. */
static void a_fault_before_an_indirect_jump(void **state)
{
	struct code_block *block, *handler;
	struct guest guest;

	(void)state;
	guest_begin(&guest, "skylake");
	block = guest_block(&guest, store_and_jump, sizeof(store_and_jump), 0x400000);
	handler = guest_block(&guest, nops, sizeof(nops), KERNEL);
	core_block(guest.core, block);
	core_block(guest.core, handler);
	assert_int_equal(guest_count(&guest, handler, CORE_RING_USER, CORE_INSTRUCTIONS), 0);
	assert_int_equal(guest_count(&guest, handler, CORE_RING_USER, CORE_BRANCHES), 0);
	core_block(guest.core, block);
	guest_access(&guest, block, 0, 0x10000, true);
	assert_int_equal(guest_count(&guest, handler, CORE_RING_USER, CORE_INSTRUCTIONS), 4);
	assert_int_equal(guest_count(&guest, handler, CORE_RING_USER, CORE_BRANCHES), 1);
	guest_free_block(block);
	guest_free_block(handler);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_fault_before_an_indirect_jump),
	    cmocka_unit_test(a_ring_stops_where_it_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
