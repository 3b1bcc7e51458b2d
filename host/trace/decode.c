/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One decoder of blocks for each processor's trace. The one that is behind continues until the next
 * stretch of traced code begins, so that threads which change processors are followed in order.
 */
#include "host/trace/decode.h"

#include <stdlib.h>
#include <string.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

#define FIELD 15

struct stream {
	struct trace_output *output;
	struct trace_result *result;
	struct pt_block_decoder *decoder;
	struct pt_image *image;
	struct trace_thread *thread; /* NULL: none is traced */
	uint32_t cpu, pid;
	uint64_t tsc;  /* of the last packet with the time */
	uint64_t time; /* ns */
	int status;    /* of the decoder */
	bool ended, synchronised;
	bool begins; /* a stretch begins at `time`, at `ip` */
	uint64_t ip;
};

/* Returns MTCFreq of the trace (SDM volume 3, "IA32_RTIT_CTL"): packets are 2^MTCFreq ticks of the
 * crystal apart. */
static uint8_t mtc_frequency(const struct trace_source *source)
{
	uint64_t bits = source->info.words[AUX_PT_MTC_PERIOD_BITS];

	return bits ? (uint8_t)((source->config & bits) >> __builtin_ctzll(bits) & FIELD) : 0;
}

/* Returns the ticks of the TSC from one packet with the time to the next one. */
static uint64_t packet_distance(const struct trace_source *source)
{
	const uint64_t *words = source->info.words;

	if (!words[AUX_PT_MTC_PERIOD_BITS] || !words[AUX_PT_TSC_DENOMINATOR])
		return 0;
	return (words[AUX_PT_TSC_NUMERATOR] << mtc_frequency(source)) /
	       words[AUX_PT_TSC_DENOMINATOR];
}

/* Returns the TSC. libipt 2.1 gives none while the decoder reads code. */
static uint64_t time_now(const struct stream *stream)
{
	uint64_t tsc;

	return pt_blk_time(stream->decoder, &tsc, NULL, NULL) ? stream->tsc : tsc;
}

/* A traced kernel may have mapped the code since the stretch began, and since the last packet with
 * the time. */
static int read_code(uint8_t *bytes, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	struct stream *stream = context;
	struct trace_source *source = stream->output->source;
	size_t n = trace_code(source, stream->pid, ip, bytes, size);

	(void)asid;
	if (!n) {
		trace_learn(source, trace_time(source, time_now(stream) + packet_distance(source)));
		n = trace_code(source, stream->pid, ip, bytes, size);
	}
	return n ? (int)n : -pte_nomap;
}

/* Returns the ratio of the TSC to the bus of 100 MHz. */
static uint8_t nominal_ratio(const uint64_t *words)
{
	double hz = words[AUX_TIME_MULT]
			? 1e9 * (double)(UINT64_C(1) << (words[AUX_TIME_SHIFT] & 63)) /
			      (double)words[AUX_TIME_MULT]
			: 0;

	return (uint8_t)(words[AUX_PT_MAX_NONTURBO] ? (double)words[AUX_PT_MAX_NONTURBO]
						    : hz / 1e8 + 0.5);
}

static void configure(struct pt_config *config, const struct trace_source *source,
		      const struct trace_part *part)
{
	const uint64_t *words = source->info.words;

	pt_config_init(config);
	config->begin = part->bytes;
	config->end = part->bytes + part->size;
	config->flags.variant.block.end_on_call = 1;
	config->flags.variant.block.end_on_jump = 1;
	config->cpuid_0x15_eax = (uint32_t)words[AUX_PT_TSC_DENOMINATOR];
	config->cpuid_0x15_ebx = (uint32_t)words[AUX_PT_TSC_NUMERATOR];
	config->nom_freq = nominal_ratio(words);
	config->mtc_freq = mtc_frequency(source);
}

static void open_stream(struct stream *stream, struct trace_output *output,
			struct trace_result *result, const struct trace_part *part)
{
	struct pt_config config;

	*stream = (struct stream){.output = output, .result = result, .cpu = part->cpu};
	configure(&config, output->source, part);
	stream->decoder = pt_blk_alloc_decoder(&config);
	stream->image = pt_image_alloc(NULL);
	if (!stream->decoder || !stream->image)
		die(STATUS_OURS, "out of memory");
	pt_image_set_callback(stream->image, read_code, stream);
	pt_blk_set_image(stream->decoder, stream->image);
}

static void close_stream(struct stream *stream)
{
	pt_blk_free_decoder(stream->decoder);
	pt_image_free(stream->image);
}

/* Time never goes back, neither a processor's nor a thread's. */
static void set_time(struct stream *stream, uint64_t tsc)
{
	uint64_t time = trace_time(stream->output->source, tsc);

	stream->tsc = tsc;
	if (time > stream->time)
		stream->time = time;
	if (!stream->result->first)
		stream->result->first = stream->time;
	if (stream->time > stream->result->last)
		stream->result->last = stream->time;
	if (stream->thread && stream->time > stream->thread->now)
		stream->thread->now = stream->time;
}

static void read_time(struct stream *stream)
{
	uint64_t tsc;

	if (!pt_blk_time(stream->decoder, &tsc, NULL, NULL))
		set_time(stream, tsc);
}

/* Finds the thread that runs on the processor now. */
static void find_thread(struct stream *stream)
{
	struct trace_source *source = stream->output->source;
	unsigned cpu = stream->cpu % TRACE_PROCESSORS;

	trace_learn(source, stream->time);
	stream->pid = source->running[cpu].pid;
	stream->thread = traced_thread_of(stream->output, stream->pid, source->running[cpu].tid);
	if (stream->time > stream->thread->now)
		stream->thread->now = stream->time;
}

static void lost(struct stream *stream, const char *why)
{
	stream->result->errors++;
	if (!stream->result->error)
		stream->result->error = why;
	if (stream->thread)
		traced_note(stream->output, stream->thread, format_text("lost: %s", why));
}

static void begin(struct stream *stream)
{
	stream->begins = false;
	find_thread(stream);
	traced_resume(stream->output, stream->thread, stream->ip);
}

static void enabled(struct stream *stream, uint64_t ip)
{
	stream->begins = true;
	stream->ip = ip;
}

static void disabled(struct stream *stream, bool interrupted, uint64_t ip)
{
	if (stream->thread)
		traced_leave(stream->output, stream->thread, interrupted, ip);
	stream->thread = NULL;
}

static void take_event(struct stream *stream, const struct pt_event *event)
{
	if (event->has_tsc)
		set_time(stream, event->tsc);
	if (event->status_update && stream->thread)
		return;
	switch (event->type) {
	case ptev_enabled:
		enabled(stream, event->variant.enabled.ip);
		break;
	case ptev_disabled:
		disabled(stream, false, 0);
		break;
	case ptev_async_disabled:
		disabled(stream, true, event->variant.async_disabled.at);
		break;
	case ptev_async_branch:
		if (stream->thread)
			traced_interrupt(stream->output, stream->thread,
					 event->variant.async_branch.from);
		break;
	case ptev_overflow:
		lost(stream, "the processor dropped packets");
		if (!event->ip_suppressed)
			enabled(stream, event->variant.overflow.ip);
		break;
	case ptev_ptwrite:
		if (stream->thread)
			traced_note(stream->output, stream->thread,
				    format_text("ptwrite %#lx",
						(unsigned long)event->variant.ptwrite.payload));
		break;
	default:
		break;
	}
}

/* Synchronises with the next PSB. False: the trace has ended. */
static bool synchronise(struct stream *stream)
{
	if (stream->synchronised && stream->status >= 0)
		return true;
	if (stream->synchronised)
		lost(stream, pt_errstr(pt_errcode(stream->status)));
	stream->thread = NULL;
	stream->status = pt_blk_sync_forward(stream->decoder);
	stream->synchronised = true;
	stream->ended = stream->status < 0;
	return !stream->ended;
}

static void take_block(struct stream *stream, const struct pt_block *block)
{
	if (!stream->thread) {
		stream->ip = block->ip;
		begin(stream);
	}
	read_time(stream);
	traced_block(stream->output, stream->thread, block);
	stream->result->instructions += block->ninsn;
}

static void take_events(struct stream *stream)
{
	struct pt_event event;

	while (!stream->begins && stream->status >= 0 && stream->status & pts_event_pending) {
		stream->status = pt_blk_event(stream->decoder, &event, sizeof(event));
		if (stream->status >= 0)
			take_event(stream, &event);
	}
}

/* Takes the next block. */
static void take_step(struct stream *stream)
{
	struct pt_block block = {0};

	if (stream->status & pts_eos) {
		stream->ended = true;
		return;
	}
	stream->status = pt_blk_next(stream->decoder, &block, sizeof(block));
	if (block.ninsn)
		take_block(stream, &block);
	stream->ended = stream->status == -pte_eos;
}

/* Decodes up to the beginning of the next stretch, or to the end. */
static void advance(struct stream *stream)
{
	if (stream->begins)
		begin(stream);
	while (!stream->begins && !stream->ended && synchronise(stream)) {
		take_events(stream);
		if (!stream->begins && stream->status >= 0)
			take_step(stream);
	}
}

void trace_decode(struct trace_output *output, struct trace_result *result)
{
	size_t nr = output->source->nr_parts;
	struct stream *streams = allocate((nr + 1) * sizeof(*streams)), *next;

	for (size_t i = 0; i < nr; i++)
		open_stream(&streams[i], output, result, &output->source->parts[i]);
	do {
		next = NULL;
		for (size_t i = 0; i < nr; i++)
			if (!streams[i].ended && (!next || streams[i].time < next->time))
				next = &streams[i];
		if (next)
			advance(next);
	} while (next);
	traced_end(output);
	for (size_t i = 0; i < nr; i++)
		close_stream(&streams[i]);
	free(streams);
}
