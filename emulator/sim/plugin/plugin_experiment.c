/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Experiments: counts the program's instructions, starts and stops the simulation of its region,
 * and writes the statistics when the machine ends.
 */
#include "emulator/sim/plugin/plugin_experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/debug_exit.h"
#include "emulator/sim/experiment/marks.h"
#include "emulator/sim/experiment/options.h"
#include "emulator/sim/experiment/reuse.h"
#include "emulator/sim/experiment/stats.h"
#include "emulator/sim/experiment/trace.h"
#include "emulator/sim/experiment/vectors.h"
#include "emulator/sim/plugin/plugin_state.h"

enum { M5_OPCODE = 2, M5_BYTES = 4, BLOCK_BYTES = 8192 };
enum { OUT_IMM8 = 0xe6, OUT_IMM8_WIDE = 0xe7, OUT_IMM8_BYTES = 2 };

static struct {
	struct region region;
	struct stats *stats;
	struct trace *trace;
	struct vectors *vectors;
	struct reuse *reuse;
	const struct code_block *block; /* the program's, which is measured */
	FILE *trace_file, *vectors_file;
	enum mark marked; /* of the program, since its last block began */
	bool ended;       /* the kernel has ended the machine */
} experiment;

static void write_stats(void)
{
	FILE *file;

	stats_pause(experiment.stats);
	file = fopen(experiment_options.stats, "w");
	if (!file) {
		fprintf(stderr, "core: cannot write the statistics\n");
		return;
	}
	stats_write(experiment.stats, experiment.reuse, file);
	fclose(file);
}

/* The machine ends. */
static void finish(void)
{
	if (experiment.stats)
		write_stats();
	trace_free(experiment.trace);
	vectors_free(experiment.vectors);
	reuse_free(experiment.reuse);
	if (experiment.trace_file)
		fclose(experiment.trace_file);
	if (experiment.vectors_file)
		fclose(experiment.vectors_file);
}

static bool start_trace(void)
{
	experiment.trace_file = fopen(experiment_options.trace, "w");
	if (!experiment.trace_file)
		return false;
	experiment.trace = trace_new(experiment.trace_file, experiment_options.format);
	return experiment.trace;
}

static bool start_vectors(void)
{
	experiment.vectors_file = fopen(experiment_options.vectors, "w");
	if (!experiment.vectors_file)
		return false;
	experiment.vectors = vectors_new(experiment.vectors_file, experiment_options.vector);
	return experiment.vectors;
}

static bool start_stats(void)
{
	struct core *cores[CORE_PROCESSORS];

	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		cores[i] = plugin.processors[i].core;
		if (!core_observe(cores[i]))
			return false;
	}
	experiment.stats = stats_new(cores, plugin.nr_processors, plugin.words.config.name);
	if (experiment_options.reuse)
		experiment.reuse = reuse_new();
	if (experiment_options.region.points)
		stats_keep_parts(experiment.stats);
	return experiment.stats && (experiment.reuse || !experiment_options.reuse);
}

bool plugin_experiment_setup(void)
{
	if (!experiment_on())
		return true;
	/* Processors that take turns have their time from the cores: they are always simulated. */
	if (plugin.words.turn)
		experiment_options.region.warm_all = true;
	region_start(&experiment.region, &experiment_options.region);
	if ((!experiment_options.stats || start_stats()) &&
	    (!experiment_options.trace || start_trace()) &&
	    (!experiment_options.vectors || start_vectors()) && !atexit(finish))
		return true;
	fprintf(stderr, "core: cannot start the experiment\n");
	return false;
}

bool plugin_experiment_traces(void)
{
	return experiment_options.trace || experiment_options.reuse;
}

/* The kernel's accesses are none of the block's. */
static void note_reuse(const struct code_insn *insn, uint64_t vaddr, unsigned size)
{
	const struct code_block *block = experiment.block;

	if (!block || insn < block->insn || insn >= block->insn + block->nr)
		return;
	for (uint64_t line = vaddr / CORE_LINE_SIZE; line <= (vaddr + size - 1) / CORE_LINE_SIZE;
	     line++)
		reuse_access(experiment.reuse, line);
}

void plugin_on_traced_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	if (experiment.trace && experiment.region.state == REGION_MEASURES)
		trace_access(experiment.trace, user, vaddr, plugin.sizes[info % INFO_OF_SIZE],
			     info & plugin.store);
	if (experiment.reuse && experiment.region.state == REGION_MEASURES)
		note_reuse(user, vaddr, plugin.sizes[info % INFO_OF_SIZE]);
	plugin_on_queried_access(vcpu, info, vaddr, user);
}

/* The guest runs on unsimulated. */
static void stop_simulation(void)
{
	for (unsigned i = 0; i < plugin.nr_processors; i++) {
		struct processor *p = &plugin.processors[i];

		p->inside = false;
		p->clock.on = false;
		plugin.alone = NULL;
		core_lose_sight(p->core, 0);
	}
}

static void on_events(unsigned events)
{
	if (!experiment.stats)
		return;
	if (events & REGION_INTERVAL)
		stats_interval(experiment.stats);
	if (events & REGION_PAUSE)
		stats_pause(experiment.stats);
	if (events & REGION_BEGIN)
		stats_begin(experiment.stats);
}

/* Traces and vectors have what is measured. */
static void note_block(const struct code_block *block, unsigned events)
{
	if (experiment.trace && events & REGION_PAUSE)
		trace_break(experiment.trace, block->start);
	experiment.block = block;
	if (experiment.region.state != REGION_MEASURES)
		return;
	if (experiment.trace)
		trace_block(experiment.trace, block);
	if (experiment.vectors)
		vectors_block(experiment.vectors, block->start, block->nr);
}

/* True for a block of the program: in the lower half, not the visor's, after the kernel began. */
static bool is_programs(const struct processor *p, const struct code_block *block)
{
	return plugin.program_runs && p->page && !(block->start >> 63) && !is_visors(block->host);
}

static unsigned take_mark(void)
{
	enum mark mark = experiment.marked;
	bool begins =
	    mark == MARK_TOGGLE ? experiment.region.state == REGION_WAITS : mark == MARK_BEGIN;

	experiment.marked = MARK_NONE;
	return mark == MARK_NONE ? 0 : region_mark(&experiment.region, begins);
}

void plugin_on_experiment_block(unsigned vcpu, void *user)
{
	struct code_block *block = user;
	struct processor *p = processor(current_vcpu(vcpu));
	unsigned events = 0;

	if (experiment.ended)
		return;
	if (is_programs(p, block)) {
		enter();
		events = take_mark() |
			 region_block(&experiment.region, block->start, block->end, block->nr);
		if (events && p->inside)
			core_end_block(p->core, block->start);
		if (events)
			on_events(events);
		note_block(block, events);
		if (events & REGION_STOP && !plugin.words.turn)
			stop_simulation();
		leave();
	}
	if (experiment.region.simulates || plugin.words.turn)
		plugin_on_any_block(vcpu, user);
	if (events & REGION_SIMULATE)
		core_in_ring(p->core, CORE_RING_USER);
}

/* A mark of the program runs: it holds from the next block on. */
static void on_mark(unsigned vcpu, void *user)
{
	(void)vcpu;
	experiment.marked = (enum mark)(uintptr_t)user;
}

/* gem5's number is behind an instruction that QEMU does not know. */
static const uint8_t *bytes_after(const struct qemu_plugin_insn *insn)
{
	uint64_t inside = qemu_plugin_insn_vaddr(insn) % CORE_PAGE_SIZE;
	const uint8_t *host = qemu_plugin_insn_haddr(insn);

	return host && inside + M5_BYTES <= CORE_PAGE_SIZE ? host + M5_OPCODE : NULL;
}

/* QEMU 10 lets the processor run on after the access that ends the machine, for as long as the
 * host takes: these instructions are not counted. */
static void on_end(unsigned vcpu, void *next)
{
	struct processor *p = processor(current_vcpu(vcpu));

	enter();
	if (p->inside)
		core_end_block(p->core, (uint64_t)(uintptr_t)next);
	stop_simulation();
	leave();
	experiment.ended = true;
}

static bool ends_machine(const uint8_t *bytes, size_t length)
{
	return length == OUT_IMM8_BYTES && (*bytes == OUT_IMM8 || *bytes == OUT_IMM8_WIDE) &&
	       bytes[1] == DEBUG_EXIT_PORT;
}

static void translate_end(struct qemu_plugin_tb *tb, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (ends_machine(qemu_way->insn_data(insn), qemu_plugin_insn_size(insn)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
	}
}

static void translate_marks(struct qemu_plugin_tb *tb, size_t nr)
{
	uint8_t code[BLOCK_BYTES];
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t length = qemu_plugin_insn_size(insn);
		enum mark mark;

		if (at + length > sizeof(code))
			return;
		memcpy(code + at, qemu_way->insn_data(insn), length);
		mark = mark_of(code, at, length, bytes_after(insn));
		if (mark != MARK_NONE && mark != MARK_OTHER)
			qemu_plugin_register_vcpu_insn_exec_cb(
			    insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)mark);
		at += length;
	}
}

void plugin_experiment_translate(struct qemu_plugin_tb *tb, size_t nr)
{
	translate_end(tb, nr);
	if (experiment_options.region.by_marks)
		translate_marks(tb, nr);
}
