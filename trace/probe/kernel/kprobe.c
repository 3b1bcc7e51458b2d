/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in the kernel. The byte at a probe is INT3; after a hit, execution continues in a slot
 * that has the instruction and a jump back. An address keeps its slot permanently, so removing a
 * probe is safe while a task is in the slot. Probes are not allowed in code that handles a hit
 * itself, nor where the data of a hit is half updated: linker.ld puts that code before
 * unprobed_end. A hit in an NMI, or during another hit, is dropped.
 */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/text.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/string.h"
#include "kernel/base/symbols.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/record/sideband.h"
#include "pmu/record/userpage.h"
#include "trace/probe/base/insn.h"
#include "trace/probe/kernel/jump.h"
#include "trace/probe/kernel/kprobe.h"
#include "trace/probe/kernel/kreturns.h"

#define ENOTSUPP  524 /* of Linux, beyond its errno.h */
#define HASH_BITS 8

extern const char unprobed_end[]; /* linker.ld */

struct kprobe {
	uint64_t address;
	struct probe_insn insn;
	const struct probe_jump *jump; /* that is there, too, or was; NULL: none */
	struct kprobe *next;           /* of the same hash. Atomic */
	struct kprobe_user *users;     /* atomic; NULL: the instruction is there */
};

/* By slot; the first slot is the return trampoline. Entries are permanent. */
static struct kprobe probes[PROBE_SLOTS];
static unsigned used = 1;
static struct kprobe *by_address[1 << HASH_BITS]; /* atomic */
static bool telling[MAX_CPUS];                    /* a hit is being reported on that processor */

static unsigned hash(uint64_t address)
{
	return (unsigned)(address * 0x9e3779b97f4a7c15ul >> (64 - HASH_BITS));
}

static struct kprobe *find(uint64_t address)
{
	struct kprobe *probe = __atomic_load_n(&by_address[hash(address)], __ATOMIC_ACQUIRE);

	while (probe && probe->address != address)
		probe = __atomic_load_n(&probe->next, __ATOMIC_ACQUIRE);
	return probe;
}

static uint64_t slot_of(const struct kprobe *probe)
{
	return (uint64_t)probe_slots + (uint64_t)(probe - probes) * PROBE_SLOT_BYTES;
}

/* ---- hits ---- */

void kprobe_emit(const struct kprobe *probe, struct frame *frame, bool returns)
{
	struct kprobe_user *user = __atomic_load_n(&probe->users, __ATOMIC_ACQUIRE);

	for (; user; user = __atomic_load_n(&user->next, __ATOMIC_ACQUIRE))
		if (user->returns == returns)
			user->hit(user, frame, probe->address);
}

static bool wants_returns(const struct kprobe *probe)
{
	const struct kprobe_user *user = __atomic_load_n(&probe->users, __ATOMIC_ACQUIRE);

	while (user && !user->returns)
		user = __atomic_load_n(&user->next, __ATOMIC_ACQUIRE);
	return user != NULL;
}

static void hit(struct kprobe *probe, struct frame *frame)
{
	bool *here = &telling[this_cpu_read(id)];

	frame->rip = probe->address;
	if (!this_cpu_read(nmi_depth) && !*here) {
		*here = true;
		kprobe_emit(probe, frame, false);
		if (wants_returns(probe))
			kreturns_push(probe, frame, (uint64_t)probe_slots);
		*here = false;
	}
	frame->rip = probe->jump ? jump_way(probe->jump) : slot_of(probe);
}

/* True while a jump is being written or removed. */
static bool is_patched(struct frame *frame, uint64_t address)
{
	const struct probe_jump *jump = jump_at(address);

	if (jump)
		frame->rip = jump_way(jump);
	return jump != NULL;
}

static bool breakpoint(struct frame *frame)
{
	uint64_t address = frame->rip - 1;
	bool *here = &telling[this_cpu_read(id)], nested = *here;
	struct kprobe *probe;

	if (address == (uint64_t)probe_slots) {
		*here = true;
		kreturns_hit(frame, !nested);
		*here = nested;
		return true;
	}
	probe = find(address);
	if (probe)
		hit(probe, frame);
	return probe || is_patched(frame, address);
}

/* ---- where there may be one ---- */

size_t kprobe_original(uint8_t *to, uint64_t address, size_t bytes)
{
	size_t got = symbols_code(to, address, bytes);

	jump_undo(to, address, got);
	for (size_t i = 0; i < got; i++) {
		const struct kprobe *probe = to[i] == PROBE_INT3 ? find(address + i) : NULL;

		if (probe)
			to[i] = probe->insn.bytes[0];
	}
	return got;
}

/* Decodes the function's instruction at the address, if one starts there, from `start`. */
static int decode(uint64_t address, uint64_t start, struct probe_insn *insn)
{
	uint8_t code[PROBE_INSN_MAX];
	int err;

	for (uint64_t at = start; at <= address; at += insn->length) {
		err = probe_insn_decode(insn, code, kprobe_original(code, at, sizeof(code)));
		if (err || at == address)
			return err ? -ENOTSUPP : 0;
	}
	return -EILSEQ;
}

static int check(uint64_t address, struct probe_insn *insn)
{
	uint64_t offset;

	if (!symbols_find(address, &offset))
		return -ENOENT;
	if (address < (uint64_t)unprobed_end || traps_may_fault(address))
		return -EINVAL;
	if (jump_hides(address))
		return -EILSEQ;
	return decode(address, address - offset, insn);
}

int kprobe_check(uint64_t address)
{
	struct probe_insn insn = {0};

	return check(address, &insn);
}

/* ---- users ---- */

/* Makes all processors see the changed code and finish the hits that are being reported. */
static void synchronize(void)
{
	remote_synchronize();
}

static void patch(const struct kprobe *probe, bool on)
{
	static const uint8_t breakpoint_byte = PROBE_INT3, jump_byte = PROBE_JUMP_BYTE;
	const bool jumps = probe->jump && probe->jump->on;
	const uint8_t *off = jumps ? &jump_byte : &probe->insn.bytes[0];
	const uint8_t *byte = on ? &breakpoint_byte : off;

	text_write((void *)probe->address, byte, 1);
	synchronize();
	records_text_poke(probe->address, on ? off : &breakpoint_byte, 1, byte, 1);
}

/* Makes a probe with a slot: 0 or a negative errno. */
static int place_new(uint64_t address, struct kprobe **made)
{
	struct kprobe *probe = &probes[used];
	uint8_t code[PROBE_SLOT_BYTES];
	int err;

	if (used == PROBE_SLOTS)
		return -ENOSPC;
	err = check(address, &probe->insn);
	if (!err)
		err = probe_insn_place(&probe->insn, address, slot_of(probe), code);
	if (err)
		return err;
	text_write((void *)slot_of(probe), code, sizeof(code));
	records_text_poke(slot_of(probe), code, 0, code, sizeof(code));
	used++;
	probe->address = address;
	probe->jump = jump_at(address);
	probe->next = by_address[hash(address)];
	__atomic_store_n(&by_address[hash(address)], probe, __ATOMIC_RELEASE);
	trap_hooks.breakpoint = breakpoint;
	*made = probe;
	return 0;
}

static int add(struct kprobe_user *user, uint64_t address)
{
	struct kprobe *probe = find(address);
	struct kprobe_user **end;
	int err = probe ? 0 : place_new(address, &probe);
	bool first;

	if (err)
		return err;
	first = !probe->users;
	user->probe = probe;
	user->next = NULL;
	for (end = &probe->users; *end; end = &(*end)->next)
		;
	__atomic_store_n(end, user, __ATOMIC_RELEASE);
	if (first)
		patch(probe, true);
	return 0;
}

int kprobe_add(struct kprobe_user *user, uint64_t address)
{
	int err = kprobe_check(address);

	return err ? err : add(user, address);
}

void kprobe_remove(struct kprobe_user *user)
{
	struct kprobe *probe = user->probe;
	struct kprobe_user **link = &probe->users;

	while (*link != user)
		link = &(*link)->next;
	__atomic_store_n(link, user->next, __ATOMIC_RELEASE);
	if (!probe->users)
		patch(probe, false);
	else
		synchronize();
}

/* ---- jumps ---- */

int kprobe_take_slot(uint64_t *slot)
{
	if (used == PROBE_SLOTS)
		return -ENOSPC;
	*slot = slot_of(&probes[used++]);
	return 0;
}

bool kprobe_is_on(uint64_t address)
{
	const struct kprobe *probe = find(address);

	return probe && probe->users;
}

void kprobe_meet(const struct probe_jump *jump)
{
	struct kprobe *probe = find(jump->function);

	trap_hooks.breakpoint = breakpoint;
	if (probe)
		__atomic_store_n(&probe->jump, jump, __ATOMIC_RELEASE);
}
