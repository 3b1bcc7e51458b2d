/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs at perf events (their samples), at trace events (their records), and raw
 * tracepoints. */
#include "bpf/attach.h"
#include <linux/errno.h>
#include <asm/ptrace.h>
#include "arch/x86/trap/remote.h"
#include "bpf/run.h"
#include "kernel/base/string.h"
#include "kernel/fs/file.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "trace/base/event.h"
#include "trace/probe/probe.h"
#include "trace/base/program.h"

/* A program's place at a trace event. */
struct place {
	struct trace_program at;
	struct trace_event *event;
	struct bpf_program *program;
	uint64_t cookie;
};

/* ---- trace events ---- */

/* The header is no program's: only what comes after it. */
static uint64_t run_traced(struct trace_program *at, const struct trace_record *record)
{
	struct place *place = (struct place *)at;
	struct bpf_context context = {.data = (void *)record->header,
				      .bytes = record->bytes,
				      .readable = sizeof(struct trace_header),
				      .frame = record->frame,
				      .cookie = place->cookie};
	return program_run(place->program, &context);
}

static void copy_registers(struct pt_regs *regs, const struct frame *frame)
{
	*regs = (struct pt_regs){.r15 = frame->r15,
				 .r14 = frame->r14,
				 .r13 = frame->r13,
				 .r12 = frame->r12,
				 .rbp = frame->rbp,
				 .rbx = frame->rbx,
				 .r11 = frame->r11,
				 .r10 = frame->r10,
				 .r9 = frame->r9,
				 .r8 = frame->r8,
				 .rax = frame->rax,
				 .rcx = frame->rcx,
				 .rdx = frame->rdx,
				 .rsi = frame->rsi,
				 .rdi = frame->rdi,
				 .orig_rax = frame->error,
				 .rip = frame->rip,
				 .cs = frame->cs,
				 .eflags = frame->rflags,
				 .rsp = frame->rsp,
				 .ss = frame->ss};
}

static void fill_registers(const struct bpf_context *context)
{
	copy_registers(context->data, context->frame);
}

/* A probe's context are the registers. */
static uint64_t run_probed(struct trace_program *at, const struct trace_record *record)
{
	struct place *place = (struct place *)at;
	struct pt_regs registers;
	struct bpf_context context = {.data = &registers,
				      .fill = fill_registers,
				      .bytes = sizeof(registers),
				      .frame = record->frame,
				      .function = probe_function(record->event),
				      .cookie = place->cookie};

	return program_run(place->program, &context);
}

/* A raw tracepoint's context are its arguments. */
static uint64_t run_raw(struct trace_program *at, const struct trace_record *record)
{
	struct place *place = (struct place *)at;
	struct bpf_context context = {.data = (void *)record->arguments->values,
				      .bytes = record->arguments->nr * sizeof(uint64_t),
				      .frame = record->frame,
				      .cookie = place->cookie};

	program_run(place->program, &context);
	return 1;
}

struct place *place_new(struct bpf_program *program, struct trace_event *event, bool raw,
			uint64_t cookie, int *error)
{
	struct place *place = kalloc(sizeof(*place));

	*error = -ENOMEM;
	if (!place)
		return NULL;
	*place = (struct place){.at.run = raw                     ? run_raw
					  : event_is_probe(event) ? run_probed
								  : run_traced,
				.event = event,
				.program = program,
				.cookie = cookie};
	*error = programs_add(event, &place->at);
	if (*error) {
		kfree(place);
		return NULL;
	}
	program_get(program);
	return place;
}

void place_free(struct place *place)
{
	programs_remove(place->event, &place->at);
	program_put(place->program);
	kfree(place);
}

/* ---- perf events ---- */

/* struct bpf_perf_event_data as programs see it. */
struct sample_context {
	struct pt_regs regs; /* first, for fill_registers() */
	uint64_t period, address;
};

/* The sample is taken when the program says so. */
static bool run_sampled(struct perf_event *event, const struct frame *frame, uint64_t address,
			uint64_t period)
{
	struct sample_context data;
	struct bpf_context context = {.data = &data,
				      .fill = fill_registers,
				      .bytes = sizeof(data),
				      .frame = frame,
				      .event = event,
				      .cookie = event->cookie};

	data.period = period;
	data.address = address;
	return program_run(event->program, &context) != 0;
}

static int attach_sampled(struct bpf_program *program, struct perf_event *event, uint64_t cookie)
{
	if (program->type != BPF_PROG_TYPE_PERF_EVENT)
		return -EINVAL;
	if (event->program)
		return -EEXIST;
	program_get(program);
	event->cookie = cookie;
	event->detach = program_detach;
	event->run_program = run_sampled;
	__atomic_store_n(&event->program, program, __ATOMIC_RELEASE);
	return 0;
}

static int attach_traced(struct bpf_program *program, struct perf_event *event, uint64_t cookie)
{
	int err;

	if (program->type !=
	    (event_is_probe(event->hw.trace) ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT))
		return -EINVAL;
	if (event->place)
		return -EEXIST;
	event->place = place_new(program, event->hw.trace, false, cookie, &err);
	event->detach = program_detach;
	return err;
}

int program_attach(struct bpf_program *program, struct perf_event *event, uint64_t cookie)
{
	return event->hw.trace ? attach_traced(program, event, cookie)
			       : attach_sampled(program, event, cookie);
}

void program_detach(struct perf_event *event)
{
	struct bpf_program *program = event->program;

	if (event->place)
		place_free(event->place);
	event->place = NULL;
	if (!program)
		return;
	__atomic_store_n(&event->program, NULL, __ATOMIC_RELEASE);
	remote_synchronize();
	program_put(program);
}

struct bpf_program *program_attached(const struct perf_event *event)
{
	const struct place *place = event->place;

	return place ? place->program : event->program;
}

uint32_t programs_at(const struct trace_event *event, uint32_t *ids, uint32_t most)
{
	const struct trace_program *at = event->programs;
	uint32_t nr = 0;

	for (; at; at = at->next) {
		if (at->is_tracefs)
			continue;
		if (nr < most)
			ids[nr] = ((const struct place *)at)->program->object.id;
		nr++;
	}
	return nr;
}
