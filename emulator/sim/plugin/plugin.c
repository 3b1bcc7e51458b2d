/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The QEMU plugin: translation and memory callbacks feed the simulated cores; the visor calls by a
 * marker in its code (abi/core_page.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/component/load.h"
#include "emulator/sim/experiment/options.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/pipeline/block.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/plugin_call.h"
#include "emulator/sim/plugin/plugin_clock.h"
#include "emulator/sim/plugin/plugin_cpu.h"
#include "emulator/sim/plugin/plugin_experiment.h"
#include "emulator/sim/plugin/plugin_floats.h"
#include "emulator/sim/plugin/plugin_profile.h"
#include "emulator/sim/plugin/plugin_state.h"
#include "emulator/sim/plugin/plugin_turns.h"
#include "emulator/sim/plugin/qemu/stop.h"
#include "emulator/sim/plugin/qemu/tb.h"
#include "emulator/sim/profile/options.h"
#include "emulator/sim/profile/profile.h"

#define MAPPED_START 0x700000000000 /* Linux's kernels map libraries from here on */

struct plugin plugin = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what the visor asks ---- */

static uint8_t page_at(void *who, uint64_t vaddr)
{
	return plugin_page_size((unsigned)((struct processor *)who - plugin.processors), vaddr);
}

static struct core *new_core(unsigned index, struct shared_cache *shared)
{
	bool efficient = plugin.words.hybrid && index >= (plugin.nr_processors + 1) / 2;

	return core_new(efficient ? &plugin.words.efficient : &plugin.words.config, shared,
			efficient);
}

/* Writes both names for a machine with two kinds of processors. */
static void name_cores(struct core_page *page)
{
	const char *name = plugin.words.config.name;

	if (plugin.words.hybrid && plugin.nr_processors > 1)
		snprintf(page->name, sizeof(page->name), "%.60s and %.60s", name,
			 plugin.words.efficient.name);
	else
		snprintf(page->name, sizeof(page->name), "%.*s", CORE_NAME_BYTES - 1, name);
}

static void hello(struct core_page *page)
{
	plugin.page = page;
	plugin.ram = (const char *)page - page->page_address;
	plugin_set_ram(plugin.ram);
	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		struct processor *p = &plugin.processors[i];

		p->page = &page->processors[i];
		core_connect(p->core, p->page);
		p->page->geometry.processors = plugin.nr_processors;
	}
	name_cores(page);
	core_name_events(plugin.processors[0].core, page->events);
	page->can_stop = plugin_can_stop();
	plugin.words.held &= plugin.asleep;
	page->held = plugin.words.held;
	page->version = CORE_VERSION;
}

static void on_translation(struct qemu_plugin_tb *tb);

/* Sets whether QEMU calls us for each block that it translates, from the next block on. For the
 * call QEMU first translates each instruction with empty callbacks. */
static void listen(bool on)
{
	static bool listens = true;

	if (listens == on)
		return;
	listens = on;
	qemu_register_translation(plugin.id, on ? on_translation : NULL);
}

/* After the visor's call: while nothing is simulated only the visor's calls matter, and once it is
 * settled their block is translated. */
static void choose_listening(const struct core_page *page)
{
	bool watch = page->processors[0].command == CORE_WATCH || !page->settled;

	if (qemu_way->may_stop_calls && plugin.words.held && !profile_on() && !experiment_on())
		listen(!plugin.asleep || watch);
}

static void wake(unsigned vcpu)
{
	if (!plugin.asleep)
		return;
	plugin.asleep = false;
	plugin_retranslate(vcpu);
}

/* The code that is translated from now on runs unchanged. */
static void rest(void)
{
	if (!plugin.words.held)
		return;
	plugin.program_runs = false;
	plugin.asleep = true;
}

static void on_call(unsigned vcpu, void *user)
{
	struct core_page *page = user;
	struct processor *p = processor(vcpu = current_vcpu(vcpu));

	enter();
	if (qemu_way->runs_guest(vcpu) || (plugin.page && page != plugin.page)) {
		leave();
		return;
	}
	if (page->version != CORE_VERSION)
		hello(page);
	if (p->page && p->page->command == CORE_SYNC) {
		p->inside = false;
		plugin.alone = NULL;
		if (plugin.replay->on)
			replay_leave(plugin.replay, p->page);
		else
			core_sync(p->core);
		plugin_clock_sync(p);
	}
	if (p->page && p->page->command == CORE_WAKE) {
		page->held = false;
		wake(vcpu);
	}
	if (p->page && p->page->command == CORE_REST)
		rest();
	choose_listening(page);
	if (p->page && p->page->command == CORE_CLOCK)
		page->has_clock = plugin.words.core_time && plugin_clock_check(vcpu, page);
	if (p->page && p->page->command == CORE_MOVE)
		plugin_clock_move(vcpu, p->page->move);
	leave();
}

/* ---- translation ---- */

/* Instructions that name memory without an access to it are called before they run. */
static void instrument_touches(struct qemu_plugin_tb *tb, size_t nr)
{
	struct touch_tracker tracker;
	struct touch touch;

	touch_begin(&tracker);
	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (!touch_next(&tracker, qemu_plugin_insn_vaddr(insn), qemu_way->insn_data(insn),
				(unsigned)qemu_plugin_insn_size(insn), &touch))
			continue;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_on_touch,
						       QEMU_PLUGIN_CB_NO_REGS,
						       plugin_keep(&touch, sizeof(touch)));
	}
}

static access_callback *callback_of(const struct code_insn *insn, const uint8_t *bytes)
{
	if (plugin_experiment_traces())
		return plugin_on_traced_access;
	if (plugin_may_be_wide(bytes, insn->length))
		return plugin_on_wide_access;
	return plugin_plain_access(insn);
}

static size_t bytes_of(const struct qemu_plugin_tb *tb, size_t first, size_t nr)
{
	size_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, first + i));
	return bytes;
}

/* enum code_wait of the instruction before the nr-th. */
static enum code_wait wait_of(const struct qemu_plugin_tb *tb, size_t nr)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, nr - 1);

	return code_wait_of(qemu_way->insn_data(insn), qemu_plugin_insn_size(insn));
}

/* A block of nr instructions of QEMU's from `first` on, before the first of which QEMU has counted
 * `counted` that have not run. */
static struct code_block *make_block(struct qemu_plugin_tb *tb, size_t first, size_t nr,
				     size_t counted)
{
	uint8_t *bytes;
	struct code_block *block = plugin_block(nr, bytes_of(tb, first, nr), &bytes);
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first);

	block->start = block->end = qemu_plugin_insn_vaddr(insn);
	block->host = qemu_plugin_insn_haddr(insn);
	block->counted = (uint32_t)counted;
	for (size_t i = 0; i < nr; i++) {
		const uint8_t *data;

		insn = qemu_plugin_tb_get_insn(tb, first + i);
		data = qemu_way->insn_data(insn);
		memcpy(bytes + (block->end - block->start), data, qemu_plugin_insn_size(insn));
		code_append(block, data, qemu_plugin_insn_size(insn));
		plugin_instrument_access(insn, callback_of(&block->insn[i], data), &block->insn[i]);
	}
	block->waits = (uint8_t)wait_of(tb, first + nr);
	if (plugin.page)
		block->physical = physical_of(block->host);
	block->only_runs = plugin.page && !block->touches && !block->effects && !takes_frame(block);
	if (plugin.replay->core)
		replay_code(plugin.replay, block->start, block->physical,
			    block->end - block->start);
	return block;
}

static bool reads_clock(struct qemu_plugin_insn *insn)
{
	return plugin_clock_reads(qemu_way->insn_data(insn), qemu_plugin_insn_size(insn));
}

/* The last instruction, which reads the clock: what was before it is to be done. */
static void instrument_clock(struct qemu_plugin_tb *tb, size_t last)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, last), plugin_on_clock,
					       QEMU_PLUGIN_CB_NO_REGS, make_block(tb, last, 1, 1));
}

static void instrument(struct qemu_plugin_tb *tb, size_t nr)
{
	struct code_block *block;
	size_t counted = nr;

	if (plugin.words.core_time && reads_clock(qemu_plugin_tb_get_insn(tb, nr - 1)))
		instrument_clock(tb, --nr);
	if (!nr)
		return;
	block = make_block(tb, 0, nr, counted);
	if (block->touches)
		instrument_touches(tb, nr);
	plugin_instrument_floats(tb, nr);
	if (experiment_on()) {
		plugin_experiment_translate(tb, nr);
		qemu_plugin_register_vcpu_tb_exec_cb(
		    tb, plugin_on_experiment_block,
		    block->touches ? qemu_way->registers_flag : QEMU_PLUGIN_CB_NO_REGS, block);
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(
	    tb, block->only_runs ? plugin_on_block : plugin_on_any_block,
	    block->touches ? qemu_way->registers_flag : QEMU_PLUGIN_CB_NO_REGS, block);
}

/* After a kernel's code, in the upper half of addresses, a program's own is the first so low; the
 * dynamic linker is above. Code at its physical address is a kernel's start. */
static void look_for_program(const struct qemu_plugin_tb *tb)
{
	const void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t start = qemu_plugin_tb_vaddr(tb);

	plugin.kernel_runs |= start >> 63;
	plugin.program_runs |= plugin.kernel_runs && start < MAPPED_START &&
			       start != physical_of(host) && !is_visors(host);
}

static void translate(struct qemu_plugin_tb *tb, size_t nr)
{
	struct core_page *page;

	if (!plugin.program_runs && !(plugin.asleep && plugin.words.held))
		look_for_program(tb);
	/* A program's code before its first counter is simulated as well: it warms the caches.
	 */
	if (plugin.program_runs && plugin.asleep)
		wake(0);
	page = plugin.words.has_core ? plugin_call_page(tb, plugin.page) : NULL;
	if (page)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_call, qemu_way->registers_flag, page);
	else if (plugin.words.has_core && !plugin.asleep &&
		 !is_visors(qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0))))
		instrument(tb, nr);
	else if (plugin.words.turn)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, plugin_on_hidden_block,
						     QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(nr * HIDDEN_ONE + wait_of(tb, nr)));
}

static void on_translation(struct qemu_plugin_tb *tb)
{
	size_t nr = plugin_tb_insns(tb);

	if (!nr)
		return;
	if ((plugin.words.has_core || profile_on()) && qemu_way->translating)
		qemu_way->translating(qemu_plugin_tb_vaddr(tb));
	plugin_profile_before(tb);
	translate(tb, nr);
	plugin_profile_after(tb, nr);
}

static void on_flush(void)
{
	enter();
	if (plugin.replay->core)
		replay_feed(plugin.replay);
	for (unsigned i = 0; i < plugin.nr_processors; i++)
		core_forget_blocks(plugin.processors[i].core);
	leave();
	listen(true);
	plugin_blocks_flushed();
}

/* ---- start ---- */

/* Keeps the replay log only for a single processor that starts unsimulated: only then all of its
 * code was translated after the visor was known. */
static bool keep_replay_log(void)
{
	static struct replay none;

	plugin.replay = &none;
	if (!plugin.asleep || plugin.words.threads || plugin.words.turn ||
	    !plugin.words.config.replay || experiment_on())
		return true;
	plugin.replay = replay_new(plugin.words.config.replay, plugin.processors[0].core, page_at,
				   &plugin.processors[0]);
	return plugin.replay;
}

/* Decodes QEMU's access descriptors once instead of at each access. */
static void learn_infos(void)
{
	for (unsigned i = 0; i < INFO_OF_SIZE; i++) {
		plugin.shifts[i] = (uint8_t)qemu_plugin_mem_size_shift(i);
		plugin.sizes[i] = (uint8_t)(1u << plugin.shifts[i]);
	}
	for (unsigned bit = 0; bit < 32; bit++)
		if (qemu_plugin_mem_is_store(1u << bit))
			plugin.store |= 1u << bit;
		else if (qemu_plugin_mem_size_shift(1u << bit) == 1)
			plugin.size_unit = 1u << bit;
}

/* Chooses the way to this QEMU; returns false after a message if there is none. */
static bool find_way(qemu_plugin_id_t id, int api)
{
	if (!qemu_choose_way(api)) {
		fprintf(stderr, "core: QEMU's plugin interface %d is too new\n", api);
		return false;
	}
	qemu_way->setup();
	qemu_register_processors(id);
	plugin_stop_setup();
	plugin_cpu_setup();
	if (plugin.words.qemu)
		plugin_clock_setup(plugin.words.qemu);
	if (plugin.words.turn && !(plugin_can_end_turn() && qemu_way->knows_current())) {
		fprintf(stderr, "core: processors cannot take turns in this QEMU: --parallel\n");
		return false;
	}
	return true;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct shared_cache *shared;

	component_search_beside(&plugin);
	plugin.id = id;
	if (!info->system_emulation || !plugin_words_parse(&plugin.words, argc, argv))
		return -1;
	if (!find_way(id, info->version.cur))
		return -1;
	plugin.nr_processors = (unsigned)info->system.max_vcpus;
	if (plugin.nr_processors > CORE_PROCESSORS)
		plugin.nr_processors = CORE_PROCESSORS;
	if (!plugin_profile_setup())
		return -1;
	qemu_register_translation(id, on_translation);
	if (!plugin.words.has_core)
		return 0;
	component_catch_crashes();
	learn_infos();
	/* Only with a single processor: processors that share a cache or take turns depend on each
	 * other. */
	plugin.asleep =
	    plugin.nr_processors == 1 && plugin_can_retranslate() && !profile_options.own;
	shared = shared_cache_new(&plugin.words.config);
	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		plugin.processors[i].core = new_core(i, shared);
		if (!plugin.processors[i].core)
			return -1;
		core_set_page_query(plugin.processors[i].core, page_at, &plugin.processors[i]);
		plugin_trace_state(&plugin.processors[i]);
	}
	/* Turns of a recorded boot do not depend on its core. */
	if (plugin.words.turn && !profile_options.own)
		plugin_turns_setup(shared);
	qemu_register_flush(id, on_flush);
	return plugin_experiment_setup() && keep_replay_log() ? 0 : -1;
}
