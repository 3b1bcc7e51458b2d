/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints figures: a table, columns for spreadsheets, lines of JSON. */
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/lib/event/pmu_id.h"
#include "apps/lib/json.h"

/* Prints a field of CSV (RFC 4180) with its quotes. */
static void quote_field(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	fputc('"', out);
}

/* ---- what ended the code ---- */

static const char *vector_name(unsigned vector)
{
	static const char *const names[] = {[0] = "divide error",
					    [1] = "debug exception",
					    [2] = "NMI",
					    [3] = "breakpoint",
					    [4] = "overflow",
					    [5] = "bound range",
					    [6] = "invalid opcode",
					    [7] = "device not available",
					    [8] = "double fault",
					    [10] = "invalid TSS",
					    [11] = "segment not present",
					    [12] = "stack fault",
					    [13] = "general protection",
					    [14] = "page fault",
					    [16] = "x87 error",
					    [17] = "alignment check",
					    [19] = "SIMD error",
					    [21] = "control protection"};

	return vector < sizeof(names) / sizeof(names[0]) && names[vector] ? names[vector]
									  : "interrupt";
}

/* Returns the source line of the code at `offset`: the last one that begins there or before. */
static const char *source_at(const struct job *job, size_t offset, char text[128])
{
	const char *line = job->lines;
	size_t begin;
	int text_at;

	*text = '\0';
	for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "%zx%n", &begin, &text_at) == 1 && begin <= offset)
			snprintf(text, 128, "%.*s", (int)strcspn(line + text_at + 1, "\n"),
				 line + text_at + 1);
	return text;
}

static void print_registers(FILE *out, const struct ring0_call *call)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
					    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

	for (int i = 0; i < RING0_REGISTERS; i++)
		fprintf(out, "  %-3s %016lx%s", names[i], (unsigned long)call->registers[i],
			i % 4 == 3 ? "\n" : "");
	fprintf(out, "  rip %016lx  rflags %08lx  cr2 %016lx  error %x\n", (unsigned long)call->rip,
		(unsigned long)call->rflags, (unsigned long)call->cr2, call->error);
}

#define VECTOR_UD   6
#define EVEX_PREFIX 0x62 /* in 64-bit mode nothing else begins with it */

/* The code ended at an instruction of AVX-512, which this processor has not. */
static bool wants_avx512(const struct job *job, const struct outcome *outcome)
{
	return outcome->end.call.ended == VECTOR_UD && outcome->in_code &&
	       job->code.bytes[outcome->offset] == EVEX_PREFIX;
}

static void print_end_of(FILE *out, const struct job *job, const struct outcome *outcome)
{
	const struct ring0_call *call = &outcome->end.call;
	char text[128];

	if (*job->label)
		fprintf(out, "%s: ", job->label);
	fprintf(out, "ended by vector %u (%s) ", call->ended, vector_name(call->ended));
	if (outcome->in_code)
		fprintf(out, "at byte %zu of the code: %s\n", outcome->offset,
			source_at(job, outcome->offset, text));
	else if (outcome->in_init)
		fprintf(out, "at byte %zu of --init\n", outcome->offset);
	else
		fprintf(out, "elsewhere\n");
	if (wants_avx512(job, outcome))
		fprintf(out, "this processor has no AVX-512 (EVEX-encoded instructions); QEMU "
			     "emulates none\n");
	print_registers(out, call);
}

/* ---- the table ---- */

static void table_begin(FILE *out, const struct bench_options *options)
{
	fprintf(out, "# PMU: %s\n# ring %d, %d instance%s%s, %d runs after %d, %s\n", pmu_line(),
		options->ring, options->unroll, options->unroll == 1 ? "" : "s",
		options->loop ? " in a loop" : "", options->runs, options->warm_up,
		options->aggregate == BENCH_MINIMUM  ? "lowest"
		: options->aggregate == BENCH_MEDIAN ? "median"
						     : "mean");
}

static void table_outcome(FILE *out, const struct bench_options *options,
			  const struct event_list *events, const struct job *job,
			  const struct outcome *outcome)
{
	char line[VERDICT_LINE];

	if (*job->label)
		fprintf(out, "\n%s\n", job->label);
	else
		fputc('\n', out);
	for (int i = 0; i < events->nr; i++) {
		const struct figure *f = &outcome->figures[i];
		const char *name = events->events[i].name;

		if (events->events[i].class == CLASS_NOT_COUNTED)
			fprintf(out, "%14s  %-32s\n", "<not counted>", name);
		else
			fprintf(out, "%14.2f  %-32s %10.2f to %.2f\n", f->value, name, f->low,
				f->high);
	}
	if (options->ticks)
		fprintf(out, "%14.2f  %-32s %10.2f to %.2f\n", outcome->ticks.value, "tsc",
			outcome->ticks.low, outcome->ticks.high);
	if (options->energy)
		fprintf(out, "%14.3g  %-32s\n", outcome->joules, "joules, power/energy-pkg/");
	verdict_line(&outcome->verdict, line);
	fprintf(out, "verdict: %s\n", line);
}

/* ---- CSV: a line for each job ---- */

static void csv_begin(FILE *out, const struct bench_options *options,
		      const struct event_list *events)
{
	fprintf(out, "# PMU: %s\ncode", pmu_line());
	for (int i = 0; i < events->nr; i++) {
		fputc(',', out);
		if (strchr(events->events[i].name, ','))
			quote_field(out, events->events[i].name);
		else
			fputs(events->events[i].name, out);
		fputs(",low,high", out);
	}
	fprintf(out, "%s%s,runs,equal,verdict\n", options->ticks ? ",tsc,low,high" : "",
		options->energy ? ",joules" : "");
}

static void csv_outcome(FILE *out, const struct bench_options *options,
			const struct event_list *events, const struct job *job,
			const struct outcome *outcome)
{
	char line[VERDICT_LINE];
	int equal = outcome->figures[0].runs;

	quote_field(out, job->label);
	for (int i = 0; i < events->nr; i++) {
		const struct figure *f = &outcome->figures[i];

		if (events->events[i].class == CLASS_NOT_COUNTED)
			fprintf(out, ",<not counted>,,");
		else
			fprintf(out, ",%.4f,%.4f,%.4f", f->value, f->low, f->high);
		equal = f->equal < equal ? f->equal : equal;
	}
	if (options->ticks)
		fprintf(out, ",%.4f,%.4f,%.4f", outcome->ticks.value, outcome->ticks.low,
			outcome->ticks.high);
	if (options->energy)
		fprintf(out, ",%.4g", outcome->joules);
	verdict_line(&outcome->verdict, line);
	fprintf(out, ",%d,%d,", outcome->figures[0].runs, equal);
	quote_field(out, line);
	fputc('\n', out);
}

/* ---- JSON: an object for each job ---- */

static void json_begin(FILE *out, const struct bench_options *options)
{
	fprintf(out, "{\"pmu\": ");
	json_quoted(out, pmu_line());
	fprintf(out, ", \"ring\": %d, \"unroll\": %d, \"loop\": %d, \"runs\": %d}\n", options->ring,
		options->unroll, options->loop, options->runs);
}

static void json_outcome(FILE *out, const struct bench_options *options,
			 const struct event_list *events, const struct job *job,
			 const struct outcome *outcome)
{
	char line[VERDICT_LINE];

	fprintf(out, "{\"code\": ");
	json_quoted(out, job->label);
	fprintf(out, ", \"events\": {");
	for (int i = 0; i < events->nr; i++) {
		const struct figure *f = &outcome->figures[i];

		fprintf(out, "%s", i ? ", " : "");
		json_quoted(out, events->events[i].name);
		if (events->events[i].class == CLASS_NOT_COUNTED)
			fprintf(out, ": {\"value\": \"<not counted>\"");
		else
			fprintf(out,
				": {\"value\": %.4f, \"low\": %.4f, \"high\": %.4f, \"equal\": %d",
				f->value, f->low, f->high, f->equal);
		fprintf(out, ", \"class\": \"%s\"}", event_class_name(events->events[i].class));
	}
	verdict_line(&outcome->verdict, line);
	fputc('}', out);
	if (options->ticks)
		fprintf(out, ", \"tsc\": {\"value\": %.4f, \"low\": %.4f, \"high\": %.4f}",
			outcome->ticks.value, outcome->ticks.low, outcome->ticks.high);
	if (options->energy)
		fprintf(out, ", \"joules\": %.6g", outcome->joules);
	fprintf(out,
		", \"valid\": %s, \"verdict\": ", *outcome->verdict.reasons ? "false" : "true");
	json_quoted(out, line);
	fprintf(out, "}\n");
}

void print_begin(FILE *out, const struct bench_options *options, const struct event_list *events)
{
	if (options->format == BENCH_CSV)
		csv_begin(out, options, events);
	else if (options->format == BENCH_JSON)
		json_begin(out, options);
	else
		table_begin(out, options);
}

/* Marks the row of code that ended by a fault. */
static void print_fault(FILE *out, const struct bench_options *options,
			const struct event_list *events, const struct job *job,
			const struct outcome *outcome)
{
	const char *name = vector_name(outcome->end.call.ended);

	if (options->format == BENCH_TABLE) {
		fprintf(out, "\n%s%sfault: %s\n", job->label, *job->label ? "\n" : "", name);
	} else if (options->format == BENCH_CSV) {
		quote_field(out, job->label);
		for (int i = 0; i < events->nr; i++)
			fprintf(out, ",,,");
		fprintf(out, "%s%s,0,0,\"fault: %s\"\n", options->ticks ? ",,," : "",
			options->energy ? "," : "", name);
	} else {
		fprintf(out, "{\"code\": ");
		json_quoted(out, job->label);
		fprintf(out, ", \"valid\": false, \"verdict\": \"fault: %s\"}\n", name);
	}
	fflush(out); /* before the details, which go to stderr */
	print_end_of(stderr, job, outcome);
}

void print_outcome(FILE *out, const struct bench_options *options, const struct event_list *events,
		   const struct job *job, const struct outcome *outcome)
{
	if (outcome->failed)
		print_fault(out, options, events, job, outcome);
	else if (options->format == BENCH_CSV)
		csv_outcome(out, options, events, job, outcome);
	else if (options->format == BENCH_JSON)
		json_outcome(out, options, events, job, outcome);
	else
		table_outcome(out, options, events, job, outcome);
}
