/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates the code of a run: registers, preparation, counters, the instances, counters again.
 * Counters are read as nanoBench does (A. Abel, J. Reineke, ISPASS 2020), between LFENCEs; all
 * registers and flags belong to the measured code. Encodings: Intel SDM volume 2.
 */
#include <string.h>
#include <sys/mman.h>

#include "abi/page.h"
#include "apps/bench/bench.h"

#define CODE_ALIGN  64
#define FIXED_BYTES 4096 /* of all but the instances and --init */
#define RING0_STACK 65536

static void code_put(struct harness *h, const void *bytes, size_t size)
{
	memcpy(h->end, bytes, size);
	h->end += size;
}

#define PUT(harness, ...) \
	code_put(harness, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put32(struct harness *h, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	code_put(h, &low, sizeof(low));
}

/* Emits a MOV from a 64-bit register to the word at a low address. */
static void put_store(struct harness *h, int reg, const void *to)
{
	PUT(h, (uint8_t)(0x48 | (reg >= 8) << 2), 0x89, (uint8_t)(0x04 | (reg & 7) << 3), 0x25);
	put32(h, (uint64_t)to);
}

static void put_load(struct harness *h, int reg, const void *from)
{
	PUT(h, (uint8_t)(0x48 | (reg >= 8) << 2), 0x8b, (uint8_t)(0x04 | (reg & 7) << 3), 0x25);
	put32(h, (uint64_t)from);
}

static void put_constant(struct harness *h, int reg, uint64_t value)
{
	PUT(h, (uint8_t)(0x48 | (reg >= 8)), (uint8_t)(0xb8 | (reg & 7)));
	code_put(h, &value, sizeof(value));
}

static void put_lfence(struct harness *h)
{
	PUT(h, 0x0f, 0xae, 0xe8);
}

/* Emits RDPMC of each counter, or RDTSC, and stores of EAX and EDX as two halves in the block. */
static void put_reading(struct harness *h, bool after, const uint32_t *counters, int nr)
{
	h->readings[after][0] = h->end;
	put_lfence(h);
	put_store(h, RING0_RAX, &h->block->rax);
	put_store(h, RING0_RCX, &h->block->rcx);
	put_store(h, RING0_RDX, &h->block->rdx);
	for (int i = 0; i < nr; i++) {
		uint64_t to =
		    (uint64_t)(after ? &h->block->counts[i].after : &h->block->counts[i].before);

		if (counters[i] == COUNTER_TSC) {
			PUT(h, 0x0f, 0x31); /* rdtsc */
		} else {
			PUT(h, 0xb9); /* mov ecx, counter */
			put32(h, counters[i]);
			PUT(h, 0x0f, 0x33); /* rdpmc */
		}
		PUT(h, 0x89, 0x04, 0x25); /* mov [to], eax */
		put32(h, to);
		PUT(h, 0x89, 0x14, 0x25); /* mov [to + 4], edx */
		put32(h, to + 4);
	}
	put_load(h, RING0_RDX, &h->block->rdx);
	put_load(h, RING0_RCX, &h->block->rcx);
	put_load(h, RING0_RAX, &h->block->rax);
	put_lfence(h);
	h->readings[after][1] = h->end;
}

/* Emits the entry, which saves rbx, rbp, r12 to r15 and the stack pointer: the callee-saved
 * registers of C. */
static void put_entry(struct harness *h)
{
	PUT(h, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57);
	put_store(h, RING0_RSP, &h->block->stack);
}

static void put_exit(struct harness *h)
{
	put_load(h, RING0_RSP, &h->block->stack);
	PUT(h, 0xfc); /* cld */
	PUT(h, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3);
}

static void put_registers(struct harness *h, const struct bench_options *options)
{
	static const uint8_t registers[AREAS] = {[AREA_R14] = 14,
						 [AREA_RDI] = RING0_RDI,
						 [AREA_RSI] = RING0_RSI,
						 [AREA_RBP] = RING0_RBP,
						 [AREA_RSP] = RING0_RSP};

	for (int i = 0; i < AREAS; i++)
		put_constant(h, registers[i], areas_register(options, i));
}

static void put_instances(struct harness *h, const struct job *job, unsigned unroll)
{
	for (unsigned i = 0; i < unroll; i++) {
		if (!job->function) {
			code_put(h, job->code.bytes, job->code.size);
			continue;
		}
		PUT(h, 0xe8); /* call */
		put32(h, job->function - (uint64_t)h->end - 4);
	}
}

/* Emits NOPs up to `align`, in the longest forms that need no table. */
static void put_padding(struct harness *h, unsigned align)
{
	while ((uint64_t)h->end % align)
		PUT(h, 0x90);
}

static size_t instance_bytes(const struct job *job)
{
	return job->function ? 5 : job->code.size;
}

/* Makes room for the code, and for the data at `offset` of a page. Reuses that of an earlier
 * harness if it is large enough. */
static void make_room(struct harness *h, size_t bytes, int offset)
{
	static uint8_t *code, *code_end;
	static struct block *block;
	static uint8_t *stack;

	if (!block) {
		block = (struct block *)((uint8_t *)low_memory(offset ? 2 * PAGE : PAGE) + offset);
		stack = low_memory(RING0_STACK);
	}
	if ((size_t)(code_end - code) < bytes) {
		if (code)
			munmap(code, (size_t)(code_end - code));
		bytes = (bytes + PAGE - 1) & -PAGE;
		code = low_memory(bytes);
		code_end = code + bytes;
	}
	*h = (struct harness){.block = block,
			      .code = code,
			      .end = code,
			      .room_end = code_end,
			      .stack = (uint64_t)stack + RING0_STACK};
}

void harness_build(struct harness *h, const struct bench_options *options, const struct job *job,
		   unsigned unroll, const uint32_t *counters, int nr)
{
	uint8_t *loop;

	make_room(h, FIXED_BYTES + job->init.size + unroll * instance_bytes(job),
		  options->harness_offset);
	put_entry(h);
	put_registers(h, options);
	h->init = h->end;
	code_put(h, job->init.bytes, job->init.size);
	if (options->loop) {
		PUT(h, 0x49, 0xc7, 0xc7); /* mov r15, loop */
		put32(h, (uint64_t)options->loop);
	}
	put_reading(h, false, counters, nr);
	put_padding(h, CODE_ALIGN);
	loop = h->body = h->end;
	put_instances(h, job, unroll);
	if (options->loop) {
		PUT(h, 0x49, 0xff, 0xcf); /* dec r15 */
		h->branch = h->end;
		PUT(h, 0x0f, 0x85); /* jnz loop */
		put32(h, (uint64_t)loop - (uint64_t)h->end - 4);
	}
	put_reading(h, true, counters, nr);
	put_exit(h);
}
