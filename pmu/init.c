/* SPDX-License-Identifier: BSD-2-Clause */
/* Start-up of the performance events, and their hooks in the kernel. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/trap_hooks.h"
#include "kernel/base/hooks.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "pmu/amd/ibs.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/rdpmc.h"
#include "pmu/core/sysfs.h"
#include "pmu/free/free.h"
#include "pmu/hw/hw.h"
#include "pmu/intel/intel_bts.h"
#include "pmu/intel/intel_pt.h"
#include "pmu/pmu.h"
#include "pmu/record/addresses.h"
#include "pmu/record/callchain.h"
#include "pmu/record/sideband.h"
#include "pmu/soft/breakpoint.h"
#include "pmu/soft/software.h"

/* Counts a software event of the scheduler, which happens in the kernel. */
static void count_in_kernel(unsigned id)
{
	struct frame frame = {.rip = (uint64_t)(uintptr_t)__builtin_return_address(0), .cs = 8};

	if (software_wanted(id))
		software_event(id, 1, &frame, 0);
}

static void switch_out(struct task *prev, struct task *next)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	count_in_kernel(PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (cpu->buffered)
		hardware_pmu->switching();
	records_switch(prev, next, false);
	if (cpu->task_ctx)
		sched_task_out(cpu, cpu->task_ctx);
}

static void switch_in(struct task *prev, struct task *next)
{
	struct pmu_cpu *cpu = this_pmu_cpu();
	struct perf_task *own = next->perf;

	if (hardware_pmu && hardware_pmu->switched)
		hardware_pmu->switched();
	if (own && !own->ctx.dead) {
		sched_task_in(cpu, &own->ctx);
		if (own->ctx.trap_due)
			event_traps_due(&own->ctx);
	}
	breakpoints_settle(cpu);
	if (next->migrated)
		count_in_kernel(PERF_COUNT_SW_CPU_MIGRATIONS);
	rdpmc_switch(next->mm);
	records_switch(next, prev, true);
}

static void fork_done(struct task *child, uint64_t flags)
{
	(void)flags;
	records_fork(child);
	records_namespaces(child);
}

static void task_free(struct task *task)
{
	if (!task->perf)
		return;
	inherit_undo(task); /* none are left but of a task that never ran */
	context_put(&task->perf->ctx);
	task->perf = NULL;
}

static void mmap_done(struct vma *vma)
{
	records_mmap(vma);
	addresses_mapped(vma);
}

/* Out of line: the path without events must stay fast. */
__attribute__((noinline)) static void page_fault_event(unsigned id, struct frame *frame,
						       uint64_t address)
{
	uint64_t flags = irq_save();

	software_event(id, 1, frame, address);
	irq_restore(flags);
}

/* Counts a page fault before it is resolved, as on Linux: the sample's page is not mapped yet. */
static void page_fault(struct frame *frame, uint64_t address)
{
	if (software_wanted(PERF_COUNT_SW_PAGE_FAULTS))
		page_fault_event(PERF_COUNT_SW_PAGE_FAULTS, frame, address);
}

static void page_fault_minor(struct frame *frame, uint64_t address)
{
	if (software_wanted(PERF_COUNT_SW_PAGE_FAULTS_MIN))
		page_fault_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, frame, address);
}

/* prctl(PR_TASK_PERF_EVENTS_ENABLE, _DISABLE): all events that the task opened. */
static void task_enable(bool enable)
{
	struct perf_task *own = current_task()->perf;
	struct perf_event *opened, *child;

	if (!own)
		return;
	list_for_each(opened, &own->owned, owner_link) {
		enable ? event_enable(opened) : event_disable(opened);
		list_for_each(child, &opened->children, child_link)
			enable ? event_enable(child) : event_disable(child);
	}
}

static void task_exec(struct task *task)
{
	watch_drop(task);
	addresses_mapped(NULL);
	inherit_exec(task);
}

static void task_exit(struct task *task)
{
	watch_drop(task);
	inherit_exit(task);
}

static const struct perf_hooks hooks = {
    .switch_out = switch_out,
    .switch_in = switch_in,
    .fork = inherit_fork,
    .fork_done = fork_done,
    .exec = task_exec,
    .comm = records_comm,
    .namespaces = records_namespaces,
    .exit = task_exit,
    .task_free = task_free,
    .mmap = mmap_done,
    .page_fault = page_fault,
    .page_fault_minor = page_fault_minor,
    .task_enable = task_enable,
    .cgroup_made = records_cgroup,
    .cgroup_moved = cgroup_moved,
};

static bool init_cpu(struct cpu *cpu)
{
	struct pmu_cpu *own = kalloc(sizeof(*own));

	if (!own)
		return false;
	context_init(&own->ctx, NULL);
	own->ctx.of_cpu = own->ctx.active = true;
	own->ctx.cpu = cpu->id;
	tick_init(own);
	cpu->pmu = own;
	return true;
}

/* The PMUs of Linux's own types, in the order of the search for an event's. */
static void register_software(void)
{
	static const struct pmu *const own[] = {&software_pmu, &cpu_clock_pmu, &task_clock_pmu,
						&breakpoint_pmu};

	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		pmu_register(own[i]);
}

/* PMUs beside the processors' counters, in the order of their types. Each takes the first free type
 * and returns the number of PMUs it registered, 0 if the processor has none. */
static unsigned (*const more_pmus[])(uint32_t type) = {
    ibs_init, intel_pt_init, intel_bts_init, msr_pmu_init, power_pmu_init, cstate_pmu_init};

static void offer_more_pmus(void)
{
	uint32_t type =
	    PMU_TYPE_FREE; /* the first ones are the further kinds' of hybrid machines */

	for (unsigned i = HW_SECOND; i < HW_KINDS; i++)
		if (!cpu_mask_empty(&hw_kinds[i].cpus))
			type = hw_pmus[i].type + 1;
	for (unsigned i = 0; i < sizeof(more_pmus) / sizeof(more_pmus[0]); i++)
		type += more_pmus[i](type);
}

void pmu_init(void)
{
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (!init_cpu(cpus[i]))
			panic("no memory for the performance events");
	if (callchain_reserve(perf_limits.max_stack))
		panic("no memory for call chains");
	register_software();
	hardware_init();
	sysfs_init();
	offer_more_pmus();
	perf_hooks = hooks;
	trap_hooks.debug_hit = breakpoints_hit;
}
