/* SPDX-License-Identifier: BSD-2-Clause */
/* The passing of time: PMIs of the modelled PMU as NMIs, timers, deferred work. */
#include "tests/host/fake/fake_machine.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/nmi.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/time/timer.h"
#include "pmu/base/cpu.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/pmu.h"
#include "tests/host/fake/fake_kernel.h"
#include "emulator/visor/model/model.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"

struct model fake_model;
unsigned fake_nmis, fake_unclaimed;
struct quirk_state fake_quirks;
bool fake_no_extended;
const struct core_sample *fake_sample;
const uint64_t (*fake_work)[CORE_NR_QUANTITIES];
bool (*fake_may_store)(uint64_t address, unsigned bytes);

struct cpu *cpus[MAX_CPUS];
uint32_t nr_cpus = 1;
struct cpu boot_cpu;

struct tsc_clock tsc_clock = {
    .base = 4096, .khz = 1000000, .mult = 1u << 10, .shift = 10, .zero = 4096};

static uint64_t now_ns;
static bool lvtpc_masked, nmi_pending;
#define NMI_HANDLERS 2
static nmi_handler *nmi_handlers[NMI_HANDLERS];

static bool is_sooner(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, struct timer, node)->deadline_ns <
	       container_of(b, struct timer, node)->deadline_ns;
}

static struct tree timers = {.before = is_sooner};
static struct irq_work *works;

struct cpu *this_cpu(void)
{
	return &boot_cpu;
}

uint64_t clock_ns(void)
{
	return now_ns;
}

/* ---- interrupts ---- */

/* There is no other processor. */
void remote_call_mask(const struct cpu_mask *mask, remote_fn *fn, void *argument)
{
	assert_int_equal(cpu_mask_count(mask), 1);
	remote_call(cpu_mask_next(mask, 0), fn, argument);
}

void remote_call_all(remote_fn *fn, void *argument)
{
	fn(argument);
}

void remote_call(uint32_t cpu, remote_fn *fn, void *argument)
{
	assert_int_equal(cpu, this_cpu()->id);
	fn(argument);
}

void nmi_register(nmi_handler *handler)
{
	unsigned i = 0;

	while (nmi_handlers[i])
		i++;
	assert_true(i < NMI_HANDLERS);
	nmi_handlers[i] = handler;
}

void apic_pmi_arm(void)
{
	lvtpc_masked = false;
}

bool apic_extended_nmi(unsigned entry)
{
	return !fake_no_extended && entry < 4;
}

static bool is_claimed(struct frame *frame)
{
	bool claimed = false;

	for (unsigned i = 0; i < NMI_HANDLERS && nmi_handlers[i]; i++)
		claimed |= nmi_handlers[i](frame);
	return claimed;
}

void timer_init(struct timer *timer, void (*fire)(struct timer *, struct frame *))
{
	timer->node.height = 0;
	timer->fire = fire;
}

void timer_cancel(struct timer *timer)
{
	if (timer_armed(timer))
		tree_remove(&timers, &timer->node);
}

void timer_arm(struct timer *timer, uint64_t deadline_ns)
{
	timer_cancel(timer);
	timer->deadline_ns = deadline_ns;
	tree_insert(&timers, &timer->node);
}

void irq_work_queue(struct irq_work *work)
{
	if (work->queued)
		return;
	work->queued = 1;
	work->next = works;
	works = work;
}

static void run_works(void)
{
	while (works) {
		struct irq_work *work = works;

		works = work->next;
		work->queued = 0;
		work->run(work);
	}
}

void irq_work_sync(struct irq_work *work)
{
	if (work->queued)
		run_works();
}

static struct frame frame_in(enum model_ring ring)
{
	struct frame frame = {.rip = FAKE_USER_RIP, .cs = 0x23, .rsp = 0x7fffffff0000, .rax = 0xaa};

	if (ring == MODEL_KERNEL) {
		frame.rip = FAKE_KERNEL_RIP;
		frame.cs = 8;
	}
	return frame;
}

static void take_pmis(void)
{
	unsigned entry;

	while (quirks_take_pmi(&fake_quirks, &fake_model)) {
		if (lvtpc_masked)
			continue;
		lvtpc_masked = quirks_mask_lvtpc(&fake_quirks, &fake_model);
		nmi_pending |= !quirks_delay_nmi(&fake_quirks);
	}
	nmi_pending |= quirks_take_nmi(&fake_quirks);
	nmi_pending |= model_take_ibs(&fake_model, &entry);
}

/* Delivers what is due; NMIs do not nest. True: there was one. */
static bool deliver_nmis(enum model_ring ring)
{
	struct frame frame = frame_in(ring);
	unsigned before = fake_nmis;

	for (take_pmis(); nmi_pending && !boot_cpu.nmi_depth; take_pmis()) {
		nmi_pending = false;
		fake_nmis++;
		boot_cpu.nmi_depth++;
		if (!is_claimed(&frame))
			fake_unclaimed++;
		boot_cpu.nmi_depth--;
	}
	return fake_nmis != before;
}

void fake_interrupt(void)
{
	if (fake_quirks.pmi_coming && nmi_handlers[0])
		deliver_nmis(MODEL_KERNEL);
}

static struct timer *next_timer(void)
{
	return timers.first ? container_of(timers.first, struct timer, node) : NULL;
}

static void fire_timers(enum model_ring ring)
{
	struct frame frame = frame_in(ring);
	struct timer *timer;

	while ((timer = next_timer()) && timer->deadline_ns <= now_ns) {
		timer_cancel(timer);
		boot_cpu.irq_depth++;
		timer->fire(timer, &frame);
		boot_cpu.irq_depth--;
		run_works();
	}
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The debug store is in this process's memory. */
static bool read_memory(void *context, uint64_t address, void *data, unsigned bytes)
{
	(void)context;
	memcpy(data, (const void *)address, bytes);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *data, unsigned bytes)
{
	(void)context;
	if (fake_may_store && !fake_may_store(address, bytes))
		return false;
	memcpy((void *)address, data, bytes);
	return true;
}

static void read_xmms(void *context, uint64_t words[MODEL_XMM_WORDS])
{
	(void)context;
	for (unsigned i = 0; i < MODEL_XMM_WORDS; i++)
		words[i] = FAKE_XMM + i;
}

/* A record of the instruction before the one that a PMI would interrupt. */
static void write_record(enum model_ring ring)
{
	struct frame frame = frame_in(ring);
	struct model_pebs_source source = {
	    .event_ip = frame.rip - FAKE_STEP,
	    .ip = frame.rip,
	    .flags = RFLAGS_IF,
	    .gpr = {[0] = FAKE_RAX},
	    .tsc = rdtsc(),
	    .address = FAKE_ADDRESS,
	    .read = read_memory,
	    .write = write_memory,
	    .read_xmms = read_xmms,
	};

	model_pebs_record(&fake_model, &source);
}

/* As the function above, for instruction-based sampling. */
static void latch(enum model_ring ring)
{
	uint64_t next = frame_in(ring).rip;
	struct model_ibs_source source = {
	    .ip = next - FAKE_STEP, .next = next, .sample = fake_sample, .work = fake_work};

	model_ibs_record(&fake_model, &source);
}

static void retire(uint64_t instructions, enum model_ring ring)
{
	struct model_work work = {.instructions = instructions, .ring = ring};

	model_retire(&fake_model, &work);
	quirks_retire(&fake_quirks, instructions);
	now_ns += instructions;
	if (model_pebs_ready(&fake_model))
		write_record(ring);
	if (model_ibs_ready(&fake_model))
		latch(ring);
}

static uint64_t until_timer(void)
{
	struct timer *timer = next_timer();

	if (!timer)
		return UINT64_MAX;
	return timer->deadline_ns > now_ns ? timer->deadline_ns - now_ns : 1;
}

void fake_run(uint64_t instructions, enum model_ring ring)
{
	run_works();
	while (instructions) {
		uint64_t step = smaller(instructions, until_timer());

		step = smaller(step, model_until_overflow(&fake_model, ring, false));
		step = smaller(step, quirks_until(&fake_quirks));
		retire(step, ring);
		instructions -= step;
		if (deliver_nmis(ring))
			run_works();
		fire_timers(ring);
	}
}

void fake_pass(uint64_t ns)
{
	while (ns) {
		uint64_t step = smaller(ns, until_timer());

		now_ns += step;
		ns -= step;
		fire_timers(MODEL_USER);
	}
}

void fake_boot(const char *personality)
{
	fake_boot_awkward(personality, &(struct quirks){0});
}

void fake_boot_awkward(const char *personality, const struct quirks *quirks)
{
	boot_cpu = (struct cpu){.self = &boot_cpu};
	cpus[0] = &boot_cpu;
	now_ns = 1000;
	fake_nmis = fake_unclaimed = 0;
	fake_after_wrmsr = NULL;
	lvtpc_masked = true;
	nmi_pending = false;
	memset(&nmi_handlers, 0, sizeof(nmi_handlers));
	timers.root = timers.first = NULL;
	works = NULL;
	hardware_pmu = NULL;
	memset(&hw_caps, 0, sizeof(hw_caps));
	memset(hw_kinds, 0, sizeof(hw_kinds));
	memset(intel_kinds, 0, sizeof(intel_kinds));
	memset(hardware_pmus, 0, sizeof(hardware_pmus));
	hardware_differs = false;
	lbr_format = NULL;
	model_reset(&fake_model, personality_find(personality));
	quirks_reset(&fake_quirks, &fake_model, quirks);
	fake_kernel_start();
	pmu_init();
}

void fake_prepare(void)
{
	unsigned held = fake_open_objects;

	(void)bts_prepare();
	fake_open_objects = held;
}

void fake_shutdown(void)
{
	kfree(intel_this_cpu()->store);
	intel_this_cpu()->store = NULL;
	fake_kernel_stop();
	kfree(boot_cpu.pmu->chains);
	kfree(boot_cpu.pmu);
	boot_cpu.pmu = NULL;
}
