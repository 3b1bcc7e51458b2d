/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jumps at the start of functions: the overwritten instructions are executed out of line, in a
 * probe slot. No task can be inside the overwritten instructions when the jump changes. The
 * changing task holds the kernel lock, so no other processor is in such code, and none of these
 * instructions is a call that a sleeping task could return from. An interrupt of this processor may
 * call the function during the change: it finds INT3 until the whole jump is written.
 */
#include <linux/errno.h>
#include "arch/x86/paging/text.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "pmu/core/core.h"
#include "pmu/record/sideband.h"
#include "pmu/record/userpage.h"
#include "trace/probe/base/insn.h"
#include "trace/probe/kernel/jump.h"
#include "trace/probe/kernel/kprobe.h"

#define ENOTSUPP 524 /* of Linux, beyond its errno.h */

static struct probe_jump *jumps; /* that were ever set. Atomic */

struct probe_jump *jump_at(uint64_t address)
{
	struct probe_jump *jump = __atomic_load_n(&jumps, __ATOMIC_ACQUIRE);

	while (jump && jump->function != address)
		jump = jump->next;
	return jump;
}

bool jump_hides(uint64_t address)
{
	for (const struct probe_jump *jump = jumps; jump; jump = jump->next)
		if (address - jump->function - 1 < jump->length - 1u)
			return true;
	return false;
}

void jump_undo(uint8_t *code, uint64_t address, size_t bytes)
{
	for (const struct probe_jump *jump = jumps; jump; jump = jump->next)
		for (unsigned i = 0; jump->on && i < JUMP_BYTES; i++)
			if (jump->function + i - address < bytes)
				code[jump->function + i - address] = jump->code[i];
}

/* ---- the first time ---- */

/* True if an instruction of the function jumps between those below the jump. */
static bool is_led_between(const struct probe_jump *jump)
{
	uint64_t end = jump->function + symbols_size(jump->function);
	struct probe_insn insn;
	uint8_t code[PROBE_INSN_MAX];

	for (uint64_t at = jump->function; at < end; at += insn.length) {
		if (probe_insn_decode(&insn, code, kprobe_original(code, at, sizeof(code))))
			return true; /* unknown: assume so */
		if (at + insn.length + (uint64_t)(int64_t)insn.target - jump->function - 1 <
			jump->length - 1u &&
		    insn.kind != PROBE_PLAIN)
			return true;
	}
	return false;
}

static int prepare(struct probe_jump *jump)
{
	uint8_t bytes[PROBE_SLOT_BYTES], code[PROBE_SLOT_BYTES];
	int err = jump->original ? 0 : kprobe_take_slot(&jump->original);

	if (err)
		return err;
	kprobe_original(bytes, jump->function, sizeof(bytes));
	err = probe_insns_place(bytes, jump->function, jump->original, JUMP_BYTES, code);
	if (err < 0)
		return err;
	jump->length = (uint8_t)err;
	if (is_led_between(jump)) {
		jump->length = 0;
		return -ENOTSUPP;
	}
	memcpy(jump->code, bytes, sizeof(jump->code));
	text_write((void *)jump->original, code, sizeof(code));
	records_text_poke(jump->original, code, 0, code, sizeof(code));
	jump->next = jumps;
	__atomic_store_n(&jumps, jump, __ATOMIC_RELEASE);
	kprobe_meet(jump);
	return 0;
}

/* ---- on and off ---- */

static void write(uint64_t at, const uint8_t *bytes, size_t length)
{
	text_write((void *)at, bytes, length);
	remote_synchronize();
}

/* A probe's INT3 is kept in front of the jump. */
static void patch(const struct probe_jump *jump, const uint8_t to[JUMP_BYTES])
{
	static const uint8_t trap = PROBE_INT3;
	uint8_t before[JUMP_BYTES], after[JUMP_BYTES];

	memcpy(before, (const void *)jump->function, sizeof(before));
	memcpy(after, to, sizeof(after));
	if (before[0] == PROBE_INT3)
		after[0] = PROBE_INT3;
	write(jump->function, &trap, 1);
	write(jump->function + 1, after + 1, JUMP_BYTES - 1);
	write(jump->function, after, 1);
	records_text_poke(jump->function, before, sizeof(before), after, sizeof(after));
}

int jump_set(struct probe_jump *jump, bool on)
{
	uint8_t code[JUMP_BYTES] = {PROBE_JUMP_BYTE};
	int32_t distance = (int32_t)(jump->to - jump->function - JUMP_BYTES);
	int err = jump->length ? 0 : prepare(jump);

	for (unsigned i = 1; !err && on && i < jump->length; i++)
		err = kprobe_is_on(jump->function + i) ? -EBUSY : 0;
	if (err)
		return err;
	memcpy(code + 1, &distance, sizeof(distance));
	__atomic_store_n(&jump->on, on, __ATOMIC_RELAXED);
	patch(jump, on ? code : jump->code);
	return 0;
}
