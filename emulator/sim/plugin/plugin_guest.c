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
	if (!border_profile_overflow(p) && border_stop(vcpu))
		p->page->stops++;
}

/* Callback for a block of the visor. */
void border_on_hidden_block(unsigned vcpu, void *user)
{
	uintptr_t words = (uintptr_t)user;

	vcpu = current_vcpu(vcpu);
	border_turn_hidden(processor(vcpu), vcpu, (unsigned)(words / HIDDEN_ONE),
			   (enum code_wait)(words % HIDDEN_ONE));
}

/* Guest entry: decides whether events go to the core at once or to the replay log. */
static void enter_guest(struct processor *p)
{
	p->inside = true;
	if (!border.backlog->core)
		return;
	if (core_asks_nothing(p->page))
		backlog_enter(border.backlog, p->page);
	else
		backlog_tell(border.backlog);
}

/* Slow path: the block's physical address is unknown, or it needs extra work. */
static __attribute__((noinline)) void begin_block(unsigned vcpu, struct code_block *block)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	bool entered;

	if (border.words.turn && p->page && !is_visors(block->host))
		border_turn_block(p, vcpu, block);
	else if (border.words.turn)
		border_turn_hidden(p, vcpu, block->nr, block->waits);
	if (!p->page || is_visors(block->host))
		return;
	enter();
	entered = !p->inside;
	if (entered)
		enter_guest(p);
	border.alone = border.nr_processors > 1 || border.backlog->on ? NULL : p->core;
	p->frame_loads = 0;
	block->physical = physical_of(block->host);
	if (block->touches)
		p->knows_registers = qemu_way->registers(vcpu, block->start, p->registers);
	if (border.backlog->on)
		backlog_block_slow(border.backlog, block);
	else if (core_block(p->core, block))
		plugin_guest_stop(p, vcpu);
	if (entered)
		border_clock_enter(p, vcpu, block);
	else
		border_clock_block(p, vcpu, block);
	leave();
}

/* Callback for a block that only runs, with a known physical address. */
void border_on_block(unsigned vcpu, void *user)
{
	struct processor *p = &border.processors[0];
	struct core *core = border.alone;
	enum core_answer answer;

	if (!core) {
		if (!backlog_block(border.backlog, user))
			begin_block(vcpu, user);
		return;
	}
	answer = core_block_quick(core, user);
	if (answer != CORE_GOES_ON && (answer == CORE_STOPS || core_block(core, user)))
		plugin_guest_stop(p, vcpu);
	border_clock_block(p, vcpu, user);
}

/* Any block. */
void border_on_any_block(unsigned vcpu, void *user)
{
	if (((const struct code_block *)user)->only_runs)
		border_on_block(vcpu, user);
	else
		begin_block(vcpu, user);
}

/* Ring 3 looks at the clock: from now on it follows the cores, from each guest's next entry on. */
static void note_look(void)
{
	for (unsigned i = 0; i < border.nr_processors; i++) {
		border.processors[i].page->looked = true;
		if (border.processors[i].inside)
			plugin_guest_stop(&border.processors[i], i);
	}
}

void border_on_clock(unsigned vcpu, void *user)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	const struct code_block *block = user;

	border_on_any_block(vcpu, user);
	if (!p->page || is_visors(block->host))
		return;
	if (p->clock.on)
		border_clock_read(p, vcpu);
	if (!(block->start >> 63))
		core_look_at_clock(p->core);
	if (border.page->has_clock && border.program_runs && !p->page->looked &&
	    !(block->start >> 63))
		note_look();
}

/* IRET and far RET take the address first, then the code segment. */
static void look_at_frame(struct processor *p, uint64_t paddr)
{
	uint16_t selector;

	if (++p->frame_loads != 2 || !border_in_ram(border.ram + paddr))
		return;
	memcpy(&selector, border.ram + paddr, sizeof(selector));
	if (border.backlog->on)
		backlog_frame_selector(border.backlog, selector);
	else
		core_frame_selector(p->core, selector);
}

static __attribute__((noinline)) void ask(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
					  const struct code_insn *insn, bool store)
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
static void put_down_asking(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
			    const struct code_insn *insn, bool store)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t paddr;

	if (!where)
		return;
	if (qemu_plugin_hwaddr_is_io(where)) {
		backlog_device_access(border.backlog, insn);
		return;
	}
	paddr = qemu_plugin_hwaddr_phys_addr(where);
	if (insn->kind == CODE_FAR_FRAME && !store)
		look_at_frame(processor(vcpu), paddr);
	if (!backlog_knows(border.backlog, vaddr))
		backlog_place(border.backlog, vaddr, paddr);
	backlog_access_slow(border.backlog, insn, vaddr, border.shifts[info % INFO_OF_SIZE], store);
}

static __attribute__((noinline)) void put_down(unsigned vcpu, qemu_plugin_meminfo_t info,
					       uint64_t vaddr, const struct code_insn *insn)
{
	bool store = info & border.store;

	if (insn->asks || !backlog_knows(border.backlog, vaddr))
		put_down_asking(vcpu, info, vaddr, insn, store);
	else
		backlog_access_slow(border.backlog, insn, vaddr, border.shifts[info % INFO_OF_SIZE],
				    store);
}

static __attribute__((noinline)) void look_at_access(unsigned vcpu, qemu_plugin_meminfo_t info,
						     uint64_t vaddr, const struct code_insn *insn)
{
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	bool store = info & border.store;
	enum core_answer answer;

	if (!p->inside)
		return;
	if (border.backlog->on) {
		put_down(vcpu, info, vaddr, insn);
		return;
	}
	enter();
	answer = core_access_known(p->core, insn, vaddr, border.sizes[info % INFO_OF_SIZE], store);
	if (answer == CORE_ASKS)
		ask(vcpu, info, vaddr, insn, store);
	else if (answer == CORE_STOPS)
		plugin_guest_stop(p, vcpu);
	leave();
	if (insn->locked)
		border_turn_locked(p, vcpu, vaddr);
	else if (store)
		border_turn_stored(p, vaddr);
}

/* Callback of an instruction that needs the physical address of each access. */
void border_on_asking_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	look_at_access(vcpu, info, vaddr, user);
}

static inline bool is_put_down(qemu_plugin_meminfo_t info, uint64_t vaddr,
			       const struct code_insn *insn)
{
	return backlog_access(border.backlog, insn, vaddr, border.shifts[info % INFO_OF_SIZE],
			      info & border.store);
}

void border_on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	struct core *core = border.alone;

	if (core ? !core_access_plain(core, user, vaddr, border.sizes[info % INFO_OF_SIZE],
				      info & border.store)
		 : !is_put_down(info, vaddr, user))
		look_at_access(vcpu, info, vaddr, user);
}

/* An interrupt's delivery may store by an instruction that only loads. */
static inline bool takes_quickly(qemu_plugin_meminfo_t info, uint64_t vaddr,
				 const struct code_insn *insn, bool store)
{
	return border.alone && !(info & border.store) == !store &&
	       core_access_quick(border.alone, insn, vaddr, border.sizes[info % INFO_OF_SIZE],
				 store);
}

/* Callback of an instruction that only loads or only stores. */
void border_on_load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (!takes_quickly(info, vaddr, user, false))
		border_on_access(vcpu, info, vaddr, user);
}

void border_on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (!takes_quickly(info, vaddr, user, true))
		border_on_access(vcpu, info, vaddr, user);
}

void border_on_wide_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	access_callback *plain =
	    ((const struct code_insn *)user)->asks ? border_on_asking_access : border_on_access;
	unsigned shift = border.shifts[info % INFO_OF_SIZE];

	if (shift <= WORD_SHIFT) {
		plain(vcpu, info, vaddr, user);
		return;
	}
	info -= (shift - WORD_SHIFT) * border.size_unit;
	for (unsigned at = 0; at < 1u << shift; at += 1u << WORD_SHIFT)
		plain(vcpu, info, vaddr + at, user);
}

void border_on_touch(unsigned vcpu, void *user)
{
	const struct touch *touch = user;
	struct processor *p = processor(vcpu = current_vcpu(vcpu));
	uint64_t vaddr, physical = 0;

	if (!p->inside || !p->knows_registers)
		return;
	vaddr = touch_address(touch, p->registers);
	enter();
	if (border.backlog->on) {
		if (touch->kind == TOUCH_PAGE || border_physical(vcpu, vaddr, &physical))
			backlog_touch(border.backlog, touch->kind, vaddr, physical);
	} else if (touch->kind == TOUCH_PAGE || core_physical(p->core, vaddr, &physical) ||
		   border_physical(vcpu, vaddr, &physical))
		core_touch(p->core, touch->kind, vaddr, physical);
	leave();
}
