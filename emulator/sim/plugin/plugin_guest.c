/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the guest's blocks and accesses to the cores, or to the replay log. */
#include "emulator/sim/plugin/plugin_state.h"

#include <string.h>

#include "emulator/sim/cpu/quick.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/plugin_clock.h"
#include "emulator/sim/plugin/plugin_cpu.h"
#include "emulator/sim/plugin/plugin_profile.h"
#include "emulator/sim/plugin/plugin_turns.h"
#include "emulator/sim/plugin/qemu/stop.h"

#define WORD_SHIFT 3 /* 8 bytes */

static inline void plugin_guest_stop(struct processor *p, unsigned vcpu)
{
	if (!plugin_profile_overflow(p) && plugin_stop(vcpu))
		p->page->stops++;
}

/* Callback for a block of the visor. */
void plugin_on_hidden_block(unsigned vcpu, void *user)
{
	uintptr_t words = (uintptr_t)user;

	vcpu = current_vcpu(vcpu);
	plugin_turn_hidden(processor(vcpu), vcpu, (unsigned)(words / HIDDEN_ONE),
			   (enum code_wait)(words % HIDDEN_ONE));
}

/* Guest entry: decides whether events go to the core at once or to the replay log. */
static void enter_guest(struct processor *p)
{
	p->inside = true;
	if (!plugin.replay->core)
		return;
	if (core_requests_nothing(p->page))
		replay_enter(plugin.replay, p->page);
	else
		replay_feed(plugin.replay);
}

/* Slow path: the block's physical address is unknown, or it needs extra work. */
static __attribute__((noinline)) void begin_block(unsigned vcpu, struct code_block *block)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	bool entered;

	if (plugin.moves && p->page && !is_visors(block->host))
		plugin_turn_block(p, vcpu, block);
	else if (plugin.words.turn)
		plugin_turn_hidden(p, vcpu, block->nr, block->waits);
	if (!p->page || is_visors(block->host))
		return;
	enter();
	entered = !p->inside;
	if (entered)
		enter_guest(p);
	plugin.alone = plugin.nr_processors > 1 || plugin.replay->on ? NULL : p->core;
	p->frame_loads = 0;
	block->physical = physical_of(block->host);
	if (block->touches)
		p->knows_registers = qemu_way->registers(vcpu, block->start, p->registers);
	if (plugin.replay->on)
		replay_block_slow(plugin.replay, block);
	else if (core_block(p->core, block))
		plugin_guest_stop(p, vcpu);
	if (entered)
		plugin_clock_enter(p, vcpu, block);
	else
		plugin_clock_block(p, vcpu, block);
	leave();
}

/* Callback for a block that only runs, with a known physical address. */
void plugin_on_block(unsigned vcpu, void *user)
{
	struct processor *p = &plugin.processors[0];
	struct core *core = plugin.alone;
	enum core_answer answer;

	if (!core) {
		if (!replay_block(plugin.replay, user))
			begin_block(vcpu, user);
		return;
	}
	answer = core_block_quick(core, user);
	if (answer != CORE_GOES_ON && (answer == CORE_STOPS || core_block(core, user)))
		plugin_guest_stop(p, vcpu);
	plugin_clock_block(p, vcpu, user);
}

/* Any block. */
void plugin_on_any_block(unsigned vcpu, void *user)
{
	if (((const struct code_block *)user)->only_runs)
		plugin_on_block(vcpu, user);
	else
		begin_block(vcpu, user);
}

/* Ring 3 looks at the clock: from now on it follows the cores, from each guest's next entry on. */
static void note_look(void)
{
	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		plugin.processors[i].page->looked = true;
		if (plugin.processors[i].inside)
			plugin_guest_stop(&plugin.processors[i], i);
	}
}

void plugin_on_clock(unsigned vcpu, void *user)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	const struct code_block *block = user;

	plugin_on_any_block(vcpu, user);
	if (!p->page || is_visors(block->host))
		return;
	if (p->clock.on)
		plugin_clock_read(p, vcpu);
	if (!(block->start >> 63))
		core_look_at_clock(p->core);
	if (plugin.page->has_clock && plugin.program_runs && !p->page->looked &&
	    !(block->start >> 63))
		note_look();
}

/* IRET and far RET take the address first, then the code segment. */
static void look_at_frame(struct processor *p, uint64_t paddr)
{
	uint16_t selector;

	if (++p->frame_loads != 2 || !plugin_in_ram(plugin.ram + paddr))
		return;
	memcpy(&selector, plugin.ram + paddr, sizeof(selector));
	if (plugin.replay->on)
		replay_frame_selector(plugin.replay, selector);
	else
		core_frame_selector(p->core, selector);
}

static __attribute__((noinline)) void query(unsigned vcpu, qemu_plugin_meminfo_t info,
					    uint64_t vaddr, const struct code_insn *insn,
					    bool store)
{
	struct processor *p = processor(vcpu);
	const struct qemu_plugin_hwaddr *where;
	uint64_t paddr;

	where = qemu_plugin_get_hwaddr(info, vaddr);
	if (!where)
		return;
	if (qemu_plugin_hwaddr_is_io(where)) {
		core_device_access(p->core, insn);
		return;
	}
	paddr = qemu_plugin_hwaddr_phys_addr(where);
	if (insn->kind == CODE_FAR_FRAME && !store)
		look_at_frame(p, paddr);
	if (core_access(p->core, insn, vaddr, paddr, 1u << qemu_plugin_mem_size_shift(info), store))
		plugin_guest_stop(p, vcpu);
}

/* Appends an access to the log whose physical address must be looked up. */
static void record_queried(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
			   const struct code_insn *insn, bool store)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t paddr;

	if (!where)
		return;
	if (qemu_plugin_hwaddr_is_io(where)) {
		replay_device_access(plugin.replay, insn);
		return;
	}
	paddr = qemu_plugin_hwaddr_phys_addr(where);
	if (insn->kind == CODE_FAR_FRAME && !store)
		look_at_frame(processor(vcpu), paddr);
	if (!replay_knows(plugin.replay, vaddr))
		replay_place(plugin.replay, vaddr, paddr);
	replay_access_slow(plugin.replay, insn, vaddr, plugin.shifts[info % INFO_OF_SIZE], store);
}

static __attribute__((noinline)) void put_down(unsigned vcpu, qemu_plugin_meminfo_t info,
					       uint64_t vaddr, const struct code_insn *insn)
{
	bool store = info & plugin.store;

	if (insn->wants_physical || !replay_knows(plugin.replay, vaddr))
		record_queried(vcpu, info, vaddr, insn, store);
	else
		replay_access_slow(plugin.replay, insn, vaddr, plugin.shifts[info % INFO_OF_SIZE],
				   store);
}

static inline void pass_access(struct processor *p, unsigned vcpu, qemu_plugin_meminfo_t info,
			       uint64_t vaddr, const struct code_insn *insn)
{
	bool store = info & plugin.store;
	enum core_answer answer =
	    core_access_known(p->core, insn, vaddr, plugin.sizes[info % INFO_OF_SIZE], store);

	if (answer == CORE_ASKS)
		query(vcpu, info, vaddr, insn, store);
	else if (answer == CORE_STOPS)
		plugin_guest_stop(p, vcpu);
}

static __attribute__((noinline)) void look_at_access(unsigned vcpu, qemu_plugin_meminfo_t info,
						     uint64_t vaddr, const struct code_insn *insn)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));

	if (!p->inside)
		return;
	if (plugin.replay->on) {
		put_down(vcpu, info, vaddr, insn);
		return;
	}
	enter();
	pass_access(p, vcpu, info, vaddr, insn);
	leave();
	if (insn->locked)
		plugin_turn_locked(p, vcpu, vaddr);
	else if (info & plugin.store)
		plugin_turn_stored(p, vaddr);
}

/* Callback of an instruction that needs the physical address of each access. */
void plugin_on_queried_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	look_at_access(vcpu, info, vaddr, user);
}

static inline bool is_put_down(qemu_plugin_meminfo_t info, uint64_t vaddr,
			       const struct code_insn *insn)
{
	return replay_access(plugin.replay, insn, vaddr, plugin.shifts[info % INFO_OF_SIZE],
			     info & plugin.store);
}

void plugin_on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (plugin.alone)
		pass_access(plugin.processors, vcpu, info, vaddr, user);
	else if (!is_put_down(info, vaddr, user))
		look_at_access(vcpu, info, vaddr, user);
}

/* An interrupt's delivery may store by an instruction that only loads. */
static inline bool takes_quickly(qemu_plugin_meminfo_t info, uint64_t vaddr,
				 const struct code_insn *insn, bool store)
{
	return plugin.alone && !(info & plugin.store) == !store &&
	       core_access_quick(plugin.alone, insn, vaddr, plugin.sizes[info % INFO_OF_SIZE],
				 store);
}

/* Callback of an instruction that only loads or only stores. */
void plugin_on_load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (!takes_quickly(info, vaddr, user, false))
		plugin_on_access(vcpu, info, vaddr, user);
}

void plugin_on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (!takes_quickly(info, vaddr, user, true))
		plugin_on_access(vcpu, info, vaddr, user);
}

access_callback *plugin_plain_access(const struct code_insn *insn)
{
	if (insn->wants_physical)
		return plugin_on_queried_access;
	if (insn->loads == insn->stores)
		return plugin_on_access;
	return insn->loads ? plugin_on_load : plugin_on_store;
}

void plugin_on_wide_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	access_callback *plain = plugin_plain_access(user);
	unsigned shift = plugin.shifts[info % INFO_OF_SIZE];

	if (shift <= WORD_SHIFT) {
		plain(vcpu, info, vaddr, user);
		return;
	}
	info -= (shift - WORD_SHIFT) * plugin.size_unit;
	for (unsigned at = 0; at < 1u << shift; at += 1u << WORD_SHIFT)
		plain(vcpu, info, vaddr + at, user);
}

void plugin_on_touch(unsigned vcpu, void *user)
{
	const struct touch *touch = user;
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	uint64_t vaddr, physical = 0;

	if (!p->inside || !p->knows_registers)
		return;
	vaddr = touch_address(touch, p->registers);
	enter();
	if (plugin.replay->on) {
		if (touch->kind == TOUCH_PAGE || plugin_physical(vcpu, vaddr, &physical))
			replay_touch(plugin.replay, touch->kind, vaddr, physical);
	} else if (touch->kind == TOUCH_PAGE || core_physical(p->core, vaddr, &physical) ||
		   plugin_physical(vcpu, vaddr, &physical))
		core_touch(p->core, touch->kind, vaddr, physical);
	leave();
}
