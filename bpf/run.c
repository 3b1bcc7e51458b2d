/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves pointers of a running program, and ends runs that need cleanup. A program that does
 * something invalid ends at once, with 0.
 */
#include "bpf/run.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"

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

void run_fill(struct run *run)
{
	run->context.fill(&run->context);
	run->context.fill = NULL;
}

static void *context_memory(const struct bpf_context *context, uint32_t offset, uint64_t bytes)
{
	return offset < context->readable ? NULL
					  : within(context->data, context->bytes, offset, bytes);
}

/* Copies a word of the kernel's memory, zeros where it cannot be read, as Linux does for pointers
 * in the arguments of TRACING programs. */
static void *kernel_word(struct run *run, uint64_t address, uint64_t bytes)
{
	if (run->program->type != BPF_PROG_TYPE_TRACING || bytes > sizeof(run->word))
		return NULL;
	run->word = 0;
	if (peek_kernel(&run->word, address, bytes) != bytes)
		run->word = 0;
	return &run->word;
}

void *run_memory_elsewhere(struct run *run, uint64_t pointer, uint64_t bytes, bool write)
{
	uint32_t region = pointer >> REGION_SHIFT & 0xffff, offset = (uint32_t)pointer;

	if (pointer >> 48 != POINTER_TAG)
		return write ? NULL : kernel_word(run, pointer, bytes);
	if (region >= REGION_MAPS && region < REGION_MAPS + PROGRAM_MAPS + INNER_MAX)
		return map_memory(run, region - REGION_MAPS, offset, bytes, write);
	if (region == REGION_CONTEXT)
		return write ? NULL : context_memory(run_context(run), offset, bytes);
	if (region == REGION_KEY)
		return write ? NULL : within((void *)run->key, run->key_bytes, offset, bytes);
	if (region >= REGION_RECORDS && region < REGION_RECORDS + RECORDS_MAX)
		return run->records[region - REGION_RECORDS].record
			   ? within(run->records[region - REGION_RECORDS].record,
				    run->records[region - REGION_RECORDS].bytes, offset, bytes)
			   : NULL;
	return NULL;
}

/* Discards records that the program has not submitted. */
static void drop_records(struct run *run)
{
	for (unsigned i = 0; i < RECORDS_MAX; i++)
		if (run->records[i].record) {
			ring_record_commit(run->records[i].map, run->records[i].record, 0, true);
			run->records[i].record = NULL;
		}
}

void run_prepare(struct run *run)
{
	run->begun = 0;
	run_set_depth(run, 0);
	run->reg[10] = run_pointer(REGION_STACK, STACK_BYTES_EACH);
}

uint64_t run_clean(struct run *run, uint64_t result)
{
	bool failed = run->failed;

	if (run->has_records)
		drop_records(run);
	run_prepare(run);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&run->running, false, __ATOMIC_RELAXED);
	return failed ? 0 : result;
}
