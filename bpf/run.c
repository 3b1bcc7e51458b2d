/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs programs: what their pointers lead to, and each run's begin and end. A program that does
 * what it must not ends at once, with 0. One program at a time runs on a processor, as on Linux.
 */
#include "bpf/bpf.h"
#include "bpf/cpu.h"
#include "bpf/ops.h"
#include "kernel/base/string.h"

/* ---- memory ---- */

static void *within(void *base, uint64_t size, uint32_t offset, uint64_t bytes)
{
	return offset <= size && bytes <= size - offset ? (uint8_t *)base + offset : NULL;
}

static void *map_memory(struct run *run, uint32_t index, uint32_t offset, uint64_t bytes,
			bool write)
{
	struct bpf_map *map = run_map_at(run, index);

	if (!map || !map->kind->in_values || (write && map->flags & BPF_F_RDONLY_PROG) ||
	    (!write && map->flags & BPF_F_WRONLY_PROG))
		return NULL;
	return within(map->values, map->bytes, offset, bytes);
}

static void *context_data(struct run *run)
{
	if (run->unfilled)
		run->context->fill(run->context);
	run->unfilled = false;
	return run->context->data;
}

void *run_memory_elsewhere(struct run *run, uint64_t pointer, uint64_t bytes, bool write)
{
	uint32_t region = pointer >> REGION_SHIFT & 0xffff, offset = (uint32_t)pointer;
	const struct bpf_context *context = run->context;

	if (pointer >> 48 != POINTER_TAG)
		return NULL;
	if (region >= REGION_MAPS && region < REGION_MAPS + PROGRAM_MAPS + INNER_MOST)
		return map_memory(run, region - REGION_MAPS, offset, bytes, write);
	if (region == REGION_CONTEXT)
		return write || offset < context->readable
			   ? NULL
			   : within(context_data(run), context->bytes, offset, bytes);
	if (region == REGION_KEY)
		return write ? NULL : within((void *)run->key, run->key_bytes, offset, bytes);
	if (region >= REGION_RECORDS && region < REGION_RECORDS + RECORDS_MOST)
		return run->records[region - REGION_RECORDS].record
			   ? within(run->records[region - REGION_RECORDS].record,
				    run->records[region - REGION_RECORDS].bytes, offset, bytes)
			   : NULL;
	return NULL;
}

/* Records that the program has not given back are nobody's. */
static void drop_records(struct run *run)
{
	for (unsigned i = 0; i < RECORDS_MOST; i++)
		if (run->records[i].record) {
			ring_record_commit(run->records[i].map, run->records[i].record, 0, true);
			run->records[i].record = NULL;
		}
	run->nr_records = 0;
}

static uint64_t run_here(struct run *run, struct bpf_program *program,
			 const struct bpf_context *context)
{
	uint64_t reg[11] = {[1] = run_pointer(REGION_CONTEXT, 0),
			    [10] = run_pointer(REGION_STACK, STACK_BYTES_EACH)};
	uint64_t result;

	run->program = program;
	run->context = context;
	run->left = RUN_MOST;
	run->tail_calls = 0;
	run_set_depth(run, 0);
	run->failed = false;
	run->unfilled = context->fill;
	run->nr_inner = run->key_bytes = 0;
	result = interpret(run, 0, reg);
	if (run->nr_records)
		drop_records(run);
	return run->failed ? 0 : result;
}

uint64_t program_run(struct bpf_program *program, const struct bpf_context *context)
{
	struct bpf_cpu *cpu = bpf_this_cpu();
	uint64_t result = 0;

	if (__atomic_add_fetch(&cpu->running, 1, __ATOMIC_RELAXED) == 1)
		result = run_here(&cpu->run, program, context);
	else
		__atomic_add_fetch(&program->misses, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&cpu->running, 1, __ATOMIC_RELAXED);
	return result;
}
