/* SPDX-License-Identifier: BSD-2-Clause */
/* The list: a line a call that made no other, else one for its begin and one for its end, like
 * ftrace's function_graph; or a line an instruction. */
#include "host/trace/list.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "apps/report/places/places.h"

#define INDENT     2
#define TEXT_BYTES 128

static double microseconds(uint64_t ns)
{
	return (double)ns / 1000;
}

/* Writes the head of a line: time since the first line, and how long it took; `took` UINT64_MAX:
 * nothing. */
static void head(struct trace_list *list, uint64_t time, uint64_t took)
{
	if (!list->started) {
		list->started = true;
		list->first = time;
		fprintf(list->out, "# %9s %12s  call\n", "us", "took us");
	}
	fprintf(list->out, "%11.3f ", microseconds(time - list->first));
	if (took == UINT64_MAX)
		fprintf(list->out, "%12s  ", "");
	else
		fprintf(list->out, "%12.3f  ", microseconds(took));
}

static void indent(struct trace_list *list, unsigned level)
{
	fprintf(list->out, "%*s", (int)(INDENT * level), "");
}

/* Writes the waiting call as one that makes others. */
static void flush(struct trace_list *list)
{
	if (!list->waits)
		return;
	list->waits = false;
	head(list, list->begin, UINT64_MAX);
	indent(list, list->level);
	fprintf(list->out, "%s {\n", list->name);
}

/* Writes a line when another thread continues. */
static void change_thread(struct trace_list *list, const struct trace_thread *thread)
{
	struct place place;

	if (list->tid == thread->tid)
		return;
	flush(list);
	list->tid = thread->tid;
	place = places_find(list->source->places, thread->pid, 0, false);
	fprintf(list->out, "# thread %u: %s\n", thread->tid, place.command);
}

static const struct trace_frame *newest(const struct trace_thread *thread)
{
	return &thread->frames[thread->nr - 1];
}

static void list_enter(void *context, const struct trace_thread *thread)
{
	struct trace_list *list = context;

	if (thread->nr > list->depth)
		return;
	change_thread(list, thread);
	flush(list);
	list->waits = true;
	list->level = thread->nr - 1;
	list->begin = thread->now;
	snprintf(list->name, sizeof(list->name), "%s", newest(thread)->function);
}

static void leave(void *context, const struct trace_thread *thread)
{
	struct trace_list *list = context;
	const struct trace_frame *frame = newest(thread);
	bool alone;

	if (thread->nr > list->depth)
		return;
	change_thread(list, thread);
	alone = list->waits;
	list->waits = false;
	head(list, alone ? frame->begin : thread->now, thread->now - frame->begin);
	indent(list, thread->nr - 1);
	fprintf(list->out, alone ? "%s\n" : "} %s\n", frame->function);
}

static void note(void *context, const struct trace_thread *thread, const char *text)
{
	struct trace_list *list = context;

	if (thread->nr > list->depth)
		return;
	change_thread(list, thread);
	flush(list);
	head(list, thread->now, UINT64_MAX);
	indent(list, thread->nr);
	fprintf(list->out, "[%s]\n", text);
}

struct trace_listener trace_list_calls(struct trace_list *list)
{
	return (struct trace_listener){
	    .context = list, .enter = list_enter, .leave = leave, .note = note};
}

/* Decodes one instruction into text. Returns its size; 0: its bytes are unknown. */
static unsigned decode(struct trace_list *list, const struct trace_thread *thread, uint64_t ip,
		       char text[TEXT_BYTES])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisFormatter formatter;
	ZydisDecoder decoder;
	uint8_t bytes[TRACE_INSN_BYTES];
	size_t n = trace_code(list->source, thread->pid, ip, bytes, sizeof(bytes));

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!n || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &insn, operands)))
		return 0;
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterFormatInstruction(&formatter, &insn, operands, insn.operand_count_visible,
					text, TEXT_BYTES, ip, ZYAN_NULL);
	return insn.length;
}

/* A block's instructions follow each other without a gap. */
static void list_block(void *context, const struct trace_thread *thread,
		       const struct pt_block *block)
{
	struct trace_list *list = context;
	const struct trace_frame *frame = newest(thread);
	uint64_t ip = block->ip;
	char text[TEXT_BYTES];

	change_thread(list, thread);
	for (unsigned i = 0; i < block->ninsn; i++) {
		unsigned size = decode(list, thread, ip, text);

		if (!size)
			return;
		head(list, thread->now, UINT64_MAX);
		fprintf(list->out, "%12lx %s+%#lx: %s\n", (unsigned long)ip, frame->function,
			(unsigned long)(frame->low ? ip - frame->low : 0), text);
		ip += size;
	}
}

struct trace_listener trace_list_instructions(struct trace_list *list)
{
	return (struct trace_listener){.context = list, .note = note, .block = list_block};
}

void trace_list_end(struct trace_list *list)
{
	flush(list);
}
