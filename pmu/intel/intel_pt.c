/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor Trace as the PMU intel_pt: the hardware writes packets into the AUX area of the event
 * that has it. As Linux's arch/x86/events/intel/pt.c; SDM volume 3, "Intel Processor Trace".
 */
#include <linux/errno.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/nmi.h"
#include "kernel/base/log.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/intel_pt.h"
#include "pmu/record/addresses.h"
#include "ringbuf/ring.h"

#define CONFIG                                                                                  \
	(PT_TRACE | PT_CYC | PT_POWER | PT_FUP_ON_PTW | PT_MTC | PT_TSC | PT_NO_RETC | PT_PTW | \
	 PT_BRANCH | PT_MTC_FREQ | PT_CYC_LIMIT | PT_PSB_FREQ)

/* State of each processor. Task code and the NMI write it in turn: `running` keeps the NMI away. */
struct pt_cpu {
	struct aux_writer writer;
	struct pt_buffer *buffer;
	struct perf_event *event; /* that has the hardware. NULL: none */
	bool running;             /* its interrupts are wanted: the task is not stopping it */
};

static struct pt_cpu pt_cpus[MAX_CPUS];

static struct pt_cpu *this_pt(void)
{
	return &pt_cpus[this_cpu_read(id)];
}

/* ---- one transaction. Context: interrupts masked, or the NMI. ---- */

static uint64_t control_of(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t control = (attr->config & CONFIG) | PT_TRACE | PT_TOPA;

	if (!(attr->config & PT_TRACE))
		control |= PT_BRANCH;
	return control | (attr->exclude_kernel ? 0 : PT_OS) | (attr->exclude_user ? 0 : PT_USR);
}

/* Registers take canonical addresses only: returns the address, or the nearest one above (`up`) or
 * below it, with the 48 bits that this kernel uses. */
static uint64_t canonical(uint64_t address, bool up)
{
	const uint64_t high = -1ul << 47;

	if (address < -high || address >= high)
		return address;
	return up ? high : -high - 1;
}

/* Writes the address ranges, with the trace off. Returns how RTIT_CTL uses them. A file that is not
 * mapped is at address 0, where nothing runs. */
static uint64_t write_ranges(const struct address_filters *set)
{
	uint64_t control = 0;

	for (uint32_t i = 0; set && i < set->nr; i++) {
		const struct address_filter *filter = &set->filters[i];
		uint64_t first = filter->bytes ? filter->start : 0,
			 last = filter->bytes ? filter->start + filter->bytes - 1 : 0;

		if (last < first)
			last = UINT64_MAX;
		wrmsr(MSR_RTIT_ADDR0_A + 2 * i, canonical(first, true));
		wrmsr(MSR_RTIT_ADDR0_A + 2 * i + 1, canonical(last, false));
		control |= (filter->action == ADDRESS_FILTER ? PT_FILTER : PT_STOP) << PT_RANGE(i);
	}
	return control;
}

/* The count of bytes since the last PSB begins again with the event, not with each transaction. */
static void trace_begin(struct perf_event *event)
{
	if (!event->hw.config) {
		aux_trace_started(event);
		wrmsr(MSR_RTIT_STATUS, 0);
	}
	event->hw.config = control_of(event) | write_ranges(event->addresses);
	if (event->hw.trace_paused)
		event->hw.config &= ~PT_TRACE;
	else
		wrmsr(MSR_RTIT_CTL, event->hw.config);
}

/* All pending packets are in memory afterwards. */
static void trace_end(struct perf_event *event)
{
	if (!(event->hw.config & PT_TRACE))
		return;
	event->hw.config &= ~PT_TRACE;
	wrmsr(MSR_RTIT_CTL, event->hw.config);
}

static bool transaction_begin(struct pt_cpu *cpu, struct perf_event *event)
{
	cpu->buffer = aux_begin(&cpu->writer, event);
	if (!cpu->buffer)
		return false;
	if (!pt_buffer_begin(cpu->buffer, &cpu->writer)) {
		aux_end(&cpu->writer, 0);
		return false;
	}
	trace_begin(event);
	return true;
}

static void transaction_end(struct pt_cpu *cpu)
{
	const struct aux_area *aux = cpu->writer.aux;
	uint64_t head = pt_buffer_end(cpu->buffer, &cpu->writer), bytes = aux_bytes(aux), size;

	size = (head - cpu->writer.head) & (bytes - 1);
	if (aux->overwrite) {
		cpu->writer.head = head;
		size = bytes;
	}
	aux_end(&cpu->writer, size);
}

/* ---- the PMU ---- */

static void pt_start(struct perf_event *event)
{
	struct pt_cpu *cpu = this_pt();

	cpu->running = event->hw.running = transaction_begin(cpu, event);
}

static void pt_stop(struct perf_event *event)
{
	struct pt_cpu *cpu = this_pt();

	cpu->running = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	trace_end(event);
	event->hw.running = false;
	if (cpu->writer.event == event)
		transaction_end(cpu);
}

static int pt_add(struct perf_event *event)
{
	struct pt_cpu *cpu = this_pt();

	if (cpu->event)
		return -EBUSY;
	pt_start(event);
	if (!event->hw.running)
		return -EINVAL;
	cpu->event = event;
	return 0;
}

static void pt_del(struct perf_event *event)
{
	pt_stop(event);
	this_pt()->event = NULL;
}

static void pt_read(struct perf_event *event)
{
	(void)event;
}

static int setup_aux(struct perf_event *event, struct aux_area *aux)
{
	(void)event;
	aux->hardware = pt_buffer_new(aux);
	aux->free_hardware = pt_buffer_free;
	return aux->hardware ? 0 : -ENOMEM;
}

/* Only areas that are overwritten are sampled: others have interrupts of their own. */
static void pt_snapshot(struct perf_event *event, struct ring_writer *w, uint32_t bytes)
{
	struct pt_cpu *cpu = this_pt();
	bool on = event->hw.config & PT_TRACE;

	if (cpu->event != event || !cpu->writer.event || !cpu->writer.aux->overwrite) {
		for (; bytes; bytes -= sizeof(uint64_t))
			ring_write_u64(w, 0);
		return;
	}
	if (on)
		trace_end(event);
	aux_copy(cpu->writer.aux, pt_buffer_head(cpu->buffer) - bytes, w, bytes);
	if (on)
		trace_begin(event);
}

/* Keeps the transaction in the AUX area. */
static void pt_pause(struct perf_event *event, bool pause)
{
	struct pt_cpu *cpu = this_pt();
	bool on = event->hw.config & PT_TRACE;

	event->hw.trace_paused = pause;
	if (cpu->event != event || !cpu->writer.event || on != pause)
		return;
	if (pause)
		trace_end(event);
	else
		trace_begin(event);
}

/* A field's value is listed by a bit; 0 of an optional field always is. */
static bool is_listed(uint64_t config, uint64_t field, enum pt_cap list, bool optional)
{
	uint64_t value = FIELD_GET(field, config);

	return (optional && !value) || (pt_cap(list) >> value & 1);
}

static bool is_valid(uint64_t config)
{
	if (config & ~(uint64_t)CONFIG)
		return false;
	if ((config & (PT_CYC | PT_CYC_LIMIT | PT_PSB_FREQ)) &&
	    !(pt_cap(PT_CAP_PSB_CYC) && is_listed(config, PT_PSB_FREQ, PT_CAP_PSB_PERIODS, true) &&
	      is_listed(config, PT_CYC_LIMIT, PT_CAP_CYC_LIMITS, true)))
		return false;
	if ((config & (PT_MTC | PT_MTC_FREQ)) &&
	    !(pt_cap(PT_CAP_MTC) && is_listed(config, PT_MTC_FREQ, PT_CAP_MTC_PERIODS, false)))
		return false;
	if ((config & PT_POWER) && !pt_cap(PT_CAP_POWER))
		return false;
	if ((config & (PT_PTW | PT_FUP_ON_PTW)) && !(pt_cap(PT_CAP_PTWRITE) && (config & PT_PTW)))
		return false;
	return (config & PT_TRACE) || !(config & PT_BRANCH);
}

static int pt_init_event(struct perf_event *event)
{
	static bool
	    has_handler; /* of NMIs: before the first event it would cost each one an RDMSR */

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!has_handler)
		nmi_register(intel_pt_nmi);
	has_handler = true;
	return is_valid(event->attr.config) ? addresses_inherit(event) : -EINVAL;
}

static int pt_set_filter(struct perf_event *event, const char *text)
{
	uint32_t ranges = pt_cap(PT_CAP_IP_FILTER) ? pt_cap(PT_CAP_RANGES) : 0;

	return ranges ? addresses_set(event, text, ranges) : -EINVAL;
}

static struct pmu pt_pmu = {
    .caps = PMU_SOFTWARE | PMU_EXCLUSIVE,
    .branch_use = BRANCH_TRACE,
    .event_init = pt_init_event,
    .add = pt_add,
    .del = pt_del,
    .start = pt_start,
    .stop = pt_stop,
    .read = pt_read,
    .destroy = addresses_free,
    .set_filter = pt_set_filter,
    .setup_aux = setup_aux,
    .snapshot = pt_snapshot,
    .pause_trace = pt_pause,
};

/* Handles a full region with INT: ends the transaction and begins another if there is room. */
static void interrupted(struct pt_cpu *cpu)
{
	struct perf_event *event = cpu->event;

	if (!cpu->running || !event || !cpu->writer.event)
		return;
	trace_end(event);
	transaction_end(cpu);
	cpu->running = event->hw.running = transaction_begin(cpu, event);
}

bool intel_pt_nmi(struct frame *frame)
{
	(void)frame;
	if (!(rdmsr(MSR_PERF_GLOBAL_STATUS) & GLOBAL_STATUS_TOPA))
		return false;
	wrmsr(MSR_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_TOPA);
	interrupted(this_pt());
	apic_pmi_arm();
	return true;
}

unsigned intel_pt_init(uint32_t type)
{
	const struct intel_model *model;
	uint64_t control;

	if (!pt_caps_read() || !rdmsr_safe(MSR_RTIT_CTL, &control))
		return 0;
	if (control & PT_TRACE) {
		log_warn("intel_pt: firmware traces, so it is left alone");
		return 0;
	}
	/* Without counters there are no branch records either. */
	model = intel_model(&hw_kinds[HW_FIRST]);
	traces_exclude_branches = model && model->trace_excludes_branches;
	pt_pmu.type = type;
	pmu_register(&pt_pmu);
	pt_sysfs_init(type);
	return 1;
}
