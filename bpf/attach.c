/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs attached to perf events (samples), trace events (records), and raw tracepoints. */
#include <asm/ptrace.h>
#include <linux/errno.h>
#include "arch/x86/trap/remote.h"
#include "bpf/attach.h"
#include "bpf/run.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "pmu/core/core.h"
#include "pmu/record/userpage.h"
#include "trace/base/event.h"
#include "trace/base/program.h"
#include "trace/probe/probe.h"

/* A program attached to a trace event. */
struct place {
	struct trace_program at;
	struct trace_event *event;
	struct bpf_program *program;
	uint64_t cookie;
};

/* ---- trace events ---- */

/* Fills in the fields common to all contexts of trace events. */
static void fill_hit(struct bpf_context *context, const struct trace_record **record)
{
	*record = context->hit;
	context->frame = (*record)->frame;
	context->cookie = ((const struct place *)context->place)->cookie;
	context->readable = 0;
	context->function = 0;
}

/* Programs may not read the header: the context is the rest. */
static void fill_traced(struct bpf_context *context)
{
	const struct trace_record *record;

	fill_hit(context, &record);
	context->data = (void *)record->header;
	context->bytes = record->bytes;
	context->readable = sizeof(struct trace_header);
}

static inline uint64_t run_hit(const struct place *place, const struct trace_record *record,
			       void (*fill)(struct bpf_context *context))
{
	struct run *run = run_here();

	if (!run_begin(run, place->program))
		return 0;
	run->context.fill = fill;
	run->context.place = place;
	run->context.hit = record;
	return run_go(run);
}

static uint64_t run_traced(struct trace_program *at, const struct trace_record *record)
{
	return run_hit((const struct place *)at, record, fill_traced);
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

static void fill_registers(struct bpf_context *context, uint32_t bytes)
{
	copy_registers((struct pt_regs *)context->words, context->frame);
	context->data = context->words;
	context->bytes = bytes;
}

/* A probe's context is the registers. */
static void fill_probed(struct bpf_context *context)
{
	const struct trace_record *record;

	fill_hit(context, &record);
	fill_registers(context, sizeof(struct pt_regs));
	context->function = probe_function(record->event);
}

static uint64_t run_probed(struct trace_program *at, const struct trace_record *record)
{
	return run_hit((const struct place *)at, record, fill_probed);
}

/* A raw tracepoint's context is its arguments. */
static void fill_raw(struct bpf_context *context)
{
	const struct trace_record *record;

	fill_hit(context, &record);
	context->data = (void *)record->arguments->values;
	context->bytes = record->arguments->nr * sizeof(uint64_t);
}

static uint64_t run_raw(struct trace_program *at, const struct trace_record *record)
{
	run_hit((const struct place *)at, record, fill_raw);
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
				.at.once = raw ? NULL : program,
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

/* struct bpf_perf_event_data as programs access it. */
struct sample_context {
	struct pt_regs regs;
	uint64_t period, address;
};

_Static_assert(sizeof(struct sample_context) == sizeof(((struct bpf_context *)0)->words),
	       "the largest of what is made");

static void fill_sampled(struct bpf_context *context)
{
	struct sample_context *sample = (struct sample_context *)context->words;

	context->event = (struct perf_event *)context->place;
	context->frame = context->hit;
	context->cookie = context->event->cookie;
	context->readable = 0;
	context->function = 0;
	fill_registers(context, sizeof(*sample));
	sample->period = context->period;
	sample->address = context->address;
}

/* The sample is taken if the program returns nonzero. */
static bool run_sampled(struct perf_event *event, const struct frame *frame, uint64_t address,
			uint64_t period)
{
	struct run *run = run_here();

	if (!run_begin(run, event->program))
		return false;
	run->context.fill = fill_sampled;
	run->context.place = event;
	run->context.hit = frame;
	run->context.period = period;
	run->context.address = address;
	return run_go(run) != 0;
}

static void attach(struct bpf_program *program, struct perf_event *event)
{
	program_get(program);
	event->detach = program_detach;
	event->run_program = run_sampled;
	__atomic_store_n(&event->program, program, __ATOMIC_RELEASE);
}

/* As on Linux the copy has no cookie. */
static void share_sampled(struct perf_event *copy, const struct perf_event *origin)
{
	if (origin->program)
		attach(origin->program, copy);
}

static int attach_sampled(struct bpf_program *program, struct perf_event *event, uint64_t cookie)
{
	if (program->type != BPF_PROG_TYPE_PERF_EVENT)
		return -EINVAL;
	if (event->program)
		return -EEXIST;
	event->cookie = cookie;
	event->share = share_sampled;
	attach(program, event);
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

uint64_t program_cookie(const struct perf_event *event)
{
	const struct place *place = event->place;

	return place ? place->cookie : event->cookie;
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
