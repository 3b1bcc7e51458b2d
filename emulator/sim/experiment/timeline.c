/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's caches, TLBs and predictors on a trace of instructions. */
#include "emulator/sim/experiment/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/memory/memory.h"

enum { REGISTERS = 256, ROB_MAX = 1024, ACCESS_BYTES = 1, CALLS = 4096, DEPTH = 64 };
enum { USUAL_CALL = 5, LONGEST = 15 }; /* bytes of an instruction */

struct timeline {
	const struct core_config *config;
	struct shared_cache *shared;
	struct memory *memory;
	struct predictor *predictor;
	uint64_t fetched;          /* the line of the last fetch, + 1 */
	uint64_t issue;            /* the cycle in which the next instruction enters the window, */
	unsigned slot;             /* and how many have entered in it */
	uint64_t ready[REGISTERS]; /* the cycle of each register's value */
	uint64_t retires[ROB_MAX]; /* of the latest instructions, in a ring */
	uint64_t retired;          /* the cycle of the last one */
	uint64_t nr;               /* instructions */
	/* A trace does not say how long a call is: its return does. */
	uint64_t calls[DEPTH];
	unsigned depth;
	uint8_t lengths[CALLS];
	struct timeline_counts counts, begin;
};

struct timeline *timeline_new(const struct core_config *config)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->config = config;
	t->shared = shared_cache_new(config);
	t->memory = t->shared ? memory_new(config, t->shared) : NULL;
	t->predictor = predictor_new(config, 0);
	if (t->memory && t->predictor)
		return t;
	timeline_free(t);
	return NULL;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	predictor_free(t->predictor);
	memory_free(t->memory);
	shared_cache_free(t->shared);
	free(t);
}

/* ---- branches ---- */

/* The kind of a branch by its registers, as ChampSim finds it. */
static unsigned kind_of(const struct champsim_insn *insn)
{
	bool reads_sp = false, reads_ip = false, reads_flags = false, reads_other = false;

	for (unsigned i = 0; i < CHAMPSIM_SOURCES; i++) {
		uint8_t reg = insn->sources[i];

		reads_sp |= reg == CHAMPSIM_STACK_POINTER;
		reads_ip |= reg == CHAMPSIM_INSTRUCTION_POINTER;
		reads_flags |= reg == CHAMPSIM_FLAGS;
		reads_other |= reg && reg != CHAMPSIM_STACK_POINTER && reg != CHAMPSIM_FLAGS &&
			       reg != CHAMPSIM_INSTRUCTION_POINTER;
	}
	if (reads_sp)
		return !reads_ip ? BRANCH_RETURN : reads_other ? BRANCH_CALL_INDIRECT : BRANCH_CALL;
	if (reads_flags)
		return BRANCH_CONDITIONAL;
	return reads_other ? BRANCH_JUMP_INDIRECT : BRANCH_JUMP;
}

static uint8_t *length_of(struct timeline *t, uint64_t call)
{
	return &t->lengths[(call ^ call >> 12) % CALLS];
}

/* Returns the address after a branch, as far as it is known. */
static uint64_t after(struct timeline *t, uint64_t pc, unsigned kind)
{
	uint8_t length = *length_of(t, pc);

	if (kind != BRANCH_CALL && kind != BRANCH_CALL_INDIRECT)
		return pc + 4;
	return pc + (length ? length : USUAL_CALL);
}

/* Learns the lengths of calls from where their returns lead. */
static void follow_calls(struct timeline *t, uint64_t pc, unsigned kind, uint64_t target)
{
	uint64_t call;

	if (kind == BRANCH_CALL || kind == BRANCH_CALL_INDIRECT)
		t->calls[t->depth++ % DEPTH] = pc;
	if (kind != BRANCH_RETURN || !t->depth)
		return;
	call = t->calls[--t->depth % DEPTH];
	if (target > call && target - call <= LONGEST)
		*length_of(t, call) = (uint8_t)(target - call);
}

static void count_branch(struct timeline_counts *c, unsigned kind, bool mispredicted)
{
	c->branches++;
	c->mispredicted += mispredicted;
	c->conditional += kind == BRANCH_CONDITIONAL;
	c->mispredicted_conditional += mispredicted && kind == BRANCH_CONDITIONAL;
	c->mispredicted_jumps_indirect += mispredicted && kind == BRANCH_JUMP_INDIRECT;
	c->mispredicted_calls_indirect += mispredicted && kind == BRANCH_CALL_INDIRECT;
	c->mispredicted_returns += mispredicted && kind == BRANCH_RETURN;
}

/* Returns whether it was mispredicted. */
static bool predict(struct timeline *t, uint64_t pc, unsigned kind, bool taken, uint64_t target,
		    uint64_t fallthrough)
{
	unsigned outcome = predictor_branch(t->predictor, pc, (enum branch_class)kind, taken,
					    taken ? target : fallthrough, fallthrough);

	count_branch(&t->counts, kind, outcome & BRANCH_MISPREDICTED);
	return outcome & BRANCH_MISPREDICTED;
}

void timeline_pass(struct timeline *t, uint64_t nr)
{
	t->counts.instructions += nr;
}

void timeline_branch(struct timeline *t, uint64_t pc, unsigned kind, bool taken, uint64_t target,
		     uint64_t fallthrough)
{
	t->counts.instructions++;
	predict(t, pc, kind, taken, target, fallthrough);
}

/* ---- time ---- */

/* Returns the cycle in which the next instruction enters the window. */
static uint64_t timeline_enter(struct timeline *t)
{
	uint64_t *oldest = &t->retires[t->nr % t->config->pipe.rob];

	if (*oldest > t->issue) {
		t->issue = *oldest;
		t->slot = 0;
	}
	if (t->slot == t->config->pipe.width) {
		t->issue++;
		t->slot = 0;
	}
	t->slot++;
	return t->issue;
}

static void stall_until(struct timeline *t, uint64_t cycle)
{
	if (cycle <= t->issue)
		return;
	t->issue = cycle;
	t->slot = 0;
}

static void fetch(struct timeline *t, uint64_t ip)
{
	struct access access = {.vaddr = ip, .paddr = ip, .ip = ip, .now = t->issue, .size = 1};
	struct access_result result;

	if (ip / CORE_LINE_SIZE + 1 == t->fetched)
		return;
	t->fetched = ip / CORE_LINE_SIZE + 1;
	memory_fetch(t->memory, &access, &result);
	if (result.level != MEM_L1 || result.dtlb_miss)
		stall_until(t, t->issue + result.latency - t->config->memory.l1i.latency);
}

/* Returns the cycle in which the access is done. */
static uint64_t reach(struct timeline *t, const struct champsim_insn *insn, uint64_t address,
		      uint64_t start, bool store)
{
	struct access access = {.vaddr = address,
				.paddr = address,
				.ip = insn->ip,
				.now = start,
				.size = ACCESS_BYTES,
				.store = store};
	struct access_result result;

	memory_access(t->memory, &access, &result);
	return start + result.latency;
}

/* Returns the cycle in which its last source is there. */
static uint64_t sources_ready(const struct timeline *t, const struct champsim_insn *insn,
			      uint64_t start)
{
	for (unsigned i = 0; i < CHAMPSIM_SOURCES; i++) {
		uint8_t reg = insn->sources[i];

		/* The front end knows both of them. */
		if (reg && reg != CHAMPSIM_INSTRUCTION_POINTER && reg != CHAMPSIM_STACK_POINTER &&
		    t->ready[reg] > start)
			start = t->ready[reg];
	}
	return start;
}

/* Returns whether the branch was mispredicted. */
static bool branch(struct timeline *t, const struct champsim_insn *insn, uint64_t next)
{
	unsigned kind = kind_of(insn);
	uint64_t fallthrough = insn->taken ? after(t, insn->ip, kind) : next;

	follow_calls(t, insn->ip, kind, next);
	return predict(t, insn->ip, kind, insn->taken, next, fallthrough);
}

void timeline_insn(struct timeline *t, const struct champsim_insn *insn, uint64_t next)
{
	uint64_t start, done;

	fetch(t, insn->ip);
	start = sources_ready(t, insn, timeline_enter(t));
	done = start + 1;
	for (unsigned i = 0; i < CHAMPSIM_SOURCES && insn->loads[i]; i++) {
		uint64_t loaded = reach(t, insn, insn->loads[i], start, false);

		done = loaded > done ? loaded : done;
	}
	for (unsigned i = 0; i < CHAMPSIM_DESTINATIONS && insn->stores[i]; i++)
		reach(t, insn, insn->stores[i], done, true);
	for (unsigned i = 0; i < CHAMPSIM_DESTINATIONS; i++)
		t->ready[insn->destinations[i]] = done;
	if (insn->is_branch && branch(t, insn, next))
		stall_until(t, done + t->config->pipe.mispredict);
	if (done > t->retired)
		t->retired = done;
	t->retires[t->nr++ % t->config->pipe.rob] = t->retired;
	t->counts.instructions++;
}

/* ---- counts ---- */

static const struct {
	const char *name;
	size_t offset;
} names[] = {
#define ROW(name, member)                                      \
	{                                                      \
		name, offsetof(struct timeline_counts, member) \
	}
    ROW("instructions", instructions),
    ROW("cycles", cycles),
    ROW("branches", branches),
    ROW("mispredicted", mispredicted),
    ROW("conditional", conditional),
    ROW("mispredicted-conditional", mispredicted_conditional),
    ROW("mispredicted-jumps-indirect", mispredicted_jumps_indirect),
    ROW("mispredicted-calls-indirect", mispredicted_calls_indirect),
    ROW("mispredicted-returns", mispredicted_returns),
    ROW("l1d-loads", l1d_loads),
    ROW("l1d-load-misses", l1d_load_misses),
    ROW("l1d-store-misses", l1d_store_misses),
    ROW("l1i-misses", l1i_misses),
    ROW("l2-load-misses", l2_load_misses),
    ROW("last-load-misses", last_load_misses),
    ROW("last-misses", last_misses),
    ROW("dtlb-load-walks", dtlb_load_walks),
    ROW("itlb-walks", itlb_walks),
#undef ROW
};

const size_t timeline_names = sizeof(names) / sizeof(names[0]);

const char *timeline_name(size_t index)
{
	return names[index].name;
}

uint64_t timeline_value(const struct timeline_counts *counts, size_t index)
{
	return *(const uint64_t *)((const char *)counts + names[index].offset);
}

/* All since the start. */
static struct timeline_counts now(const struct timeline *t)
{
	const struct memory_counts *m = memory_counts(t->memory);
	struct timeline_counts c = t->counts;

	c.cycles = t->retired;
	c.l1d_loads = m->l1d_loads;
	c.l1d_load_misses = m->l1d_load_misses;
	c.l1d_store_misses = m->l1d_store_misses;
	c.l1i_misses = m->l1i_misses;
	c.l2_load_misses = m->l2_misses - m->l2_code_misses - m->l2_rfo_misses;
	c.last_load_misses = m->last_load_misses;
	c.last_misses = m->last_misses;
	c.dtlb_load_walks = m->dtlb_load_walks;
	c.itlb_walks = m->itlb_walks;
	return c;
}

void timeline_measure(struct timeline *t)
{
	t->begin = now(t);
}

void timeline_counts(const struct timeline *t, struct timeline_counts *counts)
{
	const struct timeline_counts end = now(t);
	const uint64_t *from = (const uint64_t *)&t->begin, *until = (const uint64_t *)&end;
	uint64_t *to = (uint64_t *)counts;

	for (size_t i = 0; i < sizeof(*counts) / sizeof(*to); i++)
		to[i] = until[i] - from[i];
}
