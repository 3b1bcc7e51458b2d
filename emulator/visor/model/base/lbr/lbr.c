/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last branch records: filters, the stack of each format, and the conversion of a branch to a
 * record. The caller identifies branches and predicts them (decode.h, predict.h). Source: see
 * lbr.h.
 */
#include "emulator/visor/model/base/lbr/lbr.h"

#include <stddef.h>

#include "emulator/visor/model/base/lbr/branch.h"
#include "emulator/visor/model/base/model_state.h"
#include "emulator/visor/model/base/personality.h"
#include "emulator/visor/model/base/registers.h"

/* The filter's bits for JCC, JMP, indirect JMP, CALL, indirect CALL, RET, far. */
#define KINDS_LEGACY                \
	{                           \
		2, 7, 6, 3, 4, 5, 8 \
	}
#define KINDS_ARCH                         \
	{                                  \
		16, 17, 18, 19, 20, 21, 22 \
	}

static const struct lbr_layout layouts[] = {
    [LBR_PLAIN] = {.depth = 4,
		   .capabilities = 2,
		   .ring = true,
		   .ring0 = 0,
		   .ring3 = 1,
		   .kinds = KINDS_LEGACY},
    [LBR_FLAGS] = {.depth = 16,
		   .capabilities = 3,
		   .ring = true,
		   .ring0 = 0,
		   .ring3 = 1,
		   .kinds = KINDS_LEGACY},
    [LBR_TSX] = {.depth = 16,
		 .capabilities = 4,
		 .ring = true,
		 .ring0 = 0,
		 .ring3 = 1,
		 .call_stack = 9,
		 .kinds = KINDS_LEGACY},
    [LBR_INFO] = {.depth = 32,
		  .capabilities = 5,
		  .ring = true,
		  .has_info = true,
		  .ring0 = 0,
		  .ring3 = 1,
		  .call_stack = 9,
		  .kinds = KINDS_LEGACY},
    [LBR_ARCH] = {.depth = 32,
		  .capabilities = 0x3f,
		  .has_info = true,
		  .selects = true,
		  .ring0 = 1,
		  .ring3 = 2,
		  .call_stack = 3,
		  .kinds = KINDS_ARCH},
    [LBR_AMD_V2] = {.depth = 16, .ring0 = 0, .ring3 = 1, .kinds = KINDS_LEGACY},
};

const struct lbr_layout *lbr_layout(const struct personality *personality)
{
	enum lbr_format format = lbr_format(personality);

	return format ? &layouts[format] : NULL;
}

/* ---- what the registers say ---- */

/* True if the filter passes the branches of bit number `bit`. */
static bool passes(const struct model *model, unsigned bit)
{
	return !!(model->lbr.filter & REG_BIT(bit)) == lbr_layout(model->personality)->selects;
}

static bool enabled(const struct model *model)
{
	switch (lbr_format(model->personality)) {
	case LBR_PLAIN:
	case LBR_FLAGS:
	case LBR_TSX:
	case LBR_INFO:
		return model->debug_control & DEBUGCTL_LBR;
	case LBR_ARCH:
		return model->lbr.filter & ARCH_LBR_CTL_ENABLE;
	case LBR_AMD_V2:
		return model->lbr.enable & DBG_EXTN_LBRV2;
	default:
		return false;
	}
}

bool model_records_branches(const struct model *model)
{
	return enabled(model) && !(model->status & STATUS_LBR_FRZ);
}

unsigned model_recorded_rings(const struct model *model)
{
	const struct lbr_layout *layout = lbr_layout(model->personality);

	return (passes(model, layout->ring0) ? MODEL_KERNEL : 0) |
	       (passes(model, layout->ring3) ? MODEL_USER : 0);
}

bool model_stacks_calls(const struct model *model)
{
	const struct lbr_layout *layout = lbr_layout(model->personality);

	return layout->call_stack && (model->lbr.filter & REG_BIT(layout->call_stack));
}

/* ---- the stack ---- */

struct lbr_entry *lbr_entry_of_age(struct model *model, unsigned age)
{
	struct lbr *lbr = &model->lbr;

	if (!lbr_layout(model->personality)->ring)
		return &lbr->entries[age];
	return &lbr->entries[(lbr->top - age) & (lbr->depth - 1u)];
}

static void push(struct model *model, struct lbr_entry entry)
{
	struct lbr *lbr = &model->lbr;

	if (lbr_layout(model->personality)->ring)
		lbr->top = (lbr->top + 1u) & (lbr->depth - 1u);
	else
		for (unsigned i = lbr->depth - 1u; i; i--)
			lbr->entries[i] = lbr->entries[i - 1];
	*lbr_entry_of_age(model, 0) = entry;
	lbr->made++;
	if (lbr->filled < lbr->depth)
		lbr->filled++;
}

/* A return removes its call's record. */
static void pop(struct model *model)
{
	struct lbr *lbr = &model->lbr;

	if (lbr_layout(model->personality)->ring) {
		*lbr_entry_of_age(model, 0) = (struct lbr_entry){0};
		lbr->top = (lbr->top - 1u) & (lbr->depth - 1u);
		return;
	}
	for (unsigned i = 0; i + 1 < lbr->depth; i++)
		lbr->entries[i] = lbr->entries[i + 1];
	lbr->entries[lbr->depth - 1] = (struct lbr_entry){0};
}

/* ---- a branch becomes a record ---- */

/* SYSCALL and similar instructions are far branches. */
static unsigned kind_index(enum insn_kind kind)
{
	return (kind > INSN_FAR ? INSN_FAR : kind) - INSN_JCC;
}

static bool selected(const struct model *model, const struct model_branch *branch)
{
	const struct lbr_layout *layout = lbr_layout(model->personality);

	return (model_recorded_rings(model) & branch->ring) &&
	       passes(model, layout->kinds[kind_index(branch->insn.kind)]);
}

/* Returns core cycles since the last record: 3 for 4 instructions, as the event's rate. */
static uint64_t cycles_since(const struct lbr *lbr)
{
	uint64_t cycles = lbr->retired * 3 / 4 - lbr->last * 3 / 4;

	return cycles > LBR_INFO_CYCLES ? LBR_INFO_CYCLES : cycles;
}

/* LBR_INFO's field of the architectural format: all far branches are "other". In the order of
 * KINDS_ARCH. Intel SDM vol. 4, IA32_LBR_0_INFO: BR_TYPE. */
static uint64_t branch_type(enum insn_kind kind)
{
	static const uint8_t types[] = {0, 2, 1, 4, 3, 5, 8};

	return (uint64_t)types[kind_index(kind)] << LBR_INFO_TYPE_SHIFT;
}

static uint64_t mark(uint64_t value, bool on)
{
	return (value & ~REG_BIT(63)) | (on ? REG_BIT(63) : 0);
}

/* There are no transactions: only a quirk makes them appear to end. */
static uint64_t transaction(const struct model *model)
{
	bool ends = model->abort_every && model->lbr.made % model->abort_every == 0;

	return ends ? LBR_INFO_IN_TX | LBR_INFO_ABORT : 0;
}

static struct lbr_entry record(const struct model *model, const struct model_branch *branch)
{
	struct lbr_entry entry = {branch->from, branch->to, 0};

	switch (lbr_format(model->personality)) {
	case LBR_FLAGS:
		entry.from = mark(entry.from, branch->mispredicted);
		break;
	case LBR_TSX:
		entry.from &= ~(LBR_INFO_IN_TX | LBR_INFO_ABORT);
		entry.from = mark(entry.from | transaction(model), branch->mispredicted);
		break;
	case LBR_INFO:
		entry.info = mark(branch->cycles | transaction(model), branch->mispredicted);
		break;
	case LBR_ARCH:
		entry.info = mark(branch->cycles | LBR_INFO_CYCLES_VALID |
				      branch_type(branch->insn.kind) | transaction(model),
				  branch->mispredicted);
		if (!(model_recorded_rings(model) & branch->from_ring))
			entry.from = ~0ull;
		break;
	case LBR_NONE:
	case LBR_PLAIN:
		break;
	case LBR_AMD_V2: /* valid, and not on a wrong path */
		entry.from = mark(entry.from, branch->mispredicted);
		entry.to = mark(entry.to & ~(LBR_AMD_RESERVED | LBR_AMD_SPECULATIVE), true);
		break;
	}
	return entry;
}

/* A call to the next instruction only reads RIP. */
static bool is_call(const struct model_branch *branch)
{
	return branch->to != branch->from + branch->insn.length;
}

void model_branch(struct model *model, const struct model_branch *branch)
{
	struct model_branch timed;

	if (!model_records_branches(model) || !selected(model, branch))
		return;
	if (model_stacks_calls(model)) {
		if (branch->insn.kind == INSN_RET) {
			pop(model);
			return;
		}
		if (!is_call(branch))
			return;
	}
	timed = *branch;
	timed.cycles = (uint16_t)cycles_since(&model->lbr);
	push(model, record(model, &timed));
	model->lbr.last = model->lbr.retired;
}

void model_branch_filter(const struct model *model, struct core_filter *filter)
{
	const struct lbr_layout *layout = lbr_layout(model->personality);
	unsigned rings;

	*filter = (struct core_filter){.enabled = model_records_branches(model),
				       .load = model->lbr.written};
	if (!filter->enabled)
		return;
	rings = model_recorded_rings(model);
	filter->rings = (rings & MODEL_KERNEL ? 1u << CORE_RING_KERNEL : 0) |
			(rings & MODEL_USER ? 1u << CORE_RING_USER : 0);
	filter->calls = model_stacks_calls(model);
	for (unsigned kind = 0; kind < sizeof(layout->kinds); kind++)
		filter->kinds |= passes(model, layout->kinds[kind]) ? 1u << kind : 0;
}

static enum model_ring ring_of(unsigned core_ring)
{
	return core_ring == CORE_RING_USER ? MODEL_USER : MODEL_KERNEL;
}

unsigned model_give_branches(struct model *model, struct core_branch *branches, uint32_t *position)
{
	unsigned nr = 0;

	*position = model->lbr.top;
	for (unsigned age = model->lbr.depth; age--;) {
		const struct lbr_entry *entry = lbr_entry_of_age(model, age);

		if (entry->from || entry->to)
			branches[nr++] = (struct core_branch){
			    .raw = true, .from = entry->from, .to = entry->to, .info = entry->info};
	}
	return nr;
}

void model_take_branches(struct model *model, const struct core_branch *branches, unsigned nr,
			 uint32_t position)
{
	unsigned first = nr > model->lbr.depth ? nr - model->lbr.depth : 0;

	model->lbr.written = false;
	model_forget_branches(model);
	model->lbr.top = (position - (nr - first)) & (model->lbr.depth - 1u);
	for (unsigned i = first; i < nr && i < CORE_RECORDS; i++) {
		const struct core_branch *b = &branches[i];
		struct model_branch branch = {
		    .insn = {INSN_JCC + (b->kind <= CORE_BRANCH_FAR ? b->kind : CORE_BRANCH_FAR),
			     b->length},
		    .from = b->from,
		    .to = b->to,
		    .from_ring = ring_of(b->from_ring),
		    .ring = ring_of(b->ring),
		    .mispredicted = b->mispredicted,
		    .cycles = b->cycles,
		};

		push(model,
		     b->raw ? (struct lbr_entry){b->from, b->to, b->info} : record(model, &branch));
	}
}

void model_forget_branches(struct model *model)
{
	for (unsigned i = 0; i < LBR_MAX_DEPTH; i++)
		model->lbr.entries[i] = (struct lbr_entry){0};
	model->lbr.filled = 0;
}

bool model_branches_filled(const struct model *model)
{
	return model->lbr.filled >= model->lbr.depth;
}

/* ---- registers ---- */

void lbr_reset(struct model *model)
{
	const struct lbr_layout *layout = lbr_layout(model->personality);

	if (layout)
		model->lbr.depth = layout->depth;
}

uint64_t lbr_read(const struct model *model, enum reg reg, unsigned index)
{
	const struct lbr *lbr = &model->lbr;

	switch (reg) {
	case REG_LBR_SELECT:
	case REG_LBR_CTL:
		return lbr->filter;
	case REG_LBR_TOS:
		return lbr->top;
	case REG_LBR_FROM:
	case REG_LBR_AMD_FROM:
		return lbr->entries[index].from;
	case REG_LBR_TO:
	case REG_LBR_AMD_TO:
		return lbr->entries[index].to;
	case REG_LBR_INFO:
		return lbr->entries[index].info;
	case REG_LBR_DEPTH:
		return lbr->depth;
	case REG_DBG_EXTN:
		return lbr->enable;
	default:
		return 0;
	}
}

void lbr_write(struct model *model, enum reg reg, unsigned index, uint64_t value)
{
	struct lbr *lbr = &model->lbr;

	lbr->written |= reg != REG_LBR_SELECT && reg != REG_LBR_CTL && reg != REG_DBG_EXTN;
	switch (reg) {
	case REG_LBR_SELECT:
	case REG_LBR_CTL:
		lbr->filter = value;
		break;
	case REG_LBR_TOS:
		lbr->top = (uint8_t)value;
		break;
	case REG_LBR_FROM:
	case REG_LBR_AMD_FROM:
		lbr->entries[index].from = value;
		break;
	case REG_LBR_TO:
	case REG_LBR_AMD_TO:
		lbr->entries[index].to = value;
		break;
	case REG_LBR_INFO:
		lbr->entries[index].info = value;
		break;
	case REG_LBR_DEPTH: /* writing it clears */
		model_forget_branches(model);
		lbr->depth = (uint8_t)value;
		break;
	case REG_DBG_EXTN:
		lbr->enable = value;
		break;
	default:
		break;
	}
}

#define CANONICAL_BIT 47

/* True if the bits from the sign down to `last` are equal. */
static bool sign_extended(uint64_t value, unsigned last)
{
	uint64_t sign = REG_BITS(CANONICAL_BIT, last);

	return !(value & sign) || (value & sign) == sign;
}

bool lbr_address_valid(uint64_t value)
{
	return sign_extended(value, 63);
}

bool lbr_from_valid(const struct personality *personality, uint64_t value)
{
	/* Bits above the address are flags: 63 of a misprediction, 61 and 62 of a transaction. */
	static const uint8_t last[] = {[LBR_FLAGS] = 62, [LBR_TSX] = 60};
	enum lbr_format format = lbr_format(personality);

	return sign_extended(value, format < sizeof(last) && last[format] ? last[format] : 63);
}

#define DEPTH_STEP 8

bool lbr_depth_valid(const struct personality *personality, uint64_t value)
{
	const struct lbr_layout *layout = lbr_layout(personality);

	return value == layout->depth || value == layout->depth / 2u || value == DEPTH_STEP;
}

#define CPUID_DEPTHS      (REG_BIT(0) | REG_BIT(1) | REG_BIT(3)) /* 8, 16, 32 */
#define CPUID_LINEAR      REG_BIT(31)
#define CPUID_FILTERS     7 /* rings, branches, call stack */
#define CPUID_INFORMATION 7 /* mispredicted, cycles, types */

void lbr_cpuid(const struct personality *personality, uint32_t regs[4])
{
	bool has = lbr_format(personality) == LBR_ARCH;

	regs[0] = has ? (uint32_t)(CPUID_DEPTHS | CPUID_LINEAR) : 0;
	regs[1] = has ? CPUID_FILTERS : 0;
	regs[2] = has ? CPUID_INFORMATION : 0;
	regs[3] = 0;
}
