/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connects the profile to QEMU. Without a visor the core's page is ours: it counts from the first
 * instruction on, and its watches are the events' periods.
 */
#include "emulator/sim/plugin/plugin_profile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/cpu/core_state.h"
#include "emulator/sim/plugin/plugin_blocks.h"
#include "emulator/sim/plugin/plugin_clock.h"
#include "emulator/sim/plugin/plugin_cpu.h"
#include "emulator/sim/plugin/qemu/tb.h"
#include "emulator/sim/profile/options.h"
#include "emulator/sim/profile/profile.h"

#define SHUTDOWN_HOST 2 /* QEMU's ShutdownCause: as its monitor's `quit` */
#define ROM_START     0xff000000
#define ROM_END       0x100000000

static struct core_page own_page;
static uint64_t due[CORE_PROCESSORS][PROFILE_EVENTS]; /* the counts at which each is sampled */

/* ---- the core ---- */

static unsigned number_of(const struct processor *p)
{
	return (unsigned)(p - plugin.processors);
}

static uint64_t cycles(void)
{
	return core_time(plugin.processors[profile_processor()].core);
}

static uint64_t total(const struct core *core, unsigned quantity)
{
	return core->totals[CORE_RING_KERNEL][quantity] + core->totals[CORE_RING_USER][quantity];
}

static void counts(uint64_t out[PROFILE_COUNTS])
{
	static const uint8_t quantities[PROFILE_COUNTS] = {
	    [COUNT_BRANCHES] = CORE_BRANCHES,          [COUNT_MISPREDICTED] = CORE_MISPREDICTED,
	    [COUNT_L1D_MISSES] = CORE_L1D_LOAD_MISSES, [COUNT_L1I_MISSES] = CORE_L1I_MISSES,
	    [COUNT_LAST_MISSES] = CORE_LAST_MISSES,    [COUNT_DTLB_WALKS] = CORE_DTLB_LOAD_WALKS,
	    [COUNT_ITLB_WALKS] = CORE_ITLB_WALKS,
	};

	memset(out, 0, PROFILE_COUNTS * sizeof(*out));
	for (unsigned n = 0; n < plugin.nr_processors; n++) {
		struct core *core = plugin.processors[n].core;

		core_settle(core);
		for (unsigned i = 0; i < PROFILE_COUNTS; i++)
			out[i] += total(core, quantities[i]);
	}
}

static uint64_t count_of(const struct core *core, const uint8_t *terms)
{
	uint64_t sum = 0;

	for (; *terms; terms++)
		sum += total(core, *terms);
	return sum;
}

/* Sets a watch for each event. The core's counts must be settled. */
static void arm(struct processor *p)
{
	const uint64_t *next = due[number_of(p)];
	const uint8_t *terms;
	uint64_t period;
	unsigned nr = 0;

	for (unsigned i = 0; (terms = profile_event(i, &period)); i++) {
		struct core_watch *watch = &p->page->watches[nr];

		if (!period)
			continue;
		*watch = (struct core_watch){.left = next[i] - count_of(p->core, terms),
					     .rings = 1 << CORE_RING_KERNEL | 1 << CORE_RING_USER,
					     .number = (uint8_t)i};
		memcpy(watch->terms, terms, sizeof(watch->terms));
		nr++;
	}
	p->page->nr_watches = (uint8_t)nr;
}

bool plugin_profile_overflow(struct processor *p)
{
	uint64_t *next = due[number_of(p)], period;
	const uint8_t *terms;

	if (plugin.page != &own_page)
		return false;
	profile_switch(number_of(p));
	for (unsigned i = 0; (terms = profile_event(i, &period)); i++) {
		uint64_t count = count_of(p->core, terms), periods;

		if (!period || count < next[i])
			continue;
		periods = (count - next[i]) / period + 1;
		profile_sample(i, p->core->sampler.sample.ip, periods);
		next[i] += periods * period;
	}
	p->core->sampler.sample.ended = 0;
	arm(p);
	core_arm(p->core);
	return true;
}

/* ---- memory ---- */

static const char *find_ram(void)
{
	void *(*map)(uint64_t, uint64_t *, bool);
	void (*unmap)(void *, uint64_t, bool, uint64_t);
	uint64_t bytes = 1;
	void *ram;

	*(void **)&map = qemu_function("cpu_physical_memory_map", "physical_memory_map");
	*(void **)&unmap = qemu_function("cpu_physical_memory_unmap", "physical_memory_unmap");
	ram = map && unmap ? map(0, &bytes, false) : NULL;
	if (ram)
		unmap(ram, bytes, false, 0);
	return ram;
}

static void take_core(struct processor *p)
{
	uint64_t period;

	p->page = &own_page.processors[number_of(p)];
	p->page->counting = 1;
	core_connect(p->core, p->page);
	core_sample_kernel(p->core);
	p->page->geometry.processors = plugin.nr_processors;
	for (unsigned i = 0; profile_event(i, &period); i++)
		due[number_of(p)][i] = period;
	arm(p);
}

static void take_cores(const char *ram)
{
	plugin.page = &own_page;
	plugin.ram = ram;
	for (unsigned i = 0; i < plugin.nr_processors; i++)
		take_core(&plugin.processors[i]);
	own_page.version = CORE_VERSION;
}

/* Memory is there when the first block is translated. */
static void connect(void)
{
	static bool connected;
	const char *ram;

	if (connected)
		return;
	connected = true;
	ram = find_ram();
	if (!ram) {
		fprintf(stderr, "profile: this QEMU does not show the guest's memory\n");
		exit(1);
	}
	if (!plugin.ram)
		plugin_set_ram(ram);
	if (profile_options.own)
		take_cores(ram);
}

static bool plugin_profile_read(uint64_t address, void *to, size_t bytes)
{
	char *out = to;

	while (bytes) {
		size_t piece = CORE_PAGE_SIZE - address % CORE_PAGE_SIZE;
		uint64_t physical;

		if (!plugin_physical(profile_processor(), address, &physical) ||
		    !plugin_in_ram(plugin_ram() + physical))
			return false;
		piece = piece < bytes ? piece : bytes;
		memcpy(out, plugin_ram() + physical, piece);
		out += piece;
		address += piece;
		bytes -= piece;
	}
	return true;
}

/* ---- QEMU ---- */

static bool registers(struct profile_registers *to)
{
	struct qemu_registers from;

	if (!qemu_way->all_registers || !qemu_way->all_registers(profile_processor(), &from))
		return false;
	*to = (struct profile_registers){.rax = from.rax,
					 .rdx = from.rdx,
					 .rsi = from.rsi,
					 .stack = from.rsp + from.stack_base,
					 .frame = from.rbp,
					 .stack_base = from.stack_base,
					 .code_base = from.code_base,
					 .cr3 = from.cr3,
					 .ring = from.ring,
					 .bits = from.bits,
					 .smm = from.smm};
	return true;
}

static uint64_t now(void)
{
	return plugin_clock_now(0, 0);
}

static void plugin_profile_stop(void)
{
	void (*request)(int);

	*(void **)&request = dlsym(RTLD_DEFAULT, "qemu_system_shutdown_request");
	if (request)
		request(SHUTDOWN_HOST);
}

bool plugin_profile_setup(void)
{
	struct profile_machine machine = {.registers = registers,
					  .clock = now,
					  .read = plugin_profile_read,
					  .stop = plugin_profile_stop};

	if (!profile_on())
		return true;
	if (profile_options.own) {
		machine.cycles = cycles;
		machine.counts = counts;
	}
	if (!profile_start(&machine))
		return false;
	atexit(profile_end);
	return true;
}

static void on_block(unsigned vcpu, void *user)
{
	profile_switch(current_vcpu(vcpu));
	profile_block(user);
}

static void on_mark(unsigned vcpu, void *user)
{
	(void)vcpu;
	profile_mark(SLICE_MARK, (uintptr_t)user);
}

static void on_guest_mark(unsigned vcpu, void *user)
{
	(void)vcpu;
	profile_mark(SLICE_GUEST, (uintptr_t)user);
}

static void on_string(unsigned vcpu, void *user)
{
	(void)vcpu;
	(void)user;
	profile_string();
}

/* ---- translation ---- */

/* SDM volume 2: OUTS is 6EH and 6FH, behind prefixes. */
static bool writes_string(const uint8_t *code, size_t bytes)
{
	size_t at = 0;

	while (at < bytes && (code[at] == 0x66 || code[at] == 0x67 || (code[at] & 0xfe) == 0xf2))
		at++;
	return at < bytes && (code[at] & 0xfe) == 0x6e;
}

/* Returns the guest's mark that the instruction is, or -1. */
static int guest_mark(const uint8_t *code, size_t bytes)
{
	static const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00};
	uint32_t marker;

	if (bytes != PROFILE_MARKER_BYTES || memcmp(code, nop, sizeof(nop)))
		return -1;
	memcpy(&marker, code + sizeof(nop), sizeof(marker));
	marker -= PROFILE_MARKER;
	return marker < PROFILE_MARKS ? (int)marker : -1;
}

static void instrument_marks(struct qemu_plugin_insn *insn, const uint8_t *code)
{
	int stop = profile_mark_at(qemu_plugin_insn_vaddr(insn)),
	    mark = guest_mark(code, qemu_plugin_insn_size(insn));

	if (stop >= 0)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, qemu_way->registers_flag,
						       (void *)(uintptr_t)stop);
	/* Where registers can be read only at the begin of a block, each turn is one. */
	if (qemu_way->registers_flag != QEMU_PLUGIN_CB_NO_REGS &&
	    writes_string(code, qemu_plugin_insn_size(insn)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_string, qemu_way->registers_flag,
						       NULL);
	if (mark >= 0)
		qemu_plugin_register_vcpu_insn_exec_cb(
		    insn, on_guest_mark, qemu_way->registers_flag, (void *)(uintptr_t)mark);
}

/* Images are looked for where code runs at its physical address, in RAM or in the firmware's ROM:
 * there host addresses are as far apart as guest addresses. */
static uint32_t image_of(uint64_t start, const char *host)
{
	static struct host_range rom;
	const char *ram = plugin_ram();

	if (!host)
		return PROFILE_NONE;
	if (plugin_in_ram(host))
		return (uint64_t)(host - ram) == start
			   ? profile_image(start, (const uint8_t *)host, (const uint8_t *)ram,
					   (const uint8_t *)plugin_ram_end())
			   : profile_linux_image(start);
	if (start < ROM_START || start >= ROM_END)
		return PROFILE_NONE;
	if (!plugin_range_has(&rom, host, 1))
		rom = plugin_mapping(host);
	return profile_image(start, (const uint8_t *)host, (const uint8_t *)rom.start,
			     (const uint8_t *)rom.end);
}

static uint8_t ending_of(const struct code_insn *last)
{
	static const uint8_t endings[BRANCH_CLASSES] = {
	    [BRANCH_CONDITIONAL] = ENDING_CONDITIONAL,     [BRANCH_JUMP] = ENDING_JUMP,
	    [BRANCH_JUMP_INDIRECT] = ENDING_JUMP_INDIRECT, [BRANCH_CALL] = ENDING_CALL,
	    [BRANCH_CALL_INDIRECT] = ENDING_CALL_INDIRECT, [BRANCH_RETURN] = ENDING_RETURN,
	};

	if (last->kind >= CODE_NEAR && last->kind <= CODE_NEAR_LAST)
		return endings[last->kind - CODE_NEAR];
	return last->kind == CODE_PLAIN ? ENDING_PLAIN : ENDING_FAR;
}

/* Appends an instruction; returns whether it is one that waits or reads the clock. */
static bool take_insn(struct spot_code *code, uint8_t *bytes, uint8_t *lengths,
		      struct qemu_plugin_insn *insn)
{
	const uint8_t *data = qemu_way->insn_data(insn);
	size_t size = qemu_plugin_insn_size(insn);

	memcpy(bytes + code->size, data, size);
	lengths[code->nr++] = (uint8_t)size;
	code->size += (unsigned)size;
	return code_wait_of(data, size) != CODE_GOES_ON || plugin_clock_reads(data, size);
}

/* Sets how the block ends: by its last instruction. */
static void classify(struct spot_code *code, const uint8_t *bytes, const uint8_t *lengths)
{
	unsigned length = lengths[code->nr - 1];
	static uint64_t room[(sizeof(struct code_block) + sizeof(struct code_insn)) / 8 + 1];
	struct code_block *last = memset(room, 0, sizeof(room));
	struct insn decoded;

	last->start = last->end = code->start + code->size - length;
	code_append(last, bytes + code->size - length, length);
	code->ending = ending_of(&last->insn[0]);
	code->target = last->target;
	decode_insn(bytes + code->size - length, length, &decoded);
	code->bits = decoded.bits;
}

static struct spot *spot_of(struct qemu_plugin_tb *tb, size_t nr)
{
	static uint8_t bytes[PROFILE_CODE], lengths[PROFILE_CODE];
	struct spot_code code = {
	    .start = qemu_plugin_tb_vaddr(tb), .bytes = bytes, .lengths = lengths};

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (code.size + qemu_plugin_insn_size(insn) > sizeof(bytes))
			return NULL;
		code.waits |= take_insn(&code, bytes, lengths, insn);
		instrument_marks(insn, qemu_way->insn_data(insn));
	}
	classify(&code, bytes, lengths);
	code.image = image_of(code.start, qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
	return profile_translate(&code);
}

void plugin_profile_before(const struct qemu_plugin_tb *tb)
{
	(void)tb;
	if (profile_on())
		connect();
}

void plugin_profile_after(struct qemu_plugin_tb *tb, size_t nr)
{
	if (!profile_on())
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, qemu_way->registers_flag,
					     spot_of(tb, nr));
}
