/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Awkward behaviour on request. Sources: Intel SDM vol. 3, "Performance Monitoring" (PMIs are not
 * precise; LVTPC's mask); Linux's arch/x86/events (late NMIs of AMD's parts, counters that firmware
 * uses, PMUs that ignore writes).
 */
#include "emulator/visor/model/core/model.h"
#include "emulator/visor/model/core/msr.h"
#include "emulator/visor/model/core/quirks.h"

#include <stddef.h>

#include "emulator/visor/model/base/counter.h"
#include "emulator/visor/model/base/personality.h"

/* Maximum time for which a PMI waits for an access. */
#define HOLD_INSTRUCTIONS 2000

/* Names, the member of struct quirks, and the default value; 0: a number is required. */
static const struct word {
	const char *name;
	uint16_t member;
	uint64_t implied;
} words[] = {
    {"skid", offsetof(struct quirks, skid), 0},
    {"late-nmi", offsetof(struct quirks, late_nmi), 0},
    {"foreign-nmi", offsetof(struct quirks, foreign_nmi), 0},
    {"hold-for-read", offsetof(struct quirks, hold_read), 1},
    {"hold-for-write", offsetof(struct quirks, hold_write), 1},
    {"pmi-from", offsetof(struct quirks, pmi_from), 0},
    {"pmi-to", offsetof(struct quirks, pmi_to), 0},
    {"pmi-every", offsetof(struct quirks, pmi_every), 0},
    {"running", offsetof(struct quirks, running), 1},
    {"swallow", offsetof(struct quirks, swallow), QUIRK_EVERY_MSR},
    {"mask-always", offsetof(struct quirks, mask_always), 1},
    {"mask-never", offsetof(struct quirks, mask_never), 1},
    {"transactions", offsetof(struct quirks, transactions), 1},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

const char *quirks_name(unsigned index)
{
	return index < WORDS ? words[index].name : NULL;
}

/* Returns the text after the prefix `name`, or NULL. */
static const char *after(const char *text, const char *name)
{
	while (*name)
		if (*text++ != *name++)
			return NULL;
	return text;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Parses a positive number, decimal or 0x and hexadecimal. Returns the text after it, NULL:
 * invalid. */
static const char *parse_number(const char *text, uint64_t *value)
{
	const char *hex = after(text, "0x"), *p = hex ? hex : text;
	int base = hex ? 16 : 10;

	*value = 0;
	for (; digit(*p) < base; p++) {
		if (*value > (UINT64_MAX - 15) / (unsigned)base)
			return NULL;
		*value = *value * (unsigned)base + (unsigned)digit(*p);
	}
	return *value ? p : NULL;
}

/* Parses one word. Returns the text after it, NULL: invalid. */
static const char *parse_word(struct quirks *quirks, const char *text)
{
	for (unsigned i = 0; i < WORDS; i++) {
		const char *rest = after(text, words[i].name);
		uint64_t value = words[i].implied;

		if (rest && *rest == ':')
			rest = parse_number(rest + 1, &value);
		if (!rest || (*rest && *rest != ',') || !value)
			continue;
		*(uint64_t *)((char *)quirks + words[i].member) = value;
		return rest;
	}
	return NULL;
}

bool quirks_parse(struct quirks *quirks, const char *text)
{
	do {
		text = parse_word(quirks, text);
	} while (text && *text++ == ',');
	return text != NULL;
}

/* Registers as firmware leaves them, from Intel's and AMD's manuals; a part lacks some of them. */
static const struct {
	uint32_t msr;
	uint64_t value;
} left_running[] = {
    {0x186, 0x5300c0},      /* IA32_PERFEVTSEL0: instructions, all rings, interrupt, enabled */
    {0x0c1, 0xffff0000},    /* IA32_PMC0: wraps soon */
    {0x38d, 0x0b0},         /* IA32_FIXED_CTR_CTRL: counter 1, all rings, interrupt */
    {0x38f, 0x200000001},   /* IA32_PERF_GLOBAL_CTRL */
    {0xc0010000, 0x5300c0}, /* PERF_LEGACY_CTL0 */
    {0xc0010202, 0x530076}, /* PERF_CTL1: cycles */
    {0xc0000301, 0x3},      /* PERF_CNTR_GLOBAL_CTL */
};

void quirks_reset(struct quirk_state *state, struct model *model, const struct quirks *wanted)
{
	*state = (struct quirk_state){.wanted = *wanted};
	model->abort_every = wanted->transactions;
	for (unsigned i = 0; wanted->running && i < sizeof(left_running) / sizeof(*left_running);
	     i++)
		model_wrmsr(model, left_running[i].msr, left_running[i].value);
}

static void count_access(struct quirk_state *state, uint64_t wanted)
{
	if (!wanted || !state->pmi_coming || --state->accesses_left)
		return;
	state->accesses_left = 1;
	state->pmi_in = 0;
}

enum model_result quirks_wrmsr(struct quirk_state *state, struct model *model, uint32_t msr,
			       uint64_t value)
{
	uint64_t swallow = state->wanted.swallow;
	enum model_result result = swallow == msr || swallow == QUIRK_EVERY_MSR
				       ? model_wrmsr_check(model, msr, value)
				       : model_wrmsr(model, msr, value);

	if (result != MODEL_OK)
		return result;
	count_access(state, state->wanted.hold_write);
	if (state->wanted.foreign_nmi && !state->foreign_coming) {
		state->foreign_coming = true;
		state->foreign_in = state->wanted.foreign_nmi;
	}
	return result;
}

void quirks_read(struct quirk_state *state)
{
	count_access(state, state->wanted.hold_read);
}

static void pass(uint64_t *left, uint64_t instructions)
{
	*left -= instructions < *left ? instructions : *left;
}

void quirks_retire(struct quirk_state *state, uint64_t instructions)
{
	pass(&state->pmi_in, instructions);
	pass(&state->nmi_in, instructions);
	pass(&state->foreign_in, instructions);
}

static uint64_t sooner(bool due, uint64_t in, uint64_t first)
{
	return due && in < first ? in : first;
}

uint64_t quirks_until(const struct quirk_state *state)
{
	uint64_t first = sooner(state->pmi_coming, state->pmi_in, MODEL_NEVER);

	first = sooner(state->nmi_coming, state->nmi_in, first);
	first = sooner(state->forces, 1, first);
	return sooner(state->foreign_coming, state->foreign_in, first);
}

/* Returns the interrupting counters, as bits of the status. */
static uint64_t interrupting(const struct model *model)
{
	uint64_t slots = 0;

	for (unsigned slot = 0; slot < MODEL_MAX_COUNTER; slot++)
		if (model->counters[slot].interrupts && model->counters[slot].rings)
			slots |= counter_bit(slot);
	return slots;
}

void quirks_at(struct quirk_state *state, struct model *model, uint64_t rip, bool blocked)
{
	uint64_t slots;

	if (!state->wanted.pmi_to)
		return;
	slots = interrupting(model);
	state->forces = slots && !blocked && (rip ^ state->wanted.pmi_from) >> 63 == 0;
	if (!state->forces || rip == state->forced_at)
		return;
	state->forced_at = 0;
	if (rip < state->wanted.pmi_from || rip >= state->wanted.pmi_to)
		return;
	state->forced_at = rip;
	if (state->forced_in && --state->forced_in)
		return;
	state->forced_in = state->wanted.pmi_every;
	if (model->personality->version >= 2)
		model->status |= slots;
	model->pmi_pending = true;
}

void quirks_halt(struct quirk_state *state)
{
	state->pmi_in = state->nmi_in = 0;
}

static void begin_pmi(struct quirk_state *state)
{
	const struct quirks *wanted = &state->wanted;
	bool holds = wanted->hold_read || wanted->hold_write;

	state->pmi_coming = true;
	state->pmi_in = holds ? HOLD_INSTRUCTIONS : wanted->skid;
	state->accesses_left = wanted->hold_read ? wanted->hold_read : wanted->hold_write;
}

bool quirks_take_pmi(struct quirk_state *state, struct model *model)
{
	if (!model->pmi_pending)
		return false;
	if (!state->pmi_coming)
		begin_pmi(state);
	if (state->pmi_in)
		return false;
	state->pmi_coming = false;
	return model_take_pmi(model);
}

bool quirks_delay_nmi(struct quirk_state *state)
{
	/* An NMI that comes while another one is pending merges with it. */
	if (!state->nmi_coming)
		state->nmi_in = state->wanted.late_nmi;
	state->nmi_coming = state->nmi_in != 0;
	return state->nmi_coming;
}

bool quirks_take_nmi(struct quirk_state *state)
{
	bool due = state->nmi_coming && !state->nmi_in;

	state->nmi_coming = state->nmi_coming && !due;
	if (state->foreign_coming && !state->foreign_in) {
		state->foreign_in = state->wanted.foreign_nmi;
		state->foreign_nmis++;
		due = true;
	}
	return due;
}

bool quirks_mask_lvtpc(const struct quirk_state *state, const struct model *model)
{
	if (state->wanted.mask_always || state->wanted.mask_never)
		return state->wanted.mask_always;
	return model_masks_lvtpc(model);
}
