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
#include "emulator/sim/plugin/plugin_profile.h"
#include "emulator/sim/plugin/plugin_state.h"
#include "emulator/sim/plugin/plugin_turns.h"
#include "emulator/sim/plugin/qemu/stop.h"
#include "emulator/sim/plugin/qemu/tb.h"
#include "emulator/sim/profile/options.h"
#include "emulator/sim/profile/profile.h"

#define MAPPED_START 0x700000000000 /* Linux's kernels map libraries from here on */

struct border border = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what the visor asks ---- */

static uint8_t page_at(void *who, uint64_t vaddr)
{
	return border_page_size((unsigned)((struct processor *)who - border.processors), vaddr);
}

static struct core *new_core(unsigned index, struct shared_cache *shared)
{
	bool efficient = border.words.hybrid && index >= (border.nr_processors + 1) / 2;

	return core_new(efficient ? &border.words.efficient : &border.words.config, shared,
			efficient);
}

/* Writes both names for a machine with two kinds of processors. */
static void name_cores(struct core_page *page)
{
	const char *name = border.words.config.name;

	if (border.words.hybrid && border.nr_processors > 1)
		snprintf(page->name, sizeof(page->name), "%.60s and %.60s", name,
			 border.words.efficient.name);
	else
		snprintf(page->name, sizeof(page->name), "%.*s", CORE_NAME_BYTES - 1, name);
}

static void hello(struct core_page *page)
{
	border.page = page;
	border.ram = (const char *)page - page->page_address;
	border_set_ram(border.ram);
	for (unsigned i = 0; i < border.nr_processors; i++) {
		struct processor *p = &border.processors[i];

		p->page = &page->processors[i];
		core_connect(p->core, p->page);
		p->page->geometry.processors = border.nr_processors;
	}
	name_cores(page);
	page->can_stop = border_can_stop();
	border.words.held &= border.asleep;
	page->held = border.words.held;
	page->version = CORE_VERSION;
}

static void wake(unsigned vcpu)
{
	if (!border.asleep)
		return;
	border.asleep = false;
	border_retranslate(vcpu);
}

/* The code that is translated from now on runs unchanged. */
static void rest(void)
{
	if (!border.words.held)
		return;
	border.program_runs = false;
	border.asleep = true;
}

static void on_call(unsigned vcpu, void *user)
{
	struct core_page *page = user;
	struct processor *p = processor(vcpu = current_vcpu(vcpu));

	enter();
	if (qemu_way->runs_guest(vcpu) || (border.page && page != border.page)) {
		leave();
		return;
	}
	if (page->version != CORE_VERSION)
		hello(page);
	if (p->page && p->page->command == CORE_SYNC) {
		p->inside = false;
		border.alone = NULL;
		if (border.backlog->on)
			backlog_leave(border.backlog, p->page);
		else
			core_sync(p->core);
		border_clock_sync(p);
	}
	if (p->page && p->page->command == CORE_WAKE) {
		page->held = false;
		wake(vcpu);
	}
	if (p->page && p->page->command == CORE_REST)
		rest();
	if (p->page && p->page->command == CORE_CLOCK)
		page->has_clock = border.words.core_time && border_clock_check(vcpu, page);
	if (p->page && p->page->command == CORE_MOVE)
		border_clock_move(vcpu, p->page->move);
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
		struct touch *kept;

		if (!touch_next(&tracker, qemu_plugin_insn_vaddr(insn), qemu_way->insn_data(insn),
				(unsigned)qemu_plugin_insn_size(insn), &touch))
			continue;
		kept = border_touch();
		*kept = touch;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, border_on_touch,
						       QEMU_PLUGIN_CB_NO_REGS, kept);
	}
}

static access_callback *callback_of(const struct code_insn *insn, const uint8_t *bytes)
{
	if (border_experiment_traces())
		return border_on_traced_access;
	if (border_may_be_wide(bytes, insn->length))
		return border_on_wide_access;
	if (insn->asks)
		return border_on_asking_access;
	if (insn->loads == insn->stores)
		return border_on_access;
	return insn->loads ? border_on_load : border_on_store;
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
	struct code_block *block = border_block(nr, bytes_of(tb, first, nr), &bytes);
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
		qemu_plugin_register_vcpu_mem_cb(insn, callback_of(&block->insn[i], data),
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 &block->insn[i]);
	}
	block->waits = (uint8_t)wait_of(tb, first + nr);
	if (border.page)
		block->physical = physical_of(block->host);
	block->only_runs = border.page && !block->touches && !block->effects && !takes_frame(block);
	if (border.backlog->core)
		backlog_code(border.backlog, block->start, block->physical,
			     block->end - block->start);
	return block;
}

static bool reads_clock(struct qemu_plugin_insn *insn)
{
	return border_clock_reads(qemu_way->insn_data(insn), qemu_plugin_insn_size(insn));
}

/* The last instruction, which reads the clock: what was before it is to be done. */
static void instrument_clock(struct qemu_plugin_tb *tb, size_t last)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, last), border_on_clock,
					       QEMU_PLUGIN_CB_NO_REGS, make_block(tb, last, 1, 1));
}

static void instrument(struct qemu_plugin_tb *tb, size_t nr)
{
	struct code_block *block;
	size_t counted = nr;

	if (border.words.core_time && reads_clock(qemu_plugin_tb_get_insn(tb, nr - 1)))
		instrument_clock(tb, --nr);
	if (!nr)
		return;
	block = make_block(tb, 0, nr, counted);
	if (block->touches)
		instrument_touches(tb, nr);
	if (experiment_on()) {
		border_experiment_translate(tb, nr);
		qemu_plugin_register_vcpu_tb_exec_cb(
		    tb, border_on_experiment_block,
		    block->touches ? qemu_way->registers_flag : QEMU_PLUGIN_CB_NO_REGS, block);
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(
	    tb, block->only_runs ? border_on_block : border_on_any_block,
	    block->touches ? qemu_way->registers_flag : QEMU_PLUGIN_CB_NO_REGS, block);
}

/* After a kernel's code, in the upper half of addresses, a program's own is the first so low; the
 * dynamic linker is above. Code at its physical address is a kernel's start. */
static void look_for_program(const struct qemu_plugin_tb *tb)
{
	const void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t start = qemu_plugin_tb_vaddr(tb);

	border.kernel_runs |= start >> 63;
	border.program_runs |= border.kernel_runs && start < MAPPED_START &&
			       start != physical_of(host) && !is_visors(host);
}

static void translate(struct qemu_plugin_tb *tb, size_t nr)
{
	struct core_page *page;

	if (!border.program_runs && !(border.asleep && border.words.held))
		look_for_program(tb);
	/* A program's code before its first counter is simulated as well: it warms the caches.
	 */
	if (border.program_runs && border.asleep)
		wake(0);
	page = border.words.has_core ? border_call_page(tb, border.page) : NULL;
	if (page)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_call, qemu_way->registers_flag, page);
	else if (border.words.has_core && !border.asleep &&
		 !is_visors(qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0))))
		instrument(tb, nr);
	else if (border.words.turn)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, border_on_hidden_block,
						     QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(nr * HIDDEN_ONE + wait_of(tb, nr)));
}

static void on_translation(struct qemu_plugin_tb *tb)
{
	size_t nr = border_tb_insns(tb);

	if (!nr)
		return;
	if ((border.words.has_core || profile_on()) && qemu_way->translating)
		qemu_way->translating(qemu_plugin_tb_vaddr(tb));
	border_profile_before(tb);
	translate(tb, nr);
	border_profile_after(tb, nr);
}

static void on_flush(void)
{
	enter();
	if (border.backlog->core)
		backlog_tell(border.backlog);
	for (unsigned i = 0; i < border.nr_processors; i++)
		core_forget_blocks(border.processors[i].core);
	leave();
	border_blocks_flushed();
}

/* ---- start ---- */

/* Keeps the replay log only for a single processor that starts unsimulated: only then all of its
 * code was translated after the visor was known. */
static bool keep_backlog(void)
{
	static struct backlog none;

	border.backlog = &none;
	if (!border.asleep || border.words.threads || border.words.turn ||
	    !border.words.config.backlog || experiment_on())
		return true;
	border.backlog = backlog_new(border.words.config.backlog, border.processors[0].core,
				     page_at, &border.processors[0]);
	return border.backlog;
}

/* Decodes QEMU's access descriptors once instead of at each access. */
static void learn_infos(void)
{
	for (unsigned i = 0; i < INFO_OF_SIZE; i++) {
		border.shifts[i] = (uint8_t)qemu_plugin_mem_size_shift(i);
		border.sizes[i] = (uint8_t)(1u << border.shifts[i]);
	}
	for (unsigned bit = 0; bit < 32; bit++)
		if (qemu_plugin_mem_is_store(1u << bit))
			border.store |= 1u << bit;
		else if (qemu_plugin_mem_size_shift(1u << bit) == 1)
			border.size_unit = 1u << bit;
}

/* Chooses the way to this QEMU; returns false after a message if there is none. */
static bool find_way(qemu_plugin_id_t id, int api)
{
	if (!qemu_choose_way(api)) {
		fprintf(stderr, "core: QEMU's plugin interface %d is too new\n", api);
		return false;
	}
	qemu_way->setup(id);
	border_stop_setup();
	border_cpu_setup();
	if (border.words.qemu)
		border_clock_setup(border.words.qemu);
	if (border.words.turn && !(border_can_end_turn() && qemu_way->knows_current())) {
		fprintf(stderr, "core: processors cannot take turns in this QEMU: --parallel\n");
		return false;
	}
	return true;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct shared_cache *shared;

	component_search_beside(&border);
	if (!info->system_emulation || !border_words_parse(&border.words, argc, argv))
		return -1;
	if (!find_way(id, info->version.cur))
		return -1;
	border.nr_processors = (unsigned)info->system.max_vcpus;
	if (border.nr_processors > CORE_PROCESSORS)
		border.nr_processors = CORE_PROCESSORS;
	if (!border_profile_setup())
		return -1;
	qemu_register_translation(id, on_translation);
	if (!border.words.has_core)
		return 0;
	component_catch_crashes();
	learn_infos();
	/* Only with a single processor: processors that share a cache or take turns depend on each
	 * other. */
	border.asleep =
	    border.nr_processors == 1 && border_can_retranslate() && !profile_options.own;
	shared = shared_cache_new(&border.words.config);
	for (unsigned i = 0; i < border.nr_processors; i++) {
		border.processors[i].core = new_core(i, shared);
		if (!border.processors[i].core)
			return -1;
		core_ask_pages(border.processors[i].core, page_at, &border.processors[i]);
		border_trace(&border.processors[i]);
	}
	if (border.words.turn)
		border_turns_setup(shared);
	qemu_register_flush(id, on_flush);
	return border_experiment_setup() && keep_backlog() ? 0 : -1;
}
