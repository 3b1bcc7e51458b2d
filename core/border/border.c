/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border to QEMU, as one of its plugins: what the guest translates, runs and accesses goes to
 * the cores; the visor calls by a marker in its code (abi/core_page.h).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/border/border_blocks.h"
#include "core/border/border_cpu.h"
#include "core/border/border_stop.h"
#include "core/border/border_tb.h"
#include "core/border/border_words.h"
#include "core/core/backlog.h"
#include "core/core/core.h"
#include "core/mem/memory.h"
#include "core/pipe/block.h"
#include "core/border/qemu_plugin_api.h"

__attribute__((visibility("default"))) int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define INFO_OF_SIZE 4096 /* what QEMU says of an access: these low bits tell its size */

#define MAPPED_START 0x700000000000 /* Linux's kernels map libraries from here on */

/* One of QEMU's processors. */
struct processor {
	struct core *core;
	bool inside;          /* a guest of the visor's runs, as far as we know, */
	unsigned frame_loads; /* of the running IRET */
	struct core_processor *page;
	bool knows_registers; /* as they were at the running block's begin */
	unsigned ran;         /* instructions of its turn */
	uint64_t registers[TOUCH_VALUES];
};

static struct {
	struct border_words words;
	bool asleep;            /* nobody looks yet: the guest's code runs as it is */
	bool kernel_runs;       /* which has a place of its own among addresses */
	struct core_page *page; /* the visor's; NULL: it has not said hello */
	const char *ram;        /* where the guest's physical address 0 lies; low memory follows */
	struct processor processors[CORE_PROCESSORS];
	/* The core of a processor that runs alone, as far as we know: no visor, turn, lock. */
	struct core *alone[CORE_PROCESSORS];
	unsigned nr_processors;
	pthread_mutex_t lock;
	uint32_t store;              /* the bit of what QEMU says of an access that means a store */
	uint8_t sizes[INFO_OF_SIZE]; /* what qemu_plugin_mem_size_shift() says of them, in bytes */
	uint8_t shifts[INFO_OF_SIZE];
	struct backlog *backlog; /* of a processor that is alone; else one that takes nothing */
} border = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void)
{
	if (border.words.threads)
		pthread_mutex_lock(&border.lock);
}

static void leave(void)
{
	if (border.words.threads)
		pthread_mutex_unlock(&border.lock);
}

static struct processor *processor(unsigned vcpu)
{
	return &border.processors[vcpu % CORE_PROCESSORS];
}

static bool is_visors(const void *host)
{
	const struct core_page *page = border.page;

	return page &&
	       (uint64_t)((const char *)host - border.ram) - page->visor_base < page->visor_bytes;
}

static uint64_t physical_of(const void *host)
{
	return border.ram ? (uint64_t)((const char *)host - border.ram) : (uint64_t)host;
}

static void stop(struct processor *p, unsigned vcpu)
{
	if (border_stop(vcpu))
		p->page->stops++;
}

/* ---- what the guest does ---- */

/*
 * Processors of one thread take turns of so many instructions; else one would run until the next
 * timer. QEMU looks at its timers where it is asked to before a processor's turn: always, or what
 * another thread of QEMU's does with a timer that is just due would change who runs next.
 */
static inline void take_turn(struct processor *p, unsigned vcpu, unsigned instructions)
{
	if (!border.words.turn)
		return;
	if (vcpu + 1 < border.nr_processors)
		border_end_turn(vcpu + 1);
	p->ran += instructions;
	if (p->ran < border.words.turn)
		return;
	p->ran = 0;
	border_end_turn(vcpu);
}

/* A block of the visor's. */
static void on_hidden_block(unsigned vcpu, void *user)
{
	take_turn(processor(vcpu), vcpu, (unsigned)(uintptr_t)user);
}

/* It ends with an instruction whose loads are counted. */
static bool takes_frame(const struct code_block *block)
{
	return block->insn[block->nr - 1].kind == CODE_FAR_FRAME;
}

/* The guest goes on: whether the core hears of what comes now, or later. */
static void enter_guest(struct processor *p)
{
	p->inside = true;
	if (!border.backlog->core)
		return;
	if (backlog_will_do(p->page))
		backlog_enter(border.backlog, p->page);
	else
		backlog_tell(border.backlog);
}

/* A block whose place is not known, or that is not all there is to do. */
static __attribute__((noinline)) void begin_block(unsigned vcpu, struct code_block *block)
{
	struct processor *p = processor(vcpu);

	take_turn(p, vcpu, block->nr);
	if (!p->page || is_visors(block->host))
		return;
	enter();
	if (!p->inside)
		enter_guest(p);
	border.alone[vcpu % CORE_PROCESSORS] =
	    border.words.threads || border.words.turn || border.backlog->on ? NULL : p->core;
	p->frame_loads = 0;
	block->physical = physical_of(block->host);
	block->known = block->touches || takes_frame(block) ? NULL : border.page;
	if (block->touches)
		p->knows_registers = border_registers(vcpu, block->start, p->registers);
	if (border.backlog->on)
		backlog_block_slow(border.backlog, block);
	else if (core_block(p->core, block))
		stop(p, vcpu);
	leave();
}

/* Any block. */
static void on_any_block(unsigned vcpu, void *user)
{
	struct code_block *block = user;
	struct core *core = border.alone[vcpu % CORE_PROCESSORS];

	if (!core || block->known != border.page) {
		begin_block(vcpu, block);
		return;
	}
	if (core_block(core, block))
		stop(processor(vcpu), vcpu);
}

/* A block that only runs, and whose place is known. */
static void on_block(unsigned vcpu, void *user)
{
	if (!backlog_block(border.backlog, user))
		on_any_block(vcpu, user);
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
		stop(p, vcpu);
}

/* An access that the core will hear of later, and whose place must be asked for. */
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
		backlog_access_slow(border.backlog, insn, vaddr,
				    border.shifts[info % INFO_OF_SIZE], store);
}

static __attribute__((noinline)) void look_at_access(unsigned vcpu, qemu_plugin_meminfo_t info,
						     uint64_t vaddr, const struct code_insn *insn)
{
	struct processor *p = processor(vcpu);
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
		stop(p, vcpu);
	leave();
}

/* Of an instruction that asks for each access's place. */
static void on_asking_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	look_at_access(vcpu, info, vaddr, user);
}

static inline bool is_put_down(qemu_plugin_meminfo_t info, uint64_t vaddr,
			       const struct code_insn *insn)
{
	return backlog_access(border.backlog, insn, vaddr, border.shifts[info % INFO_OF_SIZE],
			      info & border.store);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	struct core *core = border.alone[vcpu % CORE_PROCESSORS];

	if (is_put_down(info, vaddr, user))
		return;
	if (!core || !core_access_plain(core, user, vaddr, border.sizes[info % INFO_OF_SIZE],
					info & border.store))
		look_at_access(vcpu, info, vaddr, user);
}

/* Of what loads, or stores, alone. */
static void on_load(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	struct core *core = border.alone[vcpu % CORE_PROCESSORS];

	if (is_put_down(info, vaddr, user))
		return;
	if (!core || (info & border.store) ||
	    !core_load_plain(core, user, vaddr, border.sizes[info % INFO_OF_SIZE]))
		on_access(vcpu, info, vaddr, user);
}

static void on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
	struct core *core = border.alone[vcpu % CORE_PROCESSORS];

	if (is_put_down(info, vaddr, user))
		return;
	if (!core || !(info & border.store) ||
	    !core_store_plain(core, user, vaddr, border.sizes[info % INFO_OF_SIZE]))
		on_access(vcpu, info, vaddr, user);
}

static void on_touch(unsigned vcpu, void *user)
{
	const struct touch *touch = user;
	struct processor *p = processor(vcpu);
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

/* Of a machine with processors of two kinds, both names. */
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
	page->version = CORE_VERSION;
}

static void wake(unsigned vcpu)
{
	if (!border.asleep)
		return;
	border.asleep = false;
	border_retranslate(vcpu);
}

static void on_call(unsigned vcpu, void *user)
{
	struct core_page *page = user;
	struct processor *p = processor(vcpu);

	enter();
	if (border.page != page)
		hello(page);
	if (p->page && p->page->command == CORE_SYNC) {
		p->inside = false;
		border.alone[vcpu % CORE_PROCESSORS] = NULL;
		if (border.backlog->on)
			backlog_leave(border.backlog, p->page);
		else
			core_sync(p->core);
	}
	if (p->page && p->page->command == CORE_WAKE)
		wake(vcpu);
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

		if (!touch_next(&tracker, qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_data(insn),
				(unsigned)qemu_plugin_insn_size(insn), &touch))
			continue;
		kept = border_touch();
		*kept = touch;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_touch, QEMU_PLUGIN_CB_NO_REGS,
						       kept);
	}
}

typedef void access_callback(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user);

static access_callback *callback_of(const struct code_insn *insn)
{
	if (insn->asks)
		return on_asking_access;
	if (insn->loads == insn->stores)
		return on_access;
	return insn->loads ? on_load : on_store;
}

static size_t bytes_of(const struct qemu_plugin_tb *tb, size_t nr)
{
	size_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
	return bytes;
}

static void instrument(struct qemu_plugin_tb *tb, size_t nr)
{
	uint8_t *bytes;
	struct code_block *block = border_block(nr, bytes_of(tb, nr), &bytes);
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	bool only_runs;

	block->start = block->end = qemu_plugin_insn_vaddr(insn);
	block->host = qemu_plugin_insn_haddr(insn);
	for (size_t i = 0; i < nr; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		memcpy(bytes + (block->end - block->start), qemu_plugin_insn_data(insn),
		       qemu_plugin_insn_size(insn));
		code_append(block, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
		qemu_plugin_register_vcpu_mem_cb(insn, callback_of(&block->insn[i]),
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 &block->insn[i]);
	}
	if (block->touches)
		instrument_touches(tb, nr);
	if (border.page)
		block->physical = physical_of(block->host);
	only_runs = border.page && !block->touches && !block->effects && !takes_frame(block);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, only_runs ? on_block : on_any_block,
					     QEMU_PLUGIN_CB_NO_REGS, block);
}

/* What a program did before its first counter is simulated, too: it warms what it measures. After
 * a kernel's code, in the upper half of addresses, its own is the first so low; the dynamic linker
 * lies above. What lies at its physical address is a kernel's start. */
static void wake_for_program(const struct qemu_plugin_tb *tb)
{
	const void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	uint64_t start = qemu_plugin_tb_vaddr(tb);

	border.kernel_runs |= start >> 63;
	if (border.kernel_runs && start < MAPPED_START && start != physical_of(host) &&
	    !is_visors(host))
		wake(0);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t nr = border_tb_insns(tb);
	struct core_page *page;

	(void)id;
	if (!nr)
		return;
	if (border.words.has_core)
		border_cpu_find(qemu_plugin_tb_vaddr(tb));
	if (border.asleep)
		wake_for_program(tb);
	page = border.words.has_core ? border_tb_page(tb) : NULL;
	if (page)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_call, QEMU_PLUGIN_CB_NO_REGS, page);
	else if (border.words.has_core && !border.asleep &&
		 !is_visors(qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0))))
		instrument(tb, nr);
	else if (border.words.turn)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_hidden_block, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)nr);
}

static void on_flush(qemu_plugin_id_t id)
{
	(void)id;
	enter();
	if (border.backlog->core)
		backlog_tell(border.backlog);
	for (unsigned i = 0; i < border.nr_processors; i++)
		core_forget_blocks(border.processors[i].core);
	leave();
	border_blocks_flushed();
}

/* ---- start ---- */

/* One alone that sleeps first: only then all that it runs was translated since the visor is known. */
static bool keep_backlog(void)
{
	static struct backlog none;

	border.backlog = &none;
	if (!border.asleep || border.words.threads || border.words.turn ||
	    !border.words.config.backlog)
		return true;
	border.backlog = backlog_new(border.words.config.backlog, border.processors[0].core, page_at,
				     &border.processors[0]);
	return border.backlog;
}

/* What QEMU's words for accesses mean, asked once instead of at each of them. */
static void learn_infos(void)
{
	for (unsigned i = 0; i < INFO_OF_SIZE; i++) {
		border.shifts[i] = (uint8_t)qemu_plugin_mem_size_shift(i);
		border.sizes[i] = (uint8_t)(1u << border.shifts[i]);
	}
	for (unsigned bit = 0; bit < 32; bit++)
		if (qemu_plugin_mem_is_store(1u << bit))
			border.store |= 1u << bit;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct shared_cache *shared;

	if (!info->system_emulation || !border_words_parse(&border.words, argc, argv))
		return -1;
	if (border.words.qemu) {
		border_stop_setup(border.words.qemu);
		if (border_was_tried(border.words.qemu))
			border_cpu_setup();
	}
	border.nr_processors = (unsigned)info->system.max_vcpus;
	if (border.nr_processors > CORE_PROCESSORS)
		border.nr_processors = CORE_PROCESSORS;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	if (!border.words.has_core)
		return 0;
	learn_infos();
	/* One alone: among several, those that share a cache or take turns know of each other. */
	border.asleep = border.nr_processors == 1 && border_can_retranslate();
	shared = shared_cache_new(&border.words.config);
	for (unsigned i = 0; i < border.nr_processors; i++) {
		border.processors[i].core = new_core(i, shared);
		if (!border.processors[i].core)
			return -1;
		core_ask_pages(border.processors[i].core, page_at, &border.processors[i]);
	}
	qemu_plugin_register_flush_cb(id, on_flush);
	return keep_backlog() ? 0 : -1;
}
