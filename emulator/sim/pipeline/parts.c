/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Partial registers, as P6 and its successors rename them. Intel 248966, 'Partial Register Stalls';
 * Agner Fog, 'Microarchitecture', chapters on Pentium M, Core 2 and Nehalem, Sandy Bridge; P.
 * Cordes, stackoverflow.com/questions/45660139 (Haswell and Skylake rename only AH and its kind).
 */
#include <string.h>

#include "emulator/sim/pipeline/memo/segment.h"
#include "emulator/sim/pipeline/parts.h"

#define GENERAL 16

static bool renames(const struct pipe_config *pipe, enum register_part part)
{
	return pipe->partial_registers == PARTIAL_ALL ||
	       (pipe->partial_registers == PARTIAL_HIGH && part == PART_HIGH);
}

/* True if the part that is apart has all of another one. */
static bool covers(uint8_t apart, enum register_part part)
{
	return apart == 1 + part || apart == 1 + PART_WORD;
}

static bool reads_as_address(const struct insn *insn, unsigned reg)
{
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (insn->memory[i].base == reg || insn->memory[i].index == reg)
			return true;
	return false;
}

/* True if the instruction needs more of the register than the part that is apart. */
static bool needs_whole(const struct insn *insn, unsigned reg, uint8_t apart)
{
	if ((insn->whole_reads >> reg & 1) || reads_as_address(insn, reg))
		return true;
	for (unsigned part = 0; part < PARTS; part++) {
		if ((insn->part_reads[part] >> reg & 1) && !covers(apart, part))
			return true;
		if ((insn->part_writes[part] >> reg & 1) && apart != 1 + part && part != PART_WORD)
			return true;
	}
	return false;
}

uint16_t parts_merge(struct parts *parts, const struct insn *insn)
{
	uint16_t merged = 0;

	for (unsigned reg = 0; reg < GENERAL; reg++)
		if (parts->apart[reg] && needs_whole(insn, reg, parts->apart[reg])) {
			parts->apart[reg] = 0;
			merged |= 1u << reg;
		}
	return merged;
}

uint16_t parts_merge_all(struct parts *parts)
{
	uint16_t merged = 0;

	for (unsigned reg = 0; reg < GENERAL; reg++)
		merged |= (parts->apart[reg] != 0) << reg;
	memset(parts, 0, sizeof(*parts));
	return merged;
}

/* True if the instruction reads any bits of the register, other than to keep them. */
static bool reads(const struct insn *insn, unsigned reg)
{
	uint16_t all = insn->whole_reads;

	for (unsigned part = 0; part < PARTS; part++)
		all |= insn->part_reads[part];
	return all >> reg & 1;
}

/* Returns the part of the register that the instruction writes; PARTS: all of it, or nothing. */
static unsigned written_part(const struct insn *insn, unsigned reg)
{
	unsigned part = 0;

	while (part < PARTS && !(insn->part_writes[part] >> reg & 1))
		part++;
	return part;
}

static void rename_reads(const struct parts *parts, const struct pipe_config *pipe,
			 struct insn *insn)
{
	unsigned count = 0;

	for (unsigned i = 0; i < insn->read_count; i++) {
		unsigned reg = insn->reads[i],
			 part = reg < GENERAL ? written_part(insn, reg) : PARTS;

		if (part < PARTS && renames(pipe, part) && !reads(insn, reg))
			continue; /* it would only keep the rest */
		if (reg < GENERAL && parts->apart[reg] && reads(insn, reg))
			reg += REG_PART;
		insn->reads[count++] = (uint8_t)reg;
	}
	insn->read_count = (uint8_t)count;
}

void parts_rename(struct parts *parts, const struct pipe_config *pipe, struct insn *insn)
{
	rename_reads(parts, pipe, insn);
	for (unsigned i = 0; i < insn->write_count; i++) {
		unsigned reg = insn->writes[i], part;

		if (reg >= GENERAL)
			continue;
		part = written_part(insn, reg);
		if (part < PARTS && renames(pipe, part)) {
			parts->apart[reg] = (uint8_t)(1 + part);
			insn->writes[i] = (uint8_t)(REG_PART + reg);
		} else if (part == PARTS) {
			parts->apart[reg] = 0;
		}
	}
}
