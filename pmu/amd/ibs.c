/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's instruction-based sampling, as the PMUs ibs_fetch and ibs_op: each has one counter, of
 * fetches, or of cycles or micro-operations, and tags what comes when that has run out. APM volume
 * 2, "Instruction-Based Sampling"; BKDG of family 10h and PPRs of families 17h and 19h,
 * MSRC001_1030 to 103C.
 */
#include <linux/errno.h>
#include <stddef.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/nmi.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/log.h"
#include "pmu/amd/ibs.h"
#include "pmu/amd/ibs_sample.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/record/userpage.h"

#define LVT_ENTRY FIELD(3, 0) /* of MSR_IBS_CTL */
#define LVT_VALID BIT(8)

#define MAX_COUNT       FIELD(15, 0) /* of both control registers, in units of 16 */
#define COUNT_UNIT      16
#define OP_MAX_HIGH     FIELD(26, 20)
#define OP_COUNT        FIELD(58, 32)
#define OP_COUNT_LOW    FIELD(38, 32) /* random after a tag */
#define OP_L3_ONLY      BIT(16)
#define OP_ENABLE       BIT(17)
#define OP_VALID        BIT(18)
#define OP_COUNTS_OPS   BIT(19)
#define OP_LATENCY(n)   (((uint64_t)(n)-1) << 59) /* units of LATENCY_UNIT cycles */
#define OP_SLOW_ONLY    BIT(63)
#define FETCH_COUNT     FIELD(31, 16)
#define FETCH_ENABLE    BIT(48)
#define FETCH_VALID     BIT(49)
#define FETCH_RANDOM    BIT(57)
#define FETCH_L3_ONLY   BIT(59)
#define STICKY_FIRST    0x16 /* families whose count of fetches restarts only when */
#define STICKY_LAST     0x18 /* they are enabled (Linux) */
#define FAMILY_TWO_STEP 0x10 /* erratum 420: the interrupt cannot be cleared otherwise */

/* An NMI can arrive late: one that arrives while a PMU stops belongs to it, and so does the
 * next. */
enum ibs_state { IBS_IDLE, IBS_RUNNING, IBS_STOPPING, IBS_STOPPED };

struct ibs_cpu {
	struct perf_event *event; /* that has it. Task writes, NMI reads */
	enum ibs_state state;     /* NMI and task */
};

struct ibs {
	struct pmu pmu;
	const char *name;
	struct ibs_registers registers;
	uint64_t config; /* permitted bits of attr.config */
	uint64_t counts; /* the fields of the count and of its end */
	uint64_t enable, valid;
	int64_t most;  /* the longest period */
	bool restarts; /* a new count needs it to be off before */
	struct ibs_cpu cpus[MAX_CPUS];
};

uint32_t ibs_caps;
static bool two_steps; /* to switch it off */

static struct ibs ibs_fetch, ibs_op;
static bool awake[MAX_CPUS]; /* one of them is not idle. NMI and task */

static struct ibs *ibs_of(const struct perf_event *event)
{
	return event->pmu == &ibs_op.pmu ? &ibs_op : &ibs_fetch;
}

static struct ibs_cpu *this_ibs(struct ibs *ibs)
{
	return &ibs->cpus[this_cpu_read(id)];
}

static void set_state(struct ibs_cpu *cpu, enum ibs_state state)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&cpu->state, state, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- counting ---- */

static uint64_t period_field(uint64_t period)
{
	return (period / COUNT_UNIT & MAX_COUNT) | (period & OP_MAX_HIGH);
}

static uint64_t period_of_field(uint64_t control)
{
	return (control & MAX_COUNT) * COUNT_UNIT + (control & OP_MAX_HIGH);
}

/* Returns the count since the period started. A sample of ops represents its whole period; counting
 * continues after it. */
static uint64_t counted(const struct ibs *ibs, uint64_t control)
{
	if (ibs == &ibs_fetch)
		return FIELD_GET(FETCH_COUNT, control) * COUNT_UNIT;
	if (control & OP_VALID)
		return period_of_field(control);
	return ibs_caps & IBS_CAPS_COUNT ? FIELD_GET(OP_COUNT, control) : 0;
}

static void ibs_update(const struct ibs *ibs, struct perf_event *event, uint64_t control)
{
	struct hw_event *hw = &event->hw;
	uint64_t now = counted(ibs, control), more = now - hw->prev;

	hw->prev = now;
	hw->period_left -= (int64_t)more;
	__atomic_add_fetch(&event->count, (int64_t)more, __ATOMIC_RELAXED);
}

/* Sets *part to the next count: the rest of a period, or a part of it if that is too long, chosen
 * so that the last part is as long as possible. True: a new period starts. */
static bool next_part(const struct ibs *ibs, struct hw_event *hw, int64_t *part)
{
	int64_t left = hw->period_left, period = (int64_t)hw->period & -COUNT_UNIT;
	bool begins = left < COUNT_UNIT;

	if (period < COUNT_UNIT)
		period = COUNT_UNIT;
	if (begins) {
		left = left <= -period ? period : left + period;
		if (left < COUNT_UNIT)
			left += period;
		hw->period_left = left;
		hw->last_period = (uint64_t)period;
	}
	if (left > ibs->most) {
		left -= ibs->most;
		left = left > ibs->most ? ibs->most : left < COUNT_UNIT ? COUNT_UNIT : left;
	}
	*part = left;
	hw->prev = 0;
	return begins;
}

/* Starts the PMU; `more` is further bits of the control register. */
static void ibs_run(const struct ibs *ibs, const struct hw_event *hw, int64_t part, uint64_t more)
{
	uint64_t control = hw->config | period_field((uint64_t)part) | more;

	if (ibs->restarts)
		wrmsr(ibs->registers.control, control);
	wrmsr(ibs->registers.control, control | ibs->enable);
}

static void ibs_start(struct perf_event *event)
{
	struct ibs *ibs = ibs_of(event);
	int64_t part;

	next_part(ibs, &event->hw, &part);
	event->hw.running = true;
	awake[this_cpu_read(id)] = true;
	set_state(this_ibs(ibs), IBS_RUNNING);
	ibs_run(ibs, &event->hw, part, 0);
}

static void switch_off(const struct ibs *ibs, uint64_t control)
{
	control &= ~ibs->counts;
	if (two_steps)
		wrmsr(ibs->registers.control, control);
	wrmsr(ibs->registers.control, control & ~ibs->enable);
}

/* A pending sample that was not taken is lost, and its counter's count with it. */
static void ibs_stop(struct perf_event *event)
{
	struct ibs *ibs = ibs_of(event);
	struct ibs_cpu *cpu = this_ibs(ibs);
	uint64_t control;

	if (!event->hw.running)
		return;
	event->hw.running = false;
	set_state(cpu, IBS_STOPPING);
	control = rdmsr(ibs->registers.control);
	switch_off(ibs, control);
	set_state(cpu, IBS_STOPPED);
	ibs_update(ibs, event, control & ~ibs->valid);
}

static int ibs_add(struct perf_event *event)
{
	struct ibs_cpu *cpu = this_ibs(ibs_of(event));

	if (cpu->event)
		return -EAGAIN;
	cpu->event = event;
	if (event_has_frequency(event)) {
		event_turn_stamp(event);
		tick_need(this_pmu_cpu());
	}
	ibs_start(event);
	return 0;
}

static void ibs_del(struct perf_event *event)
{
	ibs_stop(event);
	if (event_has_frequency(event))
		event_turn_stamp(event);
	this_ibs(ibs_of(event))->event = NULL;
}

/* Does nothing: as on Linux the count is that of the last sample. */
static void ibs_read(struct perf_event *event)
{
	(void)event;
}

/* ---- samples ---- */

static uint64_t kept_bits(const struct ibs *ibs, uint64_t control)
{
	if (ibs == &ibs_fetch || !(ibs_caps & IBS_CAPS_COUNT) || !(control & OP_COUNTS_OPS))
		return 0;
	return control & OP_COUNT_LOW;
}

/* Handles an NMI of this PMU; returns true when it was one. */
static bool ibs_take(struct ibs *ibs, struct frame *frame)
{
	struct ibs_cpu *cpu = this_ibs(ibs);
	enum ibs_state state = __atomic_load_n(&cpu->state, __ATOMIC_RELAXED);
	struct perf_event *event = cpu->event;
	uint64_t control, kept;
	int64_t part;

	if (state == IBS_STOPPED)
		set_state(cpu, IBS_IDLE);
	if (state != IBS_RUNNING || !event)
		return state != IBS_IDLE;
	control = rdmsr(ibs->registers.control);
	if (!(control & ibs->valid))
		return false;
	kept = kept_bits(ibs, control);
	ibs_update(ibs, event, control);
	if (next_part(ibs, &event->hw, &part) && ibs_sample(event, &ibs->registers, control, frame))
		ibs_stop(event);
	else
		ibs_run(ibs, &event->hw, part, kept);
	return true;
}

/* Out of line: the path of other NMIs is measured. */
static __attribute__((noinline)) bool take_both(struct frame *frame)
{
	bool fetch = ibs_take(&ibs_fetch, frame), op = ibs_take(&ibs_op, frame);

	if ((fetch || op) && this_pmu_cpu()->ring0_since)
		overflow_pmi_ends(this_pmu_cpu());
	awake[this_cpu_read(id)] = this_ibs(&ibs_fetch)->state || this_ibs(&ibs_op)->state;
	return fetch || op;
}

bool ibs_nmi(struct frame *frame)
{
	return awake[this_cpu_read(id)] && take_both(frame);
}

/* ---- configuration ---- */

static bool excludes(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* The period is the attr's, or in the config in the register's format: 0 or -EINVAL. */
static int configure_period(const struct ibs *ibs, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct hw_event *hw = &event->hw;

	hw->config = attr->config;
	if (event_is_sampling(event)) {
		if (attr->config & ibs->counts)
			return -EINVAL;
	} else {
		hw->config &= ~ibs->counts;
		attr->sample_period = hw->period = period_of_field(attr->config & ibs->counts);
	}
	if (!event_is_sampling(event))
		return -EINVAL;
	if (hw->period < COUNT_UNIT)
		hw->period = COUNT_UNIT;
	hw->last_period = hw->period;
	hw->period_left = (int64_t)hw->period;
	return 0;
}

#define LATENCY_UNIT  128
#define LATENCY_LEAST 128
#define LATENCY_MOST  2048

/* The filter for slow loads, from Linux 6.15 on: 0 or -EINVAL. */
static int configure_latency(struct perf_event *event)
{
	uint64_t least = event->attr.config1 & IBS_OP_LATENCY;

	if (event->pmu != &ibs_op.pmu || !(ibs_caps & IBS_CAPS_LOAD_LATENCY) || !least)
		return 0;
	if (least < LATENCY_LEAST || least > LATENCY_MOST)
		return -EINVAL;
	event->hw.load_latency = (uint16_t)least;
	event->hw.config |= OP_LATENCY(least / LATENCY_UNIT) | OP_SLOW_ONLY | OP_L3_ONLY;
	return 0;
}

static int ibs_event_init(struct perf_event *event)
{
	const struct ibs *ibs = ibs_of(event);
	int err;

	if (!ibs_caps || event->attr.type != event->pmu->type)
		return -ENOENT;
	event->hw.kind = NULL; /* one that the processor's PMU has passed on */
	if (event->attr.config & ~ibs->config)
		return -EINVAL;
	err = configure_period(ibs, event);
	if (!err)
		err = configure_latency(event);
	if (err)
		return err;
	/* As on Linux 6.1, IBS events count per processor, and only in groups of their own. */
	if (excludes(&event->attr) || !event->ctx->of_cpu || event->leader->pmu != event->pmu)
		return -EINVAL;
	return 0;
}

#define OPERATIONS                                                                        \
	.event_init = ibs_event_init, .add = ibs_add, .del = ibs_del, .start = ibs_start, \
	.stop = ibs_stop, .read = ibs_read

static struct ibs ibs_fetch = {
    .pmu = {OPERATIONS},
    .name = "ibs_fetch",
    .registers = {.control = MSR_IBS_FETCH_CTL, .nr = IBS_FETCH_REGISTERS},
    .counts = MAX_COUNT,
    .enable = FETCH_ENABLE,
    .valid = FETCH_VALID,
    .most = (int64_t)MAX_COUNT * COUNT_UNIT,
};

static struct ibs ibs_op = {
    .pmu = {OPERATIONS},
    .name = "ibs_op",
    .registers = {.control = MSR_IBS_OP_CTL, .nr = IBS_OP_REGISTERS},
    .enable = OP_ENABLE,
    .valid = OP_VALID,
};

/* ---- start ---- */

/* Returns `what` if the processor has all capabilities of `caps`, else 0. */
static uint64_t with(uint32_t caps, uint64_t what)
{
	return (ibs_caps & caps) == caps ? what : 0;
}

static void find_caps(void)
{
	uint32_t family = cpuid_family();
	uint64_t high;

	ibs_caps = cpuid_read(CPUID_IBS_CAPS);
	if (!(ibs_caps & IBS_CAPS_VALID))
		ibs_caps = IBS_CAPS_VALID | IBS_CAPS_FETCH | IBS_CAPS_OP;
	high = with(IBS_CAPS_LONG_COUNT, OP_MAX_HIGH);
	ibs_op.counts = MAX_COUNT | OP_COUNT | high;
	ibs_op.config = MAX_COUNT | high | with(IBS_CAPS_OP_COUNT, OP_COUNTS_OPS) |
			with(IBS_CAPS_L3_ONLY, OP_L3_ONLY);
	ibs_op.most = (int64_t)(MAX_COUNT * COUNT_UNIT + high);
	ibs_op.registers.more = (uint32_t)with(IBS_CAPS_TARGET, MSR_IBS_TARGET);
	ibs_fetch.config = MAX_COUNT | FETCH_RANDOM | with(IBS_CAPS_L3_ONLY, FETCH_L3_ONLY);
	ibs_fetch.registers.more = (uint32_t)with(IBS_CAPS_FETCH_EXTENDED, MSR_IBS_FETCH_EXTENDED);
	ibs_fetch.restarts = family >= STICKY_FIRST && family <= STICKY_LAST;
	two_steps = family == FAMILY_TWO_STEP;
}

/* Sets up this processor. Firmware chooses the entry of the extended LVT, and may have left IBS
 * running. */
static void start_processor(void *failed)
{
	uint64_t control;

	wrmsr(MSR_IBS_FETCH_CTL, 0);
	wrmsr(MSR_IBS_OP_CTL, 0);
	if (!rdmsr_safe(MSR_IBS_CTL, &control) || !(control & LVT_VALID) ||
	    !apic_extended_nmi((unsigned)FIELD_GET(LVT_ENTRY, control)))
		__atomic_store_n((bool *)failed, true, __ATOMIC_RELAXED);
}

static void ibs_offer(struct ibs *ibs, uint32_t type)
{
	ibs->pmu.type = type;
	pmu_register(&ibs->pmu);
	sysfs_add_pmu(ibs->name, ibs->pmu.type);
	if (ibs_caps & IBS_CAPS_L3_ONLY) {
		sysfs_add_word(ibs->name, "format/l3missonly",
			       ibs == &ibs_op ? "config:16" : "config:59");
		sysfs_add_word(ibs->name, "caps/zen4_ibs_extensions", "1");
	}
}

unsigned ibs_init(uint32_t type)
{
	bool failed = false;
	uint64_t value;

	ibs_caps = 0;
	if (!cpuid_has(CPUID_IBS) || !rdmsr_safe(MSR_IBS_OP_CTL, &value) ||
	    !rdmsr_safe(MSR_IBS_FETCH_CTL, &value))
		return 0;
	find_caps();
	remote_call_all(start_processor, &failed);
	if (failed) {
		ibs_caps = 0;
		log_warn("PMU: no instruction-based sampling: firmware gave it no interrupt");
		return 0;
	}
	nmi_register(ibs_nmi);
	ibs_offer(&ibs_fetch, type);
	sysfs_add_word(ibs_fetch.name, "format/rand_en", "config:57");
	ibs_offer(&ibs_op, type + 1);
	if (ibs_caps & IBS_CAPS_OP_COUNT)
		sysfs_add_word(ibs_op.name, "format/cnt_ctl", "config:19");
	if (ibs_caps & IBS_CAPS_LOAD_LATENCY) {
		sysfs_add_word(ibs_op.name, "format/ldlat", "config1:0-11");
		sysfs_add_word(ibs_op.name, "caps/ldlat", "1");
	}
	log_info("PMU: instruction-based sampling, %x", ibs_caps);
	return 2;
}

/* ---- precise events of the processor's PMU ---- */

#define RAW_CYCLES 0x76
#define RAW_OPS    0xc1

bool ibs_takes_precise(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	bool raw = attr->type == PERF_TYPE_RAW,
	     cycles =
		 raw ? attr->config == RAW_CYCLES
		     : attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;

	if (!cycles && !(raw && attr->config == RAW_OPS))
		return false;
	attr->type = ibs_op.pmu.type;
	attr->config = cycles ? 0 : OP_COUNTS_OPS;
	return true;
}
