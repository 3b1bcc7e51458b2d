/* SPDX-License-Identifier: BSD-2-Clause */
/* The files `stat`, `statm` and `status` of /proc/PID: proc(5). */
#include <linux/mman.h>
#include <linux/resource.h>
#include "arch/x86/paging/paging.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/process/process.h"
#include "kernel/procfs/proc.h"
#include "kernel/procfs/proc_stat.h"
#include "kernel/signal/signal.h"
#include "kernel/task/system_time.h"
#include "kernel/task/tracee.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/vm.h"

static const char *const states[] = {['R'] = "running",
				     ['S'] = "sleeping",
				     ['T'] = "stopped",
				     ['Z'] = "zombie",
				     ['t'] = "tracing stop"};

static char state_letter(const struct task *task)
{
	if (is_traced(task) && task->trace->stopped)
		return 't';
	if (task->process->stopped && task->stop_passed != task->process->stops)
		return 'T';
	return task->state == TASK_RUNNABLE ? 'R' : task->state == TASK_SLEEPING ? 'S' : 'Z';
}

/* Returns the bytes of the program's code, as Linux: of its pages. */
static uint64_t program_bytes(const struct mm *mm)
{
	return ((mm->code_end + PAGE_SIZE - 1) & -PAGE_SIZE) - (mm->code_start & -PAGE_SIZE);
}

/* Computes the masks of ignored and caught signals. */
static void handled(const struct task *task, uint64_t *ignored, uint64_t *caught)
{
	*ignored = *caught = 0;
	for (unsigned i = 0; i < NR_SIGNALS; i++) {
		uint64_t handler = task->process->actions->action[i].handler;

		if (handler == (uint64_t)SIG_IGN)
			*ignored |= 1ul << i;
		else if (handler != (uint64_t)SIG_DFL)
			*caught |= 1ul << i;
	}
}

/* Resource use of the thread, or of its process. */
static void usage_of(const struct task *task, bool thread, struct usage *usage)
{
	if (thread)
		task_usage(task, usage);
	else
		process_usage(task->process, usage);
}

static void add_signals(struct text *out, const struct task *task)
{
	const uint64_t first = 0x7fffffff; /* the signals that are not real-time */
	uint64_t ignored, caught;

	handled(task, &ignored, &caught);
	text_print(out, " %lu %lu %lu %lu", task->pending & first, task->blocked & first,
		   ignored & first, caught & first);
}

/* Fields 1 to 25. */
static void add_numbers(struct text *out, const struct task *task, bool thread)
{
	const struct process *process = task->process;
	const struct usage *children = &process->children;
	struct usage usage;

	system_time_wanted(task->process);
	usage_of(task, thread, &usage);
	text_print(out, "%d (%s) %c %d %d %d 0 -1 0 %lu %lu %lu %lu %lu %lu %lu %lu 20 0 %u 0 %lu",
		   task->pid, task->comm, state_letter(task), task->parent ? task->parent->tgid : 0,
		   process->pgid, process->sid, usage.min_faults, children->min_faults,
		   usage.maj_faults, children->maj_faults,
		   (usage.runtime_ns - usage.system_ns) / NS_PER_TICK,
		   usage.system_ns / NS_PER_TICK,
		   (children->runtime_ns - children->system_ns) / NS_PER_TICK,
		   children->system_ns / NS_PER_TICK, process->live, task->start_ns / NS_PER_TICK);
	text_print(out, " %lu %lu %lu", task->mm ? task->mm->bytes.total : 0,
		   task->mm ? task->mm->rss : 0, process->limits[RLIMIT_RSS][0]);
}

void proc_make_stat(struct text *out, uint64_t id)
{
	struct task *task = proc_task(id);
	static const struct mm none;
	const struct mm *mm;
	bool shown;

	if (!task)
		return;
	shown = may_inspect(task, true);
	mm = shown && task->mm ? task->mm : &none;
	add_numbers(out, task, id & PROC_THREAD);
	text_print(out, " %lu %lu %lu 0 0", mm->code_start, mm->code_end, mm->stack_start);
	add_signals(out, task);
	text_print(out, " 0 0 0 %d %u 0 0 0 0 0", task->exit_signal, task->cpu);
	text_print(out, " %lu %lu %lu %lu %lu %lu %lu %d\n", mm->data_start, mm->data_end,
		   mm->brk_start, mm->arg_start, mm->arg_end, mm->env_start, mm->env_end,
		   shown ? task->exit_status : 0);
	task_put(task);
}

void proc_make_statm(struct text *out, uint64_t id)
{
	static const struct mm none;
	struct task *task = proc_task(id);
	const struct mm *mm = task && task->mm ? task->mm : &none;

	if (!task)
		return;
	text_print(out, "%lu %lu 0 %lu 0 %lu 0\n", mm->bytes.total / PAGE_SIZE, mm->rss,
		   program_bytes(mm) / PAGE_SIZE, (mm->bytes.data + mm->bytes.stack) / PAGE_SIZE);
	task_put(task);
}

static void add_ids(struct text *out, const char *name, const struct ids *ids)
{
	text_print(out, "%s:\t%u\t%u\t%u\t%u\n", name, ids->real, ids->effective, ids->saved,
		   ids->fs);
}

static void add_umask(struct text *out, uint32_t umask)
{
	text_print(out, "Umask:\t0%u%u%u\n", umask >> 6 & 7, umask >> 3 & 7, umask & 7);
}

static void add_identity(struct text *out, const struct task *task)
{
	const struct groups *groups = task->cred.groups;
	char letter = state_letter(task);

	text_print(out, "Name:\t%s\n", task->comm);
	if (task->cwd)
		add_umask(out, task->cwd->umask);
	text_print(
	    out, "State:\t%c (%s)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n",
	    letter, states[(int)letter], task->tgid, task->pid,
	    task->parent ? task->parent->tgid : 0, is_traced(task) ? task->trace->tracer->pid : 0);
	add_ids(out, "Uid", &task->cred.uid);
	add_ids(out, "Gid", &task->cred.gid);
	text_print(out, "FDSize:\t%u\nGroups:\t", task->files ? task->files->size : 0);
	for (uint32_t i = 0; groups && i < groups->count; i++)
		text_print(out, "%u ", groups->id[i]);
	if (!groups || !groups->count)
		text_char(out, ' ');
	text_print(out, "\nNStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n", task->tgid,
		   task->pid, task->process->pgid, task->process->sid);
}

static void add_size(struct text *out, const char *name, uint64_t bytes)
{
	text_print(out, "%s:\t%8lu kB\n", name, bytes / 1024);
}

/* Returns the bytes of mapped huge pages. */
static uint64_t huge_entered(const struct mm *mm)
{
	uint64_t bytes = 0;
	struct vma *vma;

	if (!mm->bytes.huge)
		return 0;
	list_for_each(vma, &mm->vmas, link) {
		uint64_t at = vma->flags & VMA_HUGE ? vma->start : vma->end;

		while ((at = paging_next_large(mm->root_phys, at, vma->end)) < vma->end) {
			bytes += huge_bytes_of(vma);
			at += huge_bytes_of(vma);
		}
	}
	return bytes;
}

static void add_sizes(struct text *out, const struct mm *mm)
{
	const struct area_bytes *bytes = &mm->bytes;
	uint64_t program = program_bytes(mm);

	if (program > bytes->code)
		program = bytes->code;
	add_size(out, "VmPeak", bytes->total);
	add_size(out, "VmSize", bytes->total);
	add_size(out, "VmLck", bytes->locked);
	add_size(out, "VmPin", mm->locked_pages * PAGE_SIZE);
	add_size(out, "VmHWM", mm->max_rss * PAGE_SIZE);
	add_size(out, "VmRSS", mm->rss * PAGE_SIZE);
	add_size(out, "VmData", bytes->data);
	add_size(out, "VmStk", bytes->stack);
	add_size(out, "VmExe", program);
	add_size(out, "VmLib", bytes->code - program);
	add_size(out, "VmPTE", paging_tables(mm->root_phys) * PAGE_SIZE);
	add_size(out, "VmSwap", 0);
	add_size(out, "HugetlbPages", huge_entered(mm));
}

static void add_rights(struct text *out, const struct task *task)
{
	const struct cred *cred = &task->cred;
	uint64_t ignored, caught;

	handled(task, &ignored, &caught);
	text_print(out, "Threads:\t%u\nSigQ:\t0/%lu\n", task->process->live,
		   task->process->limits[RLIMIT_SIGPENDING][0]);
	text_print(out, "SigPnd:\t%016lx\nShdPnd:\t%016lx\nSigBlk:\t%016lx\n", task->pending,
		   task->process->pending, task->blocked);
	text_print(out, "SigIgn:\t%016lx\nSigCgt:\t%016lx\n", ignored, caught);
	text_print(out, "CapInh:\t%016lx\nCapPrm:\t%016lx\nCapEff:\t%016lx\n", cred->inheritable,
		   cred->permitted, cred->effective);
	text_print(out, "CapBnd:\t%016lx\nCapAmb:\t%016lx\nNoNewPrivs:\t%u\n", cred->bounding,
		   cred->ambient, cred->no_new_privs);
	text_print(out, "Seccomp:\t0\nSeccomp_filters:\t0\n");
}

void proc_make_status(struct text *out, uint64_t id)
{
	struct task *task = proc_task(id);

	if (!task)
		return;
	add_identity(out, task);
	if (task->mm)
		add_sizes(out, task->mm);
	add_rights(out, task);
	text_print(out, "voluntary_ctxt_switches:\t%lu\nnonvoluntary_ctxt_switches:\t%lu\n",
		   task->nvcsw, task->nivcsw);
	task_put(task);
}
