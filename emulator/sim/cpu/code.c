/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the possible effects of an instruction from the pipeline's decoder. */
#include "emulator/sim/cpu/code.h"

#include <string.h>

#include "emulator/sim/decode/decode.h"
#include "emulator/sim/pipeline/block.h"

#define PREFIXES    "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3"
#define REX         0x40 /* and the 15 after it */
#define TWO_BYTES   0x0f
#define BYTE_ESCAPE 0x100 /* added to the opcodes after 0FH */

static const uint8_t *behind_prefixes(const uint8_t *bytes, size_t length, bool mode64)
{
	while (length > 1 && (memchr(PREFIXES, *bytes, sizeof(PREFIXES) - 1) ||
			      (mode64 && (*bytes & 0xf0) == REX))) {
		bytes++;
		length--;
	}
	return bytes;
}

/* Returns the opcode after the prefixes. */
static unsigned opcode(const uint8_t *bytes, size_t length, bool mode64)
{
	const uint8_t *start = bytes;

	bytes = behind_prefixes(bytes, length, mode64);
	length -= (size_t)(bytes - start);
	return *bytes == TWO_BYTES && length > 1 ? BYTE_ESCAPE + bytes[1] : *bytes;
}

/* Far branches, and instructions that are always undefined. SDM vol. 2, opcode maps. */
static enum code_kind special_kind(unsigned opcode)
{
	switch (opcode) {
	case 0xcc: /* INT3, INT n, INTO, INT1 */
	case 0xcd:
	case 0xce:
	case 0xf1:
	case BYTE_ESCAPE + 0x05: /* SYSCALL, SYSENTER */
	case BYTE_ESCAPE + 0x34:
		return CODE_FAR_IN;
	case BYTE_ESCAPE + 0x07: /* SYSRET, SYSEXIT */
	case BYTE_ESCAPE + 0x35:
		return CODE_FAR_OUT;
	case 0xca: /* far RET, IRET */
	case 0xcb:
	case 0xcf:
		return CODE_FAR_FRAME;
	case BYTE_ESCAPE + 0x0b: /* UD2, UD1, UD0 */
	case BYTE_ESCAPE + 0xb9:
	case BYTE_ESCAPE + 0xff:
		return CODE_FAULTS;
	default:
		return CODE_FAR;
	}
}

static enum code_kind kind_of(const struct insn *insn, const uint8_t *bytes, size_t length)
{
	enum code_kind kind;

	if (insn->branch < BRANCH_CLASSES)
		return CODE_NEAR + insn->branch;
	kind = special_kind(opcode(bytes, length, insn->bits == 64));
	return insn->branch == BRANCH_FAR || kind == CODE_FAULTS ? kind : CODE_PLAIN;
}

/* Returns an instruction's side effects on caches and TLBs: SDM vol. 2, opcode maps. */
static unsigned effects_of(const uint8_t *bytes, size_t length, bool mode64)
{
	const uint8_t *end = bytes + length;
	unsigned reg;

	bytes = behind_prefixes(bytes, length, mode64);
	if (end - bytes < 2 || bytes[0] != TWO_BYTES)
		return 0;
	reg = end - bytes > 2 ? bytes[2] >> 3 & 7 : 0;
	switch (bytes[1]) {
	case 0x08: /* INVD, WBINVD */
	case 0x09:
		return EFFECT_CACHES;
	case 0x22: /* MOV to CR3, to others */
		return reg == 3 ? EFFECT_SPACE : EFFECT_TLBS;
	case 0x01: /* INVLPG; not the register forms */
		return reg == 7 && bytes[2] < 0xc0 ? EFFECT_PAGE : 0;
	case 0x38: /* INVPCID */
		return end - bytes > 2 && bytes[2] == 0x82 ? EFFECT_TLBS : 0;
	default:
		return 0;
	}
}

/* True for instructions that name memory, but may complete without an access. */
static bool may_pass_by(const struct insn *insn)
{
	return insn->repeats || insn->kind == CLASS_PREFETCH || insn->kind == CLASS_CLFLUSH ||
	       insn->kind == CLASS_MASKMOV || insn->elements || insn->kind == CLASS_SYSTEM ||
	       insn->kind == CLASS_XSAVE || insn->kind == CLASS_MICROCODE;
}

static enum code_end end_of(const struct code_block *block, const struct code_insn *last)
{
	if (last->kind > CODE_NEAR_LAST || last->repeats || block->effects || block->changes)
		return ENDS_OTHERWISE;
	switch (last->kind) {
	case CODE_PLAIN:
		return ENDS_ON;
	case CODE_NEAR + BRANCH_CONDITIONAL:
		return ENDS_CONDITIONAL;
	case CODE_NEAR + BRANCH_JUMP:
	case CODE_NEAR + BRANCH_CALL:
		return ENDS_AT_TARGET;
	default:
		return ENDS_ANYWHERE;
	}
}

void code_take_timing(struct code_block *block, unsigned kind, struct block *timing)
{
	block->timing[kind] = timing;
	block->timed |= (uint8_t)(1u << kind);
	for (unsigned i = 0; i < block->nr; i++)
		block->insn[i].stored[kind] = block_store_number(timing, i);
}

void code_time(struct code_block *block, unsigned kind, const struct core_config *config)
{
	struct insn_bytes insns[BLOCK_INSNS_MAX];
	unsigned nr = block->nr <= BLOCK_INSNS_MAX ? block->nr : 0; /* 0: there is no timing */

	for (unsigned i = 0; i < nr; i++) {
		const struct code_insn *insn = &block->insn[i];

		insns[i] = (struct insn_bytes){
		    insn->address, block->bytes + (insn->address - block->start), insn->length};
	}
	code_take_timing(block, kind, block_new(config, insns, nr));
}

/* Sets where the block's end leads. An indirect branch leads anywhere unless a fault came before;
 * other ends are as good as any if the last instruction has made its access. */
static void set_end(struct code_block *block, const struct code_insn *last)
{
	enum code_end ends = end_of(block, last);

	block->ends = ends;
	block->exits[0] = block->exits[1] = UINT64_MAX;
	if (ends == ENDS_ON || ends == ENDS_CONDITIONAL)
		block->exits[0] = block->end;
	if (ends == ENDS_AT_TARGET || ends == ENDS_CONDITIONAL)
		block->exits[1] = block->target;
	block->needs = ends == ENDS_ANYWHERE ? block->must_access
		       : last->accesses      ? last->address
					     : 0;
}

void code_append(struct code_block *block, const void *bytes, size_t length)
{
	struct code_insn *out = &block->insn[block->nr++];
	struct insn insn;
	unsigned effects;

	decode_insn(bytes, (unsigned)length, &insn);
	*out = (struct code_insn){
	    .address = block->end,
	    .length = (uint8_t)length,
	    .kind = (uint8_t)kind_of(&insn, bytes, length),
	    .repeats = insn.repeats,
	    .locked = insn.locked,
	    .streams = insn.streams,
	};
	out->wants_physical = out->kind == CODE_FAR_FRAME || out->streams;
	block->end += length;
	for (unsigned i = 0; i < insn.memory_count; i++) {
		if (insn.memory[i].load)
			out->loads = insn.elements ? insn.elements : 1;
		out->stores |= insn.memory[i].store;
	}
	out->accesses = (out->loads || out->stores) && !may_pass_by(&insn);
	if (out->accesses)
		block->must_access = out->address;
	if (insn.upper != UPPER_KEEPS)
		block->upper = insn.upper;
	if (insn.direction != DIRECTION_KEEPS)
		block->direction = insn.direction;
	block->changes = block->upper || block->direction;
	effects = effects_of(bytes, length, insn.bits == 64);
	if (effects)
		block->effective = (uint16_t)(block->nr - 1);
	block->effects |= effects;
	block->touches |=
	    insn.kind == CLASS_PREFETCH || insn.kind == CLASS_CLFLUSH || (effects & EFFECT_PAGE);
	block->last_address = out->address;
	block->insn_bytes = (uint16_t)(block->nr * sizeof(*out));
	block->branch = out->kind - CODE_NEAR;
	block->loads += out->loads;
	block->stores += out->stores;
	if (insn.has_target)
		block->target = block->end - length + (uint64_t)insn.target;
	set_end(block, out);
}
